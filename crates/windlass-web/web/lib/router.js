// Where in the dashboard one is: the part of the address after the #, such as #/task/12 or #/board?text=login.

import { signal } from "./html.js";

/** @param {string} hash */
function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { page: page || "inbox", rest, query: new URLSearchParams(query) };
}

export const route = signal(parse(location.hash));

addEventListener("hashchange", () => {
  // The login takes it.
  if (location.hash.startsWith("#code=")) return;
  route.value = parse(location.hash);
  scrollTo(0, 0);
});

/** @param {string} to */
export const go = (to) => void (location.hash = to);

/** The address of a page. @param {...(string | number)} parts */
export const link = (...parts) => "#/" + parts.map((part) => encodeURIComponent(part)).join("/");

/** Changes the query of this page without another entry in the history. @param {Record<string, string>} changes */
export function setQuery(changes) {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const path = location.hash.split("?")[0] || "#/";
  const text = query.toString();
  history.replaceState(null, "", text ? `${path}?${text}` : path);
  route.value = parse(location.hash);
}
