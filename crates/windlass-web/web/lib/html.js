// The view library in one place: components import everything from here.

import { h, render, Fragment, Component } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback } from "../vendor/preact-hooks.js";
export { signal, computed, effect, batch } from "../vendor/signals.js";
/** @template T @typedef {import("../vendor/signals.js").Signal<T>} Signal */
export { h, render, Fragment, Component };

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);
