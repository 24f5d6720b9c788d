// The fields of a form for the arguments of a call, from the JSON Schema of its tool. What the schema does not describe, and what
// does not fit it, is a field of JSON, so no value is lost or guessed. It decides nothing: the library checks what is sent.
import type { JSONValue } from "threadkeep";

export type Schema = { readonly [name: string]: unknown };
export type Args = { [name: string]: JSONValue };

interface Common {
  name: string;
  title: string;
  description: string;
  isRequired: boolean;
}
export type Field = Common &
  (
    | { kind: "text" | "lines" | "secret" | "number" | "integer" | "boolean" | "json" }
    | { kind: "choice"; choices: readonly JSONValue[] }
    | { kind: "list"; item: Schema }
    | { kind: "group"; schema: Schema }
  );

/** A text with a line break, or a longer one, gets several lines. In characters. */
const longest = 60;

/** Deeper objects and lists are JSON: nobody finds their way in such a form. */
const deepest = 3;

/** The fields of an object: those of its schema in their order, then the others that it has. */
export function fieldsOf(schema: Schema, value: Args, root: Schema, depth = 0): Field[] {
  const properties = objectIn(schema["properties"]) ?? {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const described = Object.entries(properties).map(([name, own]) =>
    fieldOf(name, objectIn(own) ?? {}, value[name], root, required.includes(name), depth),
  );
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return [...described, ...others.map((name) => fieldOf(name, {}, value[name], root, false, depth))];
}

export function fieldOf(
  name: string,
  given: Schema,
  value: JSONValue | undefined,
  root: Schema,
  isRequired: boolean,
  depth: number,
): Field {
  const schema = plain(given, root);
  const { title, description } = { ...schema, ...given };
  const common = { name, title: textIn(title) ?? name, description: textIn(description) ?? "", isRequired };
  const json: Field = { ...common, kind: "json" };
  const fits = (type: string): boolean => value === undefined || typeOf(value) === type;
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : null;
  if (choices) {
    const isSimple = choices.every((choice) => choice === null || typeof choice !== "object");
    return isSimple && (value === undefined || choices.includes(value)) ? { ...common, kind: "choice", choices } : json;
  }
  switch (schema["type"]) {
    case "string":
      if (!fits("string")) return json;
      if (isSecret(schema)) return { ...common, kind: "secret" };
      return { ...common, kind: isLong(schema, value as string | undefined) ? "lines" : "text" };
    case "number":
    case "integer":
      return fits("number") ? { ...common, kind: schema["type"] } : json;
    case "boolean":
      return fits("boolean") ? { ...common, kind: "boolean" } : json;
    case "array": {
      const item = objectIn(schema["items"]);
      return fits("array") && item && depth < deepest ? { ...common, kind: "list", item } : json;
    }
    case "object":
      return fits("object") && objectIn(schema["properties"]) && depth < deepest ? { ...common, kind: "group", schema } : json;
    default:
      return json;
  }
}

/** The value of something that is added to a list. */
export function emptyOf(given: Schema, root: Schema): JSONValue {
  const schema = plain(given, root);
  if ("default" in schema) return schema["default"] as JSONValue;
  if (Array.isArray(schema["enum"])) return schema["enum"][0] as JSONValue;
  const empty: { readonly [type: string]: JSONValue } = { string: "", number: 0, integer: 0, boolean: false, array: [], object: {} };
  return empty[String(schema["type"])] ?? null;
}

/** Whether the tool marks it as secret, by JSON Schema's own words. Such a value is never kept outside of the form. */
const isSecret = (schema: Schema): boolean => schema["format"] === "password" || schema["writeOnly"] === true;

/** Whether any value of this schema may be secret. */
export function hasSecret(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasSecret);
  const own = objectIn(schema);
  return own !== null && (isSecret(own) || Object.values(own).some(hasSecret));
}

/** The arguments without what is secret, by the names at the top: a secret further down takes its whole argument with it. */
export function withoutSecrets(schema: Schema, args: Args): Args {
  const properties = objectIn(schema["properties"]) ?? {};
  const isKept = ([name]: [string, JSONValue]): boolean => {
    const own = objectIn(properties[name]);
    return own === null || !hasSecret(plain(own, schema));
  };
  return Object.fromEntries(Object.entries(args).filter(isKept));
}

/** The schema that a reference leads to; of a value that may also be null, that of the value. */
function plain(schema: Schema, root: Schema, steps = 8): Schema {
  if (steps === 0) return {};
  const reference = textIn(schema["$ref"]);
  if (reference !== null) return plain(objectIn(at(root, reference)) ?? {}, root, steps - 1);
  const either = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(either)) {
    const others = either.map(objectIn).filter((each): each is Schema => each !== null && each["type"] !== "null");
    return others.length === 1 ? plain({ ...schema, anyOf: undefined, oneOf: undefined, ...others[0] }, root, steps - 1) : {};
  }
  const types = schema["type"];
  if (!Array.isArray(types)) return schema;
  const others = types.filter((type) => type !== "null");
  return others.length === 1 ? { ...schema, type: others[0] } : {};
}

/** The place that a reference such as `#/$defs/Place` names. */
function at(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  const names = reference.slice(2).split("/");
  return names.reduce<unknown>((found, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    const own = objectIn(found);
    return own && Object.hasOwn(own, key) ? own[key] : undefined;
  }, root);
}

function isLong({ maxLength }: Schema, value = ""): boolean {
  return value.length > longest || value.includes("\n") || (typeof maxLength === "number" && maxLength > 4 * longest);
}

const typeOf = (value: JSONValue): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

const textIn = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

export function objectIn(value: unknown): Schema | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : null;
}
