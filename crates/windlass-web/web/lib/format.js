// Times, sizes and numbers as people read them.

import { signal } from "./html.js";

/** Ticks twice a minute, so that "3 minutes ago" stays true. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 30_000);

/** @param {string | number | undefined} time an ISO time, or seconds since 1970 */
const millis = (time) => (typeof time === "number" ? time * 1000 : Date.parse(time ?? ""));

/** @param {string | number | undefined} time */
export function ago(time) {
  const at = millis(time);
  if (Number.isNaN(at)) return "";
  const seconds = Math.round((Math.max(now.value, Date.now()) - at) / 1000);
  if (seconds < 45) return "just now";
  for (const [unit, size] of /** @type {[string, number][]} */ ([["min", 60], ["h", 3600], ["d", 86400]])) {
    const count = Math.round(seconds / size);
    if (count < (unit === "min" ? 60 : unit === "h" ? 24 : 14)) return `${count} ${unit} ago`;
  }
  return new Date(at).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

/** Made when it is needed first: that takes 20 ms. @type {Intl.DateTimeFormat | undefined} */
let times;

/** @param {string | number | undefined} time */
export function exact(time) {
  const at = millis(time);
  if (Number.isNaN(at)) return "";
  times ??= new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
  return times.format(at);
}

/** @param {number | undefined} ms */
export function duration(ms) {
  if (ms === undefined || ms === null) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** 12,345. `toLocaleString` would do that too, but takes 20 ms to begin with. @param {number} count */
export const number = (count) => String(count ?? 0).replace(/\B(?=(\d{3})+$)/g, ",");

/** @param {number | undefined} bytes */
export function size(bytes) {
  if (bytes === undefined) return "";
  return bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export const plural = (count, one, many = one + "s") => `${number(count)} ${count === 1 ? one : many}`;

/** A status as words. @param {string | undefined} word */
export const words = (word) => (word ?? "").replaceAll("_", " ");
