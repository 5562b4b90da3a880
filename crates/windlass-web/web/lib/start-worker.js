// The workers of the graph. The policy of the page lets no text become the address of a script, but for the two here.

const ADDRESSES = {
  layout: new URL("./layout-worker.js", import.meta.url).href,
  elk: new URL("../vendor/elk-worker.js", import.meta.url).href,
};

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("windlass-worker", {
  createScriptURL: (/** @type {string} */ address) => {
    if (!Object.values(ADDRESSES).includes(address)) throw new TypeError("not a script of the dashboard");
    return address;
  },
});

/** @param {keyof typeof ADDRESSES} name @param {WorkerOptions} [options] */
export const startWorker = (name, options) => new Worker(policy?.createScriptURL(ADDRESSES[name]) ?? ADDRESSES[name], options);
