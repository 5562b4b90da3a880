// Saves the graph as a file: all of it, also what is out of sight, with its styles written into it.

import { criticalParts, curve, NODE, shortTitle } from "./graph-shapes.js";

const SVG = "http://www.w3.org/2000/svg";
const STYLES = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight"];

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** @param {import("./worker.js").Laid} laid */
function draw(laid) {
  const drawing = element("svg", { xmlns: SVG, class: "graph big", width: laid.width, height: laid.height, viewBox: `0 0 ${laid.width} ${laid.height}` });
  const { critical, steps } = criticalParts(laid);
  for (let at = 0; at < laid.lines.length; at += 2) {
    const [from, to] = [laid.lines[at], laid.lines[at + 1]];
    const kind = steps.has(`${laid.numbers[from]} ${laid.numbers[to]}`) ? "edge critical" : "edge";
    drawing.append(element("path", { class: kind, d: curve(laid.x[from], laid.y[from], laid.x[to], laid.y[to]) }));
  }
  for (const [index, number] of laid.numbers.entries()) {
    const [x, y, title, status] = [laid.x[index], laid.y[index], laid.titles[index], laid.statuses[index]];
    const node = element("g", { class: `node ${status}${critical.has(number) ? " critical" : ""}` });
    node.append(element("title", {}, `#${number} ${title}`), element("rect", { x, y, ...NODE, rx: 6 }),
      element("text", { x: x + 9, y: y + 16 }, `#${number} ${status.replaceAll("_", " ")}`), element("text", { class: "title", x: x + 9, y: y + 32 }, shortTitle(title)));
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

/** @param {import("./worker.js").Laid} laid */
export function saveSvg(laid) {
  const drawing = draw(laid);
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
