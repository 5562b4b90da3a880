"use strict";
(() => {
  const box = document.getElementById("filter");
  const found = document.getElementById("found");
  const svg = document.querySelector(".graph svg");
  if (!svg) return;
  const tasks = [...svg.querySelectorAll("g[data-task]")].map((node) => ({ node, text: node.textContent.toLowerCase() }));
  const edges = [...svg.querySelectorAll("path[data-from]")];
  const apply = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = new Set();
    for (const { node, text } of tasks) {
      const hit = words.every((word) => text.includes(word));
      node.classList.toggle("away", !hit);
      if (hit) hits.add(node.dataset.task);
    }
    for (const edge of edges) {
      edge.classList.toggle("away", !(hits.has(edge.dataset.from) && hits.has(edge.dataset.to)));
    }
    found.textContent = words.length ? `${hits.size} of ${tasks.length}` : "";
  };
  box.addEventListener("input", apply);
  const near = (number, on) => {
    for (const edge of edges) {
      if (edge.dataset.from === number || edge.dataset.to === number) edge.classList.toggle("near", on);
    }
  };
  for (const { node } of tasks) {
    for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) {
      node.addEventListener(event, () => near(node.dataset.task, on));
    }
  }
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  let scale = 1;
  const zoom = (to) => {
    scale = Math.min(3, Math.max(0.05, to));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
  };
  const actions = {
    in: () => zoom(scale * 1.25),
    out: () => zoom(scale / 1.25),
    whole: () => zoom(Math.min(1, svg.parentElement.clientWidth / width)),
    size: () => zoom(1),
  };
  for (const button of document.querySelectorAll("button[data-zoom]")) {
    button.addEventListener("click", () => actions[button.dataset.zoom]());
  }
  // What a task waits for stands in the middle of it, so the corner of a large graph is empty: begin at the critical path.
  const first = svg.querySelector("g.critical") ?? svg.querySelector("g[data-task]");
  if (first) {
    const place = svg.parentElement;
    const [task, frame] = [first.getBoundingClientRect(), place.getBoundingClientRect()];
    place.scrollTop += task.top - frame.top - place.clientHeight / 2;
    place.scrollLeft += task.left - frame.left - 16;
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
    if (event.key === "Escape") { box.value = ""; apply(); box.blur(); }
  });
})();
