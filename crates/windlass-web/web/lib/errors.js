// What can go wrong with a request, for the page and for its workers.

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
    this.hint = "It may have been stopped: run `windlass dashboard` in a terminal.";
  }
}
