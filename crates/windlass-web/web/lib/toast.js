// Short messages at the edge of the page: what was done, with a way to undo it, or why it failed.

import { html, signal } from "./html.js";
import { inline } from "./markdown.js";

/** @typedef {{ id: number, text: string, hint?: string, bad?: boolean, undo?: () => Promise<unknown> }} Toast */
/** @type {import("./html.js").Signal<Toast[]>} */
const toasts = signal([]);
let next = 1;

/** @param {number} id */
const dismiss = (id) => (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/** @param {Omit<Toast, "id">} toast */
function show(toast) {
  const id = next++;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  setTimeout(() => dismiss(id), toast.bad ? 12_000 : 8_000);
}

/** @param {string} text @param {() => Promise<unknown>} [undo] */
export const say = (text, undo) => show({ text, undo });

/** @param {any} error */
export const complain = (error) => show({ text: error?.message ?? String(error), hint: error?.hint, bad: true });

/**
 * Does something and says so. Returns whether it worked; what failed is shown, never hidden.
 * @param {() => Promise<unknown>} work @param {string} done @param {() => Promise<unknown>} [undo]
 */
export async function attempt(work, done, undo) {
  try {
    await work();
    say(done, undo);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.value.map((toast) => html`<div class=${"toast" + (toast.bad ? " bad" : "")} key=${toast.id} role=${toast.bad ? "alert" : undefined}>
      <div><div>${toast.text}</div>${toast.hint && html`<div class="hint">${inline(toast.hint)}</div>`}</div>
      ${toast.undo && html`<button onClick=${() => {
        dismiss(toast.id);
        void attempt(/** @type {any} */ (toast.undo), "Undone");
      }}>Undo</button>`}
      <button class="quiet" aria-label="Dismiss" onClick=${() => dismiss(toast.id)}>✕</button>
    </div>`)}
  </div>`;
}
