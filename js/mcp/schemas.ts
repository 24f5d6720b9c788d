// The schemas of servers, which nobody has checked: bounded in size, without endless references, and for the check of
// arguments without regular expressions, because one can be written so that matching it takes years.
import type { JSONSchema } from "../input/types.js";

const longest = 60_000;
const deepest = 40;
/** How many subschemas may apply to one value: references can double them at every step. */
const mostAtOnce = 2_000;

/** Keywords whose values are schemas by name. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose values are data. */
const data = new Set(["const", "enum", "default", "examples", "example", "required"]);
/** Keywords whose schemas apply to the same value. */
const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/** The schema, or `undefined` if models and checks cannot work with it. */
export function usableSchema(given: unknown): JSONSchema | undefined {
  if (!isObject(given) || (given["type"] ?? "object") !== "object") return undefined;
  const { $schema: _, $id: __, ...schema } = given;
  try {
    if (JSON.stringify(schema).length > longest || !isShallow(schema, 0)) return undefined;
    eachSchema(schema, (node) => atOnce(node, schema, []));
  } catch {
    return undefined;
  }
  return schema;
}

/** The schema of arguments for the check: without patterns, which the server checks itself. */
export function checkedPart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkedPart);
  if (!isObject(schema)) return schema;
  const hasPatterns = "patternProperties" in schema;
  const ignored = [
    "pattern",
    "patternProperties",
    "format",
    "$id",
    ...(hasPatterns ? ["additionalProperties", "unevaluatedProperties"] : []),
  ];
  const entries = Object.entries(schema).filter(([name]) => !ignored.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, part(name, value)]));
}

function part(name: string, value: unknown): unknown {
  if (data.has(name)) return value;
  if (!maps.has(name) || !isObject(value)) return checkedPart(value);
  return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, checkedPart(schema)]));
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth < deepest && Object.values(value).every((inner) => isShallow(inner, depth + 1));
}

/** Calls `visit` with a schema and every schema inside it. */
function eachSchema(schema: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(schema)) for (const each of schema) eachSchema(each, visit);
  if (!isObject(schema)) return;
  visit(schema);
  for (const [name, value] of Object.entries(schema)) {
    if (data.has(name)) continue;
    if (maps.has(name) && isObject(value)) for (const each of Object.values(value)) eachSchema(each, visit);
    else eachSchema(value, visit);
  }
}

/** How many schemas apply to a value of this schema. Throws for too many, for an endless reference and for an unknown one. */
function atOnce(node: unknown, root: unknown, outer: unknown[]): number {
  if (!isObject(node)) return 1;
  if (outer.includes(node) || "$dynamicRef" in node || "$recursiveRef" in node) throw new Error("endless");
  const around = [...outer, node];
  let count = 1;
  if (node["$ref"] !== undefined) count += atOnce(target(node["$ref"], root), root, around);
  for (const name of inPlace) {
    const inner = node[name];
    const schemas = Array.isArray(inner) ? inner : name === "dependentSchemas" && isObject(inner) ? Object.values(inner) : [inner];
    for (const schema of schemas) if (schema !== undefined) count += atOnce(schema, root, around);
    if (count > mostAtOnce) throw new Error("too many");
  }
  return count;
}

/** The schema that a JSON pointer in this document names. */
function target(reference: unknown, root: unknown): unknown {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) throw new Error("unknown");
  let found = root;
  for (const step of decodeURIComponent(reference).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) throw new Error("unknown");
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
