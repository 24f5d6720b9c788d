// Values that nobody should pass, and that somebody will.

/** Throws at whatever is done with it. */
export function hostile() {
  const fail = () => {
    throw new Error("on purpose");
  };
  const traps = ["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor", "set", "apply", "construct"];
  return new Proxy(function () {}, Object.fromEntries(traps.map((trap) => [trap, fail])));
}

/** A proxy that was revoked: not even `instanceof` and `Array.isArray()` can be asked. */
export function revoked(target = {}) {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** An object whose property cannot be read. */
export function unreadable(name, rest = {}) {
  return Object.defineProperty({ ...rest }, name, {
    enumerable: true,
    get() {
      throw new Error("on purpose");
    },
  });
}

/** A value that cannot be converted to a string. */
export const speechless = () => ({
  toString() {
    throw new Error("on purpose");
  },
});

/** An object that is inside of itself. */
export function cyclic() {
  const object = { name: "cycle" };
  object.self = object;
  return object;
}

export const noString = {
  number: 7,
  NaN,
  null: null,
  true: true,
  symbol: Symbol("odd"),
  bigint: 7n,
  object: {},
  array: ["x"],
  function: () => "x",
  bare: Object.create(null),
  hostile: hostile(),
  revoked: revoked(),
};
export const noNumber = {
  text: "7",
  NaN,
  infinite: Infinity,
  negative: -1,
  null: null,
  true: true,
  symbol: Symbol("odd"),
  bigint: 7n,
  object: {},
  hostile: hostile(),
  revoked: revoked(),
};
export const noFunction = {
  text: "x",
  number: 7,
  null: null,
  true: true,
  symbol: Symbol("odd"),
  object: {},
  array: [],
  revoked: revoked(),
};
export const noObject = { text: "x", number: 7, null: null, true: true, symbol: Symbol("odd"), bigint: 7n, revoked: revoked() };
export const noArray = {
  text: "x",
  number: 7,
  null: null,
  object: {},
  bare: Object.create(null),
  hostile: hostile(),
  length: { length: 2 ** 32 },
  revoked: revoked([]),
};

/** Values that are thrown, and with which promises reject. */
export const reasons = {
  nothing: undefined,
  null: null,
  text: "on purpose",
  empty: "",
  number: 7,
  symbol: Symbol("odd"),
  bigint: 7n,
  object: {},
  "odd message": { message: 7 },
  bare: Object.create(null),
  speechless: speechless(),
  "unreadable message": unreadable("message"),
  hostile: hostile(),
  revoked: revoked(),
  cyclic: cyclic(),
  array: [],
  function: () => {},
  "lone surrogate": new Error("\ud83d"),
  coded: { code: "internal", message: "not ours" },
  "odd code": { code: 7, message: "x" },
};

/** Half of a pair, as JavaScript allows it and UTF-8 does not. */
export const lone = "a\ud83db";

/** `[name, value]` of each of these. */
export const each = (values) => Reflect.ownKeys(values).map((name) => [name, values[name]]);
