// The data client: every operation of Windlass as a typed method, `api.board.list({…})`.
//
// The types are those of docs/sdk.d.ts, which is generated from the list of operations; the server finds
// the operation by the same name. So there is nothing here to keep up to date.

import { signal } from "./html.js";

const TOKEN = "windlass-token";

/** Who is logged in, and what this server is. @type {import("./html.js").Signal<Me | null>} */
export const me = signal(null);

/** Whether the server is read-only, or nobody is logged in: nothing can be changed. */
export const mayWrite = () => Boolean(me.value?.person) && !me.value?.read_only;

/** An operation that failed: what went wrong, and what to do about it. */
export class CallError extends Error {
  /** @param {number} status @param {{error_type?: string, message?: string, hint?: string}} body */
  constructor(status, body) {
    super(body.message || `The server answered ${status}`);
    this.status = status;
    this.type = body.error_type || "Unknown";
    this.hint = body.hint || "";
  }
}

/** The server cannot be reached. */
export class GoneError extends Error {
  constructor() {
    super("The server cannot be reached");
    this.hint = "It may have been stopped: run windlass dashboard in a terminal.";
  }
}

/** @returns {Record<string, string>} */
export function credentials() {
  const token = localStorage.getItem(TOKEN);
  return token ? { "x-windlass-token": token } : {};
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} */
async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...credentials(), ...options.headers } });
  } catch (problem) {
    if (/** @type {Error} */ (problem).name === "AbortError") throw problem;
    throw new GoneError();
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    if (response.status === 401 && me.value?.person) void whoAmI().catch(() => {});
    throw new CallError(response.status, body.error ?? body);
  }
  return body;
}

/** @param {string} path @param {unknown} body @param {AbortSignal} [abort] */
function post(path, body, abort) {
  const headers = { "content-type": "application/json" };
  return request(path, { method: "POST", headers, body: JSON.stringify(body), signal: abort });
}

/** Calls an operation by the name of its method. @param {string} name @param {unknown} [input] @param {AbortSignal} [abort] */
export const call = (name, input = {}, abort = undefined) => post(`/api/call/${name}`, input, abort);

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
