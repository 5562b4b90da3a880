// Lays out a graph beside the page. A quick draft comes first where the better picture takes longer.

import { inLayers, isSmall, withDagre } from "./layout.js";
import { criticalPath } from "./paths.js";

addEventListener("message", (event) => {
  const { id, numbers, edges, open } = event.data;
  const critical = criticalPath(open, edges);
  const small = isSmall(numbers, edges);
  postMessage({ id, final: !small, critical, ...inLayers(numbers, edges) });
  if (small) postMessage({ id, final: true, critical, ...withDagre(numbers, edges) });
});
