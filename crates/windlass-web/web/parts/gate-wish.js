// A gate that waits because nobody has allowed it: what it would run, to be allowed right here.

import { html } from "../lib/html.js";
import { useWishes } from "../lib/waiting.js";
import { Wish } from "./wish.js";
import { WishedText } from "./wished-text.js";

/** @param {{ gate: { name: string } }} props */
export function GateWish({ gate }) {
  const { data } = useWishes();
  const texts = data?.texts ?? [];
  const text = texts.find((/** @type {any} */ one) => one.kind === "gate" && one.name === gate.name);
  if (text) return html`<${WishedText} wish=${text} />`;
  // A gate that runs a command of the repository needs that command.
  const wish = data?.wishes.find((/** @type {any} */ one) => one.session === `gate ${gate.name}`);
  if (wish) return html`<${Wish} wish=${wish} />`;
  const file = texts.find((/** @type {any} */ one) => one.kind === "file");
  return file ? html`<${WishedText} wish=${file} />` : html`<p><a href="#/inbox">Allow it in the inbox</a></p>`;
}
