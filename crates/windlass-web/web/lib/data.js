// What a page shows: the answer of a call, kept up to date by what changes.

import { useEffect, useRef, useState } from "./html.js";
import { call } from "./api.js";
import { onNews } from "./live.js";

/** The last answers, so that a page that is opened again shows something at once. @type {Map<string, any>} */
const known = new Map();
const MOST = 60;

/** @param {string} key @param {any} data */
function remember(key, data) {
  known.delete(key);
  known.set(key, data);
  if (known.size > MOST) known.delete(/** @type {string} */ (known.keys().next().value));
}

/**
 * Calls an operation, and again when something happens that may change its answer.
 * `on` names the beginnings of the kinds of events that matter; `touch` also counts commits without one.
 * While it is called again, the last answer stays.
 * @template T
 * @param {string | null} name @param {any} input
 * @param {{ on?: string[], touch?: boolean }} [options]
 * @returns {{ data: T | undefined, error: any, loading: boolean, again: () => void, patch: (data: T) => void }}
 */
export function useCall(name, input = {}, { on = undefined, touch = false } = {}) {
  const key = name ? `${name} ${JSON.stringify(input)}` : "";
  const [state, setState] = useState({ key: "", data: /** @type {any} */ (undefined), error: /** @type {any} */ (null) });
  const again = useRef(() => {});
  useEffect(() => {
    if (!name) return;
    const stop = new AbortController();
    let busy = false;
    let dirty = false;
    const fetchIt = async () => {
      if (busy) return void (dirty = true);
      busy = true;
      try {
        do {
          dirty = false;
          const data = await call(name, input, stop.signal);
          if (stop.signal.aborted) return;
          remember(key, data);
          setState({ key, data, error: null });
        } while (dirty);
      } catch (error) {
        if (!stop.signal.aborted) setState((old) => ({ key, data: old.key === key ? old.data : known.get(key), error }));
      } finally {
        busy = false;
      }
    };
    again.current = () => void fetchIt();
    void fetchIt();
    const off = onNews((news) => {
      const concerns = news.all || (touch && news.touched) ||
        news.events.some((event) => !on || on.some((prefix) => event.kind.startsWith(prefix)));
      if (concerns) void fetchIt();
    });
    return () => {
      off();
      stop.abort();
    };
  }, [key]);
  const mine = state.key === key;
  const data = mine ? state.data : known.get(key);
  const error = mine ? state.error : null;
  return {
    data,
    error,
    loading: data === undefined && !error,
    again: () => again.current(),
    patch: (next) => {
      remember(key, next);
      setState({ key, data: next, error: null });
    },
  };
}
