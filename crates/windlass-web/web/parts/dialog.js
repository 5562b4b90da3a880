// A dialog over the page. The browser keeps the focus inside and closes it with Escape.

import { html, useEffect, useRef } from "../lib/html.js";

/** @param {{ title: string, close: () => void, children?: any, wide?: boolean }} props */
export function Dialog({ title, close, children, wide }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return html`<dialog ref=${element} class=${wide ? "wide" : ""} aria-label=${title} onClose=${close}
      onClick=${(/** @type {MouseEvent} */ event) => event.target === element.current && close()}>
    <div class="dialog-body">
      <header><h2>${title}</h2><button class="quiet" aria-label="Close" onClick=${close}>✕</button></header>
      ${children}
    </div>
  </dialog>`;
}
