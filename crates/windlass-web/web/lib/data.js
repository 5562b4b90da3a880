// What a page shows: the answer of a call, kept up to date by what changes.
//
// Two parts of the page that ask the same share one answer.

import { useEffect, useState } from "./html.js";
import { read } from "./api.js";
import { onNews, retry } from "./live.js";

/** `users`: what redraws whoever shows it, and whether they can wait a little. @typedef {{ data: any, error: any, users: Map<() => void, boolean>, on: Set<string> | null, touch: boolean, busy: boolean, dirty: boolean, fetch: () => Promise<void> }} Answer */

/** The answers, the last used at the end. Some are kept after nobody shows them, so that a page that is opened again has something at once. @type {Map<string, Answer>} */
const answers = new Map();
const KEPT = 60;

/** @param {string} name @param {any} input @param {string} key @returns {Answer} */
function answerOf(name, input, key) {
  const known = answers.get(key);
  if (known) {
    answers.delete(key);
    answers.set(key, known);
    return known;
  }
  /** @type {Answer} */
  const made = {
    data: undefined, error: null, users: new Map(), on: new Set(), touch: false, busy: false, dirty: false,
    async fetch() {
      if (made.busy) return void (made.dirty = true);
      made.busy = true;
      do {
        made.dirty = false;
        try {
          made.data = await read(name, input);
          made.error = null;
        } catch (error) {
          made.error = error;
          retry(error, () => made.users.size && void made.fetch());
        }
        for (const redraw of made.users.keys()) redraw();
      } while (made.dirty && made.users.size);
      made.busy = false;
    },
  };
  answers.set(key, made);
  for (const [old, answer] of answers) {
    if (answers.size <= KEPT) break;
    if (!answer.users.size) answers.delete(old);
  }
  return made;
}

/** How long what can wait waits, so that it keeps nothing waiting that one looks at. */
const PATIENCE = 400;
/** @type {Set<Answer>} */
const patient = new Set();
let timer = 0;

/** Reads again what can wait, all at once and not with each of many changes. */
function readPatient() {
  timer = 0;
  const all = [...patient];
  patient.clear();
  for (const answer of all) if (answer.users.size) void answer.fetch();
}

onNews((news) => {
  for (const answer of answers.values()) {
    if (!answer.users.size) continue;
    const { on } = answer;
    const concerns = news.all || (answer.touch && news.touched) ||
      news.events.some((event) => !on || [...on].some((prefix) => event.kind.startsWith(prefix)));
    if (!concerns) continue;
    if ([...answer.users.values()].includes(false)) void answer.fetch();
    else {
      patient.add(answer);
      timer ||= setTimeout(readPatient, PATIENCE);
    }
  }
});

/** Calls an operation again wherever its answer is shown: for changes that the history does not have. @param {string} name */
export function readAgain(name) {
  for (const [key, answer] of answers) if (answer.users.size && key.startsWith(`${name} `)) void answer.fetch();
}

/**
 * Calls an operation, and again when something happens that may change its answer.
 * `on` names the beginnings of the kinds of events that matter, all if absent; `touch` also counts commits without one.
 * `later`: what is shown beside the page, and may come a moment after it.
 * While it is called again, the last answer stays.
 * @template {string | null} K
 * @param {K} name @param {any} input
 * @param {{ on?: string[], touch?: boolean, later?: boolean }} [options]
 * @returns {{ data: AnswerOf<K> | undefined, error: any, loading: boolean, again: () => void }}
 */
export function useCall(name, input = {}, { on = undefined, touch = false, later = false } = {}) {
  const key = name ? `${name} ${JSON.stringify(input)}` : "";
  const answer = name ? answerOf(name, input, key) : null;
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!answer) return;
    const user = () => redraw((count) => count + 1);
    answer.users.set(user, later);
    answer.touch ||= touch;
    if (!on) answer.on = null;
    else on.forEach((prefix) => answer.on?.add(prefix));
    // What somebody else shows is up to date already.
    if (answer.users.size === 1 || answer.error) void answer.fetch();
    return () => void answer.users.delete(user);
  }, [key]);
  return {
    data: answer?.data,
    error: answer?.error,
    loading: Boolean(answer) && answer?.data === undefined && !answer?.error,
    again: () => void answer?.fetch(),
  };
}
