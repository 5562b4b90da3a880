// `structuredClone`, which the engine does not have. Called once in every engine, before the
// script, so that a script that changes the classes of the language changes nothing here.
(function () {
  "use strict";
  const { create, defineProperty, getPrototypeOf, keys, prototype: objectPrototype } = Object;
  const apply = Reflect.apply;
  const isArray = Array.isArray;
  const isView = ArrayBuffer.isView;
  const DateClass = Date;
  const MapClass = Map;
  const SetClass = Set;
  const RegExpClass = RegExp;
  const ErrorClass = Error;
  const DataViewClass = DataView;
  const BufferClass = ArrayBuffer;
  const PromiseClass = Promise;
  const getTime = Date.prototype.getTime;
  const { get: mapGet, set: mapSet, has: mapHas, forEach: mapForEach } = Map.prototype;
  const { add: setAdd, forEach: setForEach } = Set.prototype;
  const sliceBuffer = ArrayBuffer.prototype.slice;

  const refuse = (what) => {
    const error = new ErrorClass(`${what} cannot be cloned`);
    defineProperty(error, "name", { value: "DataCloneError", configurable: true });
    throw error;
  };

  return function structuredClone(value) {
    const known = new MapClass();
    const remember = (original, copy) => {
      apply(mapSet, known, [original, copy]);
      return copy;
    };
    const fields = (from, to) => {
      for (const key of keys(from)) to[key] = clone(from[key]);
      return to;
    };
    const clone = (original) => {
      if (typeof original === "function") refuse("A function");
      if (typeof original === "symbol") refuse("A symbol");
      if (typeof original !== "object" || original === null) return original;
      if (apply(mapHas, known, [original])) return apply(mapGet, known, [original]);
      if (isArray(original)) {
        const copy = remember(original, []);
        copy.length = original.length;
        return fields(original, copy);
      }
      if (original instanceof DateClass) return remember(original, new DateClass(apply(getTime, original, [])));
      if (original instanceof RegExpClass) return remember(original, new RegExpClass(original.source, original.flags));
      if (original instanceof BufferClass) return remember(original, apply(sliceBuffer, original, [0]));
      if (isView(original)) {
        const length = original instanceof DataViewClass ? original.byteLength : original.length;
        const Class = original.constructor;
        return remember(original, new Class(clone(original.buffer), original.byteOffset, length));
      }
      if (original instanceof MapClass) {
        const copy = remember(original, new MapClass());
        apply(mapForEach, original, [(item, key) => apply(mapSet, copy, [clone(key), clone(item)])]);
        return copy;
      }
      if (original instanceof SetClass) {
        const copy = remember(original, new SetClass());
        apply(setForEach, original, [(item) => apply(setAdd, copy, [clone(item)])]);
        return copy;
      }
      if (original instanceof ErrorClass) {
        const copy = remember(original, create(getPrototypeOf(original)));
        for (const name of ["message", "stack", "cause"]) {
          if (original[name] === undefined) continue;
          defineProperty(copy, name, { value: clone(original[name]), writable: true, configurable: true });
        }
        return copy;
      }
      if (original instanceof PromiseClass) refuse("A promise (put await before the call)");
      return fields(original, remember(original, create(objectPrototype)));
    };
    return clone(value);
  };
})
