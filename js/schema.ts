// Arguments against a JSON Schema. Loaded with the first conversation whose agent has a tool.
import { Validator } from "@cfworker/json-schema";
import type { JSONSchema } from "./tool.js";

/** What says of arguments, in JSON, what is wrong with them; null if nothing. A schema is read with the first arguments. */
export function checking(schema: JSONSchema): (argumentsJson: string) => string | null {
  let validator: Validator | undefined;
  return (argumentsJson) => {
    validator ??= new Validator(schema as ConstructorParameters<typeof Validator>[0], "2020-12", false);
    const { valid, errors } = validator.validate(JSON.parse(argumentsJson));
    if (valid) return null;
    // The innermost complaints say what is wrong; those around them only that something is.
    const words = errors.filter(({ keyword }) => !["properties", "items", "allOf", "$ref"].includes(keyword));
    return (words.length ? words : errors).map(({ instanceLocation, error }) => `${instanceLocation.slice(2) || "arguments"}: ${error}`).join(" ");
  };
}
