// Checks arguments against a JSON Schema. Loaded with the first conversation whose agent has a tool.
import { Validator } from "@cfworker/json-schema";
import { UntriedPattern } from "./pattern.js";
import type { JSONSchema } from "./types.js";

/** The sentence of the validator about a value of another type. */
const wrongType = /^Instance type "(\w+)" is invalid. Expected "(.+)"\.$/;

/** A function that takes arguments as JSON and describes the errors in them; null if there are none. The schema is parsed on the first call. */
export function checking(schema: JSONSchema): (argumentsJson: string) => string | null {
  let validator: Validator | undefined;
  return (argumentsJson) => {
    validator ??= new Validator(schema as ConstructorParameters<typeof Validator>[0], "2020-12", false);
    const args: unknown = JSON.parse(argumentsJson);
    let result: ReturnType<Validator["validate"]>;
    try {
      result = validator.validate(args);
    } catch (error) {
      if (error instanceof UntriedPattern || error instanceof SyntaxError) return error.message;
      throw error;
    }
    const { valid, errors } = result;
    if (valid) return null;
    // Errors of inner schemas say what is wrong; those of the schemas around them only repeat that something is.
    const details = errors.filter(({ keyword }) => !["properties", "items", "allOf", "$ref"].includes(keyword));
    return (details.length ? details : errors)
      .map(
        ({ instanceLocation, error }) =>
          `${instanceLocation.slice(2) || "arguments"}: ${error.replace(wrongType, "has to be of type $2, not $1.")}`,
      )
      .join(" ");
  };
}
