// The environment of a script. Runs once in every engine, before the script. `native` contains the
// functions of the worker; `namespaces` are the names of all objects with methods;
// `makeStructuredClone` and `makeListAnswers` are the files beside this one.
(function (native, namespaces, makeStructuredClone, makeListAnswers) {
  "use strict";
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze, getOwnPropertyDescriptor: describeProperty, getPrototypeOf, keys } = Object;
  const PromiseClass = Promise;
  const nativeThen = Promise.prototype.then;
  const isArray = Array.isArray;
  const wellFormed = String.prototype.toWellFormed;
  const apply = Reflect.apply;
  const global = globalThis;
  const ProxyClass = Proxy;
  const setHas = Set.prototype.has;

  const define = (object, name, value, enumerable) =>
    defineProperty(object, name, { value, enumerable, writable: false, configurable: false });

  // Errors of the SDK. Their name is `Error`, because scripts know no other class.
  class SdkError extends Error {}
  const fill = (error, { code, tag, message, hint }) => {
    define(error, "message", message, false);
    define(error, "code", code, true);
    define(error, "tag", tag, true);
    define(error, "hint", hint, true);
    return error;
  };
  const misuse = (message, hint) =>
    fill(new SdkError(), { code: "invalid_params", tag: "invalid_params", message, hint });

  const listAnswer = makeListAnswers(misuse);

  // Calls without a result yet, and timers that are not due.
  const calls = create(null);
  const timers = create(null);
  // Calls whose promise nothing has looked at, by number, and names that a namespace does not have.
  const unattended = create(null);
  const unknownReads = [];
  const MOST_READS = 50;
  let promises = 0;

  // The promise of a call. `await`, `Promise.all`, `return` and the rest all read `then`, because
  // its `constructor` is not `Promise`; so a forgotten `await` can be noticed.
  class CallPromise extends PromiseClass {
    #number;
    constructor(number, executor) {
      super(executor);
      this.#number = number;
    }
    get then() {
      if (#number in this) delete unattended[this.#number];
      return nativeThen;
    }
  }
  // Promises made from one are ordinary promises.
  define(CallPromise.prototype, "constructor", undefined, false);
  freeze(CallPromise.prototype);

  const isPlain = (value) => typeof value === "object" && value !== null && !isArray(value);

  // A single object is passed unchanged; other arguments get the names of the table, and an object
  // after them adds more fields.
  const argumentsOf = (method, given) => {
    if (given.length === 0) return {};
    if (given.length === 1 && (isPlain(given[0]) || given[0] === undefined)) return given[0] ?? {};
    const last = given[given.length - 1];
    const named = {};
    let count = given.length;
    if (count > 1 && isPlain(last)) {
      for (const key of keys(last)) named[key] = last[key];
      count -= 1;
    }
    const names = method.positional;
    if (count > names.length) {
      const takes = names.length === 0 ? "one object" : `${names.join(", ")}, or one object`;
      throw misuse(`${method.shown} takes ${takes}`);
    }
    for (let index = 0; index < count; index += 1) named[names[index]] = given[index];
    return named;
  };

  const call = (index, method, given) => {
    // Created here and not when the result arrives, so that its stack contains the line of the
    // script.
    const error = new SdkError();
    const number = promises++;
    const attention = { method: method.shown, stack: error.stack, failed: undefined };
    unattended[number] = attention;
    return new CallPromise(number, (resolve, reject) => {
      try {
        const text = stringify(argumentsOf(method, given));
        if (typeof text !== "string") throw misuse(`${method.shown} takes only values that JSON can represent`);
        if (text.length > native.longest) throw misuse(`The arguments of ${method.shown} are too long`);
        calls[native.call(index, text)] = { resolve, reject, error, attention };
      } catch (problem) {
        attention.failed = `${problem?.message}`;
        throw problem;
      }
    });
  };

  // Reading an unknown name gives `undefined`, so that `typeof tasks.x` and `tasks.x?.()` work. What
  // was read is kept: calling it is an error of the engine that does not say what was meant.
  // JavaScript itself looks up some names on many occasions.
  const builtinNames = new Set(["then", "toJSON", "constructor", "valueOf", "toString", "inspect"]);
  const isBuiltin = (name) => apply(setHas, builtinNames, [name]);
  const handlerOf = (namespace) =>
    freeze({
      get: (methods, name) => {
        const method = methods[name];
        if (method === undefined && typeof name === "string" && !isBuiltin(name) && unknownReads.length < MOST_READS) {
          const near = native.nearest(namespace, name);
          unknownReads[unknownReads.length] = {
            name,
            stack: new SdkError().stack,
            message: `${namespace} has no method ${name}`,
            hint: near === undefined ? `It has ${keys(methods).join(", ")}.` : `Did you mean ${near}?`,
          };
        }
        return method;
      },
    });

  // Most scripts use few namespaces, so each is created on first use.
  const created = create(null);
  const make = (namespace) => {
    const methods = create(null);
    for (const method of parse(native.table(namespace))) {
      method.shown = `${namespace}.${method.camel}`;
      const bound = { [method.camel]: (...given) => call(method.index, method, given) }[method.camel];
      freeze(bound);
      define(methods, method.camel, bound, true);
      if (method.snake !== method.camel) define(methods, method.snake, bound, false);
    }
    return new ProxyClass(freeze(methods), handlerOf(namespace));
  };
  for (const namespace of namespaces) {
    const get = () => (created[namespace] ??= make(namespace));
    defineProperty(global, namespace, { get, enumerable: true, configurable: false });
  }

  // How a value is shown in the log.
  const show = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return String(value.stack ? `${value.name}: ${value.message}\n${value.stack}` : value).trimEnd();
    if (value instanceof PromiseClass) return "[a promise: put await before it]";
    if (typeof value === "object" && value !== null) {
      try {
        const text = stringify(value, (_, inner) => (typeof inner === "bigint" ? `${inner}n` : inner));
        if (typeof text === "string") return text;
      } catch {
        return "[an object that JSON cannot represent]";
      }
    }
    return typeof value === "bigint" ? `${value}n` : String(value);
  };
  const console = {};
  ["debug", "log", "info", "warn", "error"].forEach((name, level) => {
    define(console, name, (...values) => native.log(level, apply(wellFormed, values.map(show).join(" "), [])), true);
  });
  define(global, "console", freeze(console), false);

  define(global, "setTimeout", (callback, milliseconds, ...given) => {
    if (typeof callback !== "function") throw new TypeError("setTimeout takes a function");
    const timer = native.setTimer(Number(milliseconds) || 0);
    if (timer === undefined) throw new RangeError("The script ends before this timer is due");
    timers[timer] = () => callback(...given);
    return timer;
  }, false);
  define(global, "clearTimeout", (timer) => {
    if (typeof timer !== "number" || timers[timer] === undefined) return;
    delete timers[timer];
    native.clearTimer(timer);
  }, false);

  // Code must not be created from strings in any way.
  const functions = [function () {}, function* () {}, async function () {}, async function* () {}];
  for (const each of functions) define(getPrototypeOf(each), "constructor", undefined, false);
  for (const name of ["eval", "Function", "Proxy", "SharedArrayBuffer", "Atomics"]) delete global[name];
  define(global, "structuredClone", makeStructuredClone(), false);
  // The first use of the clock reads files, so it happens before the jail is closed.
  new Date().getTimezoneOffset();

  return {
    settle: (number, ok, text) => {
      const waiting = calls[number];
      if (waiting === undefined) return;
      delete calls[number];
      if (ok) {
        waiting.resolve(listAnswer(waiting.attention.method, parse(text)));
        return;
      }
      const error = fill(waiting.error, parse(text));
      waiting.attention.failed = error.message;
      waiting.reject(error);
    },
    fire: (timer) => {
      const callback = timers[timer];
      delete timers[timer];
      // Runs as a job, so that an exception in it affects nothing else.
      if (callback !== undefined) new PromiseClass((resolve) => resolve()).then(callback);
    },
    explain: (reason) => {
      if (!(reason instanceof Error)) return stringify({ message: `Thrown: ${show(reason)}` });
      const text = (value) => (value === undefined || value === null ? undefined : apply(wellFormed, String(value), []));
      const { name, message, stack, code, tag, hint } = reason;
      const sdk = reason instanceof SdkError;
      return stringify({
        sdk,
        name: text(name),
        message: text(message),
        stack: text(stack),
        code: sdk ? text(code) : undefined,
        tag: sdk ? text(tag) : undefined,
        hint: sdk ? text(hint) : undefined,
      });
    },
    // What a script probably did by mistake. `value` is its value, if it has one.
    mistakes: (value) => {
      const forgotten = [];
      const promised = [];
      for (const number of keys(unattended)) forgotten[forgotten.length] = unattended[number];
      if (typeof value === "object" && value !== null) {
        for (const key of keys(value)) {
          const { value: inner } = describeProperty(value, key) ?? {};
          if (inner instanceof PromiseClass) promised[promised.length] = key;
        }
      }
      return stringify({ forgotten, unknownReads, promised, isList: isArray(value) });
    },
  };
})
