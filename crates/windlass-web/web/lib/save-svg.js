// Saves the graph as a file: all of it, also what is out of sight, with its styles written into it.

import { NODE } from "./node-size.js";

const SVG = "http://www.w3.org/2000/svg";
const STYLES = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight"];

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** @param {import("./worker.js").Laid} laid @param {Map<number, any>} known */
function draw(laid, known) {
  const drawing = element("svg", { xmlns: SVG, class: "graph big", width: laid.width, height: laid.height, viewBox: `0 0 ${laid.width} ${laid.height}` });
  const critical = new Set(laid.critical);
  const steps = new Set(laid.critical.slice(1).map((number, index) => `${laid.critical[index]} ${number}`));
  for (const line of laid.lines) drawing.append(element("path", { class: "edge" + (steps.has(`${line.from} ${line.to}`) ? " critical" : ""), d: line.path }));
  for (const { number, x, y } of laid.places) {
    const task = known.get(number);
    if (!task) continue;
    const node = element("g", { class: `node ${task.status}${critical.has(number) ? " critical" : ""}` });
    node.append(element("title", {}, `#${number} ${task.title}`), element("rect", { x, y, ...NODE, rx: 6 }),
      element("text", { x: x + 9, y: y + 16 }, `#${number} ${task.status.replaceAll("_", " ")}`), element("text", { class: "title", x: x + 9, y: y + 32 }, task.title.length > 26 ? task.title.slice(0, 25) + "…" : task.title));
    drawing.append(node);
  }
  return drawing;
}

/** Writes the styles that the page gives to each element into it; elements of the same kind have the same. @param {Element} drawing */
function writeStyles(drawing) {
  /** @type {Map<string, string[]>} */
  const known = new Map();
  for (const one of drawing.querySelectorAll("rect, text, path")) {
    const kind = `${one.tagName} ${one.getAttribute("class")} ${one.parentElement?.getAttribute("class")}`;
    let values = known.get(kind);
    if (!values) {
      const style = getComputedStyle(one);
      values = STYLES.map((name) => style.getPropertyValue(name));
      known.set(kind, values);
    }
    STYLES.forEach((name, index) => one.setAttribute(name, /** @type {string[]} */ (values)[index]));
  }
}

/** @param {import("./worker.js").Laid} laid @param {Map<number, any>} known */
export function saveSvg(laid, known) {
  const drawing = draw(laid, known);
  // Styles are known of what is in the page only.
  const place = document.createElement("div");
  place.className = "sr";
  place.append(drawing);
  document.body.append(place);
  writeStyles(drawing);
  place.remove();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" }));
  link.download = "windlass-graph.svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
