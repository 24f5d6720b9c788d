// Structured final answers: `finish` with the fields of a schema of the host, as the SDK's `response_schema`. Loaded when a
// conversation is opened whose agent has such a schema.
import { invalidOptions, reading } from "../input/errors.js";
import { checking } from "../input/schema.js";
import type { JSONSchema } from "../input/types.js";
import { isStandard, jsonSchemaOf, valueOf } from "../tool/tool.js";
import type { FinalAnswerSchema } from "./types.js";

/** The keywords that the SDK allows at the top of such a schema. */
const keywords = new Set(
  "$anchor $comment $defs $dynamicAnchor $id $schema $vocabulary additionalProperties default deprecated description examples properties readOnly required title type writeOnly".split(
    " ",
  ),
);
/** Arguments that `finish` has anyway, and names that the SDK reserves. */
const reserved = ["message", "summary", "security_risk", "kind", "structured_output"];

/** The schema in the form that the wasm takes. @throws ThreadkeepError `invalid_options` */
export function coreAnswer(given: FinalAnswerSchema<unknown>): {
  schema: string;
  parameters: string;
  check(argumentsJson: string): string | null;
} {
  const schema = schemaOf(given);
  const { $schema: _, ...stored } = schema;
  const { type, properties, required = [], description, title, default: __, examples, ...others } = stored;
  const message = { type: "string", description: "What the user should read at the end." };
  const parameters = { type: "object", properties: { message, ...properties }, required: ["message", ...required], ...others };
  const matches = checking(stored);
  return {
    schema: JSON.stringify(stored),
    parameters: JSON.stringify(parameters),
    check(argumentsJson) {
      const answer = fieldsOf(schema, argumentsJson);
      const mistakes = matches(JSON.stringify(answer));
      if (mistakes !== null || !isStandard(given)) return mistakes;
      const result = given["~standard"].validate(answer);
      // A promise cannot be awaited here; `read()` does.
      if (!(result instanceof Promise)) valueOf(result);
      return null;
    },
  };
}

/** The answer in the arguments of `finish`, with the defaults and transformations of a Standard Schema. */
export async function readAnswer<Answer>(given: FinalAnswerSchema<Answer>, argumentsJson: string): Promise<Answer> {
  const answer = fieldsOf(schemaOf(given), argumentsJson);
  return isStandard<Answer>(given) ? valueOf(await given["~standard"].validate(answer)) : (answer as Answer);
}

interface ObjectSchema extends JSONSchema {
  properties: { [name: string]: unknown };
  required?: string[];
}

function schemaOf(given: FinalAnswerSchema<unknown>): ObjectSchema {
  return reading("finalAnswer", () => {
    const schema = isStandard(given) ? jsonSchemaOf("finalAnswer", given) : given;
    const properties = schema?.["properties"];
    const isObject = typeof schema === "object" && schema !== null && schema["type"] === "object";
    if (!isObject || typeof properties !== "object" || properties === null || Object.keys(properties).length === 0) {
      throw invalidOptions('finalAnswer must be a JSON Schema of type "object" with properties, or a Standard Schema of such an object');
    }
    const taken = reserved.filter((name) => Object.hasOwn(properties, name));
    if (taken.length > 0)
      throw invalidOptions(
        `finalAnswer must not have the property ${taken.join(", ")}, which finish or the SDK uses itself; choose another name`,
      );
    const other = Object.keys(schema).filter((keyword) => !keywords.has(keyword));
    if (other.length > 0)
      throw invalidOptions(
        `finalAnswer must not have the keyword ${other.join(", ")} at its top, because its properties become arguments of finish; use it inside of a property`,
      );
    const { additionalProperties = false, required = [] } = schema;
    if (additionalProperties !== false)
      throw invalidOptions("finalAnswer must not allow additionalProperties, because its properties become arguments of finish");
    if (!Array.isArray(required) || !required.every((name) => Object.hasOwn(properties, name))) {
      throw invalidOptions("finalAnswer must require only names of its properties");
    }
    return JSON.parse(JSON.stringify(schema)) as ObjectSchema;
  });
}

/** The arguments that belong to the answer. */
function fieldsOf({ properties }: ObjectSchema, argumentsJson: string): object {
  return Object.fromEntries(Object.entries(JSON.parse(argumentsJson)).filter(([name]) => Object.hasOwn(properties, name)));
}
