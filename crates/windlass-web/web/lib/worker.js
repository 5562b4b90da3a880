// The worker of the layout. The policy of the page lets no text become the address of a script, but for
// the one address here.

const ADDRESS = new URL("./layout-worker.js", import.meta.url).href;

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("windlass-worker", {
  createScriptURL: (/** @type {string} */ address) => {
    if (address !== ADDRESS) throw new TypeError("not a script of the dashboard");
    return address;
  },
});

/** @typedef {import("./layout.js").Picture & { critical: number[], final: boolean }} Laid */

/** A draft is shown only if the better picture takes longer than this. */
const PATIENCE = 250;

/** @type {Worker | null} */
let worker = null;
let last = 0;
/** @type {(laid: Laid | null) => void} */
let show = () => {};
let timer = 0;

function start() {
  const made = new Worker(policy?.createScriptURL(ADDRESS) ?? ADDRESS, { type: "module" });
  made.addEventListener("message", ({ data }) => {
    if (data.id !== last) return;
    clearTimeout(timer);
    if (data.final) show(data);
    else timer = setTimeout(() => show(data), PATIENCE);
  });
  made.addEventListener("error", () => {
    worker = null;
    show(null);
  });
  return made;
}

/**
 * Lays out a graph; `then` is called with a picture, perhaps again with a better one, or with null if that failed.
 * @param {number[]} numbers @param {import("./layout.js").Edge[]} edges @param {number[]} open @param {(laid: Laid | null) => void} then
 */
export function layOut(numbers, edges, open, then) {
  // A layout that nobody waits for any more is not finished.
  if (worker && show !== idle) {
    worker.terminate();
    worker = null;
  }
  worker ??= start();
  const id = ++last;
  clearTimeout(timer);
  show = (laid) => {
    if (laid?.final !== false) show = idle;
    then(laid);
  };
  worker.postMessage({ id, numbers, edges, open });
  return () => {
    if (id === last) last++;
  };
}

const idle = () => {};
show = idle;
