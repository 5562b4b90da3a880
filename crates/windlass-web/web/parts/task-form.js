// The form that changes a task. Only what was changed is sent.

import { html, useState } from "../lib/html.js";
import { api } from "../lib/api.js";
import { complain, say } from "../lib/toast.js";
import { Dialog } from "./dialog.js";

const LISTS = ["tags", "acceptance_criteria", "context_files"];

/** A field as the operation takes it. @param {string} name @param {string} text */
function sent(name, text) {
  if (name === "blocked_by") return text.split(/[\s,#]+/).filter(Boolean);
  return LISTS.includes(name) ? text.split("\n").map((line) => line.trim()).filter(Boolean) : text;
}

/** @param {{ task: any, close: () => void }} props */
export function TaskForm({ task, close }) {
  const [busy, setBusy] = useState(false);
  const before = /** @type {Record<string, string>} */ ({
    title: task.title, description: task.description ?? "", priority: task.priority, assignee: task.assignee ?? "", due_date: task.due_date ?? "",
    feature: task.feature ?? "", discipline: task.discipline ?? "", parent: task.parent ? String(task.parent.number) : "",
    tags: task.tags.join("\n"), acceptance_criteria: (task.acceptance_criteria ?? []).join("\n"), context_files: (task.context_files ?? []).join("\n"), hints: task.hints ?? "",
    // With more of them than the task shows, the list cannot be replaced as a whole.
    ...((task.blocked_by?.length ?? 0) === (task.blocked_by_total ?? 0) && { blocked_by: (task.blocked_by ?? []).map((/** @type {any} */ one) => `#${one.number}`).join(", ") }),
  });
  const input = (/** @type {(name: string) => string} */ value) => {
    /** @type {Record<string, any>} */
    const changes = {};
    for (const name of Object.keys(before)) {
      const text = value(name);
      if (text !== before[name]) changes[name] = sent(name, text);
    }
    return changes;
  };
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const changes = input((name) => String(form.get(name) ?? "").replaceAll("\r\n", "\n").trim());
    if (!Object.keys(changes).length) return close();
    const back = Object.fromEntries(Object.keys(changes).map((name) => [name, sent(name, before[name])]));
    setBusy(true);
    try {
      await api.board.update({ id: task.number, ...changes });
      say(`#${task.number} is changed`, () => api.board.update({ id: task.number, ...back }));
      close();
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  const field = (/** @type {string} */ name, /** @type {string} */ label, more = {}) => html`<label>${label} <input name=${name} value=${before[name]} ...${more} /></label>`;
  const area = (/** @type {string} */ name, /** @type {string} */ label, rows = 3) => html`<label>${label} <textarea name=${name} rows=${rows}>${before[name]}</textarea></label>`;
  return html`<${Dialog} title=${`Edit #${task.number}`} close=${close} wide>
    <form class="form" onSubmit=${submit}>
      ${field("title", "Title", { required: true })}
      ${area("description", "Description (Markdown)", 7)}
      <div class="row">
        <label>Priority <select name="priority">${["urgent", "high", "normal", "low"].map((word) => html`<option selected=${word === before.priority}>${word}</option>`)}</select></label>
        ${field("due_date", "Due", { type: "date" })} ${field("assignee", "Assignee")} ${field("parent", "Part of (number)")}
      </div>
      ${before.blocked_by !== undefined && field("blocked_by", "Waits for (numbers)")}
      <div class="row">${field("feature", "Feature")} ${field("discipline", "Discipline")}</div>
      ${area("acceptance_criteria", "Acceptance criteria, one a line")} ${area("hints", "Hints")} ${area("context_files", "Files to read first, one a line")} ${area("tags", "Tags, one a line", 2)}
      <div class="line"><button class="primary" disabled=${busy}>Save</button><button type="button" onClick=${close}>Cancel</button></div>
    </form>
  <//>`;
}
