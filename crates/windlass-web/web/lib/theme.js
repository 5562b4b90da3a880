// Light or dark: as the system says, unless the person chose.

import { signal } from "./html.js";

const KEY = "windlass-theme";
export const theme = signal(localStorage.getItem(KEY) ?? "system");

function apply() {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
}
apply();

export function nextTheme() {
  const order = ["system", "light", "dark"];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length];
  localStorage.setItem(KEY, theme.value);
  apply();
}
