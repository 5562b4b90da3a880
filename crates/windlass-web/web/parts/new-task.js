// The form for a new task.

import { html, useState } from "../lib/html.js";
import { api, mayWrite } from "../lib/api.js";
import { go, link } from "../lib/router.js";
import { complain, say } from "../lib/toast.js";
import { Dialog } from "./dialog.js";

/** @param {{ close: () => void }} props */
export function NewTask({ close }) {
  const [busy, setBusy] = useState(false);
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const text = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
    setBusy(true);
    try {
      const task = await api.board.create({
        title: text("title"),
        priority: text("priority"),
        status: text("status"),
        ...(text("description") && { description: text("description") }),
      });
      close();
      say(`Created #${task.number}`, () => api.entities.delete({ id: task.number }));
      go(link("task", task.number));
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  return html`<${Dialog} title="New task" close=${close}>
    ${mayWrite() ? html`<form class="form" onSubmit=${submit}>
      <label>Title <input name="title" required autofocus maxlength="500" /></label>
      <label>Description <textarea name="description" rows="5" placeholder="Markdown"></textarea></label>
      <div class="row">
        <label>Priority <select name="priority">${["normal", "urgent", "high", "low"].map((word) => html`<option>${word}</option>`)}</select></label>
        <label>Status <select name="status"><option value="pending">ready</option><option value="draft">draft</option></select></label>
      </div>
      <button class="primary" disabled=${busy}>Create task</button>
    </form>` : html`<p>Log in first: run <code>windlass dashboard</code> in a terminal.</p>`}
  <//>`;
}
