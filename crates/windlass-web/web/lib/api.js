// The data client: every operation of Windlass as a typed method, `api.board.list({…})`.
//
// The types are those of docs/sdk.d.ts, which is generated from the list of operations; the server finds
// the operation by the same name. So there is nothing here to keep up to date.

import { CallError, GoneError } from "./errors.js";
import { signal } from "./html.js";

const TOKEN = "windlass-token";

/** Who is logged in, and what this server is. @type {import("./html.js").Signal<Me | null>} */
export const me = signal(null);

/** Whether the server is read-only, or nobody is logged in: nothing can be changed. */
export const mayWrite = () => Boolean(me.value?.person) && !me.value?.read_only;

/** @returns {Record<string, string>} */
export function credentials() {
  const token = localStorage.getItem(TOKEN);
  return token ? { "x-windlass-token": token } : {};
}

/** A request as the person who is logged in. @param {string} path @param {RequestInit} [options] */
export async function send(path, options = {}) {
  try {
    return await fetch(path, { ...options, headers: { ...credentials(), ...options.headers } });
  } catch (problem) {
    if (/** @type {Error} */ (problem).name === "AbortError") throw problem;
    throw new GoneError();
  }
}

/** @param {number} status @param {any} body */
function refusal(status, body) {
  if (status === 401 && me.value?.person) void whoAmI().catch(() => {});
  return new CallError(status, body.error ?? body);
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} */
async function request(path, options = {}) {
  const response = await send(path, options);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw refusal(response.status, body);
  return body;
}

/** @param {unknown} body @param {AbortSignal} [abort] @returns {RequestInit} */
const posted = (body, abort) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal: abort });

/** @param {string} path @param {unknown} body @param {AbortSignal} [abort] */
const post = (path, body, abort) => request(path, posted(body, abort));

/** Calls an operation by the name of its method. @param {string} name @param {unknown} [input] @param {AbortSignal} [abort] */
export const call = (name, input = {}, abort = undefined) => post(`/api/call/${name}`, input, abort);

/** @typedef {{ name: string, input: unknown, done: (answer: any) => void, failed: (error: unknown) => void }} Reading */
/** @type {Reading[]} */
let readings = [];

/** As many as the server takes in one request. */
const TOGETHER = 32;

/**
 * Calls an operation that changes nothing. All that is read at one moment is one request: a change is read by all
 * columns of the board at once, and requests are what takes the time.
 * @param {string} name @param {unknown} [input] @returns {Promise<any>}
 */
export function read(name, input = {}) {
  return new Promise((done, failed) => {
    if (!readings.length) queueMicrotask(readNow);
    readings.push({ name, input, done, failed });
  });
}

function readNow() {
  const all = readings;
  readings = [];
  for (let from = 0; from < all.length; from += TOGETHER) {
    const some = all.slice(from, from + TOGETHER);
    if (some.length === 1) call(some[0].name, some[0].input).then(some[0].done, some[0].failed);
    else void readTogether(some).catch((error) => some.forEach(({ failed }) => failed(error)));
  }
}

/** Each answer is a line, which comes as soon as the server has it. @param {Reading[]} some */
async function readTogether(some) {
  const response = await send("/api/calls", posted(some.map(({ name, input }) => ({ name, input }))));
  if (!response.ok || !response.body) throw refusal(response.status, await response.json().catch(() => ({})));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: "", done: true }));
    if (done) break;
    const lines = (text + value).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { index, status, body } = JSON.parse(line);
      if (status === 200) some[index].done(body);
      else some[index].failed(refusal(status, body));
    }
  }
  // Whoever has an answer keeps it.
  throw new GoneError();
}

/** @returns {Promise<Me>} */
export async function whoAmI() {
  const answer = await request("/api/me");
  me.value = answer;
  return answer;
}

/** Exchanges the one-time code of the link. @param {string} code */
export async function logIn(code) {
  const answer = await post("/api/login", { code });
  localStorage.setItem(TOKEN, answer.token);
}

export async function logOut() {
  await post("/api/logout", {});
  localStorage.removeItem(TOKEN);
  await whoAmI();
}

/** @param {string} namespace */
const methods = (namespace) =>
  new Proxy({}, { get: (_, name) => (/** @type {unknown} */ input) => call(`${namespace}.${String(name)}`, input ?? {}) });

/** All operations: `api.tasks.start({ id: 3 })`. @type {Operations} */
export const api = /** @type {any} */ (new Proxy({}, { get: (_, namespace) => methods(String(namespace)) }));
