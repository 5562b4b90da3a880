"use strict";
(() => {
  const box = document.getElementById("filter");
  const found = document.getElementById("found");
  const cards = [...document.querySelectorAll(".card")].map((card) => ({ card, text: card.textContent.toLowerCase() }));
  const apply = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { card, text } of cards) {
      const hit = words.every((word) => text.includes(word));
      card.hidden = !hit;
      shown += hit ? 1 : 0;
    }
    found.textContent = words.length ? `${shown} of ${cards.length}` : "";
  };
  box.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
    if (event.key === "Escape") { box.value = ""; apply(); box.blur(); }
  });
  apply();
})();
