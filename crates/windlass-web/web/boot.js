// Loads the page after its frame was drawn: thirty modules at once would keep the browser from drawing anything.

const PATIENCE = 150;
let begun = false;

function begin() {
  if (begun) return;
  begun = true;
  for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[rel="later"]'))) link.rel = "modulepreload";
  void import("./app.js");
}

// A tab in the background draws nothing.
if (document.hidden) begin();
else {
  new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").length && begin()).observe({ type: "paint", buffered: true });
  setTimeout(begin, PATIENCE);
}
