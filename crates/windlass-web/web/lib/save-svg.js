// Saves a drawing as a file, with its styles written into it.

const STYLES = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight"];

/** @param {Element | null} drawing */
export function saveSvg(drawing) {
  if (!drawing) return;
  const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
  const from = [...drawing.querySelectorAll("rect, text, path")];
  const to = [...copy.querySelectorAll("rect, text, path")];
  for (const [index, element] of from.entries()) {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[index].setAttribute(name, style.getPropertyValue(name));
  }
  const text = new XMLSerializer().serializeToString(copy);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  link.download = "windlass-graph.svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
