// Results that are an object with a list in it. Scripts often treat them as the list itself:
// `(await tasks.list()).map(...)`. What only lists have is an error here that names the property
// which contains the list.
(function (misuse) {
  "use strict";
  const { create, defineProperty, keys, prototype: objectPrototype, setPrototypeOf } = Object;
  const isArray = Array.isArray;
  const ofLists = ["length", Symbol.iterator];
  for (const name of ["at", "concat", "entries", "every", "filter", "find", "findIndex", "findLast", "flat", "flatMap",
    "forEach", "includes", "indexOf", "join", "map", "pop", "push", "reduce", "reverse", "shift", "slice", "some",
    "sort", "splice", "toReversed", "toSorted", "unshift", "values", "with"]) {
    ofLists.push(name);
  }

  const listsOf = (answer) => {
    const lists = [];
    for (const key of keys(answer)) if (isArray(answer[key])) lists[lists.length] = key;
    return lists;
  };

  const explain = (shown, answer, name) => {
    const lists = listsOf(answer);
    const use = (list) => {
      const whole = `(await ${shown}(...)).${list}`;
      if (typeof name === "symbol") return `for (const item of ${whole})`;
      return name === "length" ? `${whole}.length` : `${whole}.${name}(...)`;
    };
    if (lists.length === 1) {
      return misuse(`${shown}() returns an object; the list is in .${lists[0]}: ${use(lists[0])}`);
    }
    return misuse(`${shown}() returns an object; its lists are in .${lists.join(", .")}, for example ${use(lists[0])}`);
  };

  const prototypes = create(null);
  const prototypeFor = (shown) => {
    if (prototypes[shown] !== undefined) return prototypes[shown];
    const prototype = create(objectPrototype);
    for (const name of ofLists) {
      defineProperty(prototype, name, {
        get() {
          // A script that removed the list treats the rest as a plain object.
          if (listsOf(this).length === 0) return undefined;
          throw explain(shown, this, name);
        },
        set(value) {
          defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
        },
      });
    }
    return (prototypes[shown] = prototype);
  };

  // Properties of the answer itself come first, so an answer with a property `values` keeps it.
  return (shown, answer) => {
    if (typeof answer !== "object" || answer === null || isArray(answer)) return answer;
    return listsOf(answer).length === 0 ? answer : setPrototypeOf(answer, prototypeFor(shown));
  };
})
