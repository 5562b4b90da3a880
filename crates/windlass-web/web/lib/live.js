// What changes, as it changes: one stream of server-sent events for the whole page.
//
// It is read with fetch and not with EventSource, because that cannot send the token. After a break (the
// server restarted, the laptop slept) it asks for everything since the last event that it has seen.

import { signal } from "./html.js";
import { credentials, me, whoAmI } from "./api.js";

/** "connecting", "live" or "gone". */
export const connection = signal("connecting");

/** @typedef {{ seq: number, kind: string, at: string, actor: string, session: string, entity?: string, entity_type?: string, payload?: any }} Change */
/** @typedef {{ events: Change[], all: boolean, touched: boolean }} News */

/** @type {Set<(news: News) => void>} */
const listeners = new Set();
let last = -1;
let running = false;

/** Heartbeats come every 15 seconds; a stream that is silent for longer is dead. */
const SILENCE = 40_000;

/** @param {(news: News) => void} listener */
export function onNews(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** @param {News} news */
const tell = (news) => listeners.forEach((listener) => listener(news));

/** Tries again what failed while the server is there; when it comes back, everything is read again anyway. @param {any} error @param {() => void} again */
export function retry(error, again) {
  if (error?.status && error.status < 500) return;
  setTimeout(() => connection.value === "live" && again(), 1500);
}

export function startLive() {
  if (running) return;
  running = true;
  if (last < 0) last = me.value?.last_event ?? 0;
  void keepReading();
}

async function keepReading() {
  let failures = 0;
  for (;;) {
    const begun = Date.now();
    try {
      await readOnce();
    } catch {
      // Whatever ended it, it is begun again below.
    }
    connection.value = "gone";
    failures = Date.now() - begun > 5000 ? 0 : failures + 1;
    await new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** failures, 5000)));
    try {
      const before = me.value?.server;
      const now = await whoAmI();
      // Another server may serve another project's history.
      if (before && before !== now.server) {
        last = Math.min(last, now.last_event ?? 0);
        tell({ events: [], all: true, touched: true });
      }
    } catch {
      // Still gone.
    }
  }
}

async function readOnce() {
  const stop = new AbortController();
  let heard = Date.now();
  const watch = setInterval(() => Date.now() - heard > SILENCE && stop.abort(), 5000);
  try {
    const headers = { ...credentials(), "last-event-id": String(last) };
    const response = await fetch("/api/events", { headers, signal: stop.signal });
    if (!response.ok || !response.body) throw new Error("no stream");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard = Date.now();
      text += value;
      const end = text.lastIndexOf("\n\n");
      if (end < 0) continue;
      receive(text.slice(0, end));
      text = text.slice(end + 2);
    }
  } finally {
    clearInterval(watch);
  }
}

/** @param {string} text */
function receive(text) {
  /** @type {News} */
  const news = { events: [], all: false, touched: false };
  for (const block of text.split("\n\n")) {
    let kind = "message";
    let data = "";
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) last = Number(line.slice(4));
      else if (line.startsWith("event: ")) kind = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
    }
    if (kind === "hello") {
      const back = connection.value === "gone";
      connection.value = "live";
      news.all ||= back;
    } else if (kind === "reset") news.all = true;
    else if (kind === "touch") news.touched = true;
    else if (kind === "message" && data) news.events.push(JSON.parse(data));
  }
  if (news.all || news.touched || news.events.length) tell(news);
}

/**
 * Follows an output: `listener` is called each time there is more.
 * @param {string} place joblog/PID or runlog/RUN/STEP @param {() => void} listener
 */
export function followOutput(place, listener) {
  const stop = new AbortController();
  void (async () => {
    const headers = { ...credentials(), "x-windlass-output": `windlass://${place}` };
    const response = await fetch("/api/events", { headers, signal: stop.signal });
    if (!response.body) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      if (value.includes("event: output") || value.includes("data: {\"")) listener();
    }
  })().catch(() => {});
  return () => stop.abort();
}
