// How tasks and the lines between them look in the graph: for the drawing, for its file and for the workers that lay it out.

export const NODE = { width: 190, height: 42 };

/** From the right edge of one task to the left edge of another. @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 where the tasks are */
export function curve(x1, y1, x2, y2) {
  const [from, to, middle] = [x1 + NODE.width, x2, NODE.height / 2];
  const bend = Math.max(20, Math.abs(to - from) / 2);
  return `M${from} ${y1 + middle} C${from + bend} ${y1 + middle} ${to - bend} ${y2 + middle} ${to} ${y2 + middle}`;
}

/** As much of a title as there is room for. @param {string} title */
export const shortTitle = (title) => (title.length > 26 ? title.slice(0, 25) + "…" : title);

/** The tasks of the critical path, and the steps between them. @param {{ critical: number[] }} laid */
export const criticalParts = ({ critical }) => ({ critical: new Set(critical), steps: new Set(critical.slice(1).map((number, index) => `${critical[index]} ${number}`)) });
