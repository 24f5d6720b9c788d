// The type of what a schema accepts. Types only: nothing of this is in a page.
import type { JSONSchema, StandardSchema } from "../input/types.js";

/**
 * The arguments of a tool with these `parameters`: what a Standard Schema puts out, or what a JSON Schema accepts that is written
 * in the call. `unknown` for parts of it that say nothing about their type, and for a schema that only the running program knows.
 */
export type ArgumentsOf<Parameters> = [Extract<Parameters, StandardSchema>] extends [never]
  ? ValueOf<Parameters>
  : Extract<Parameters, StandardSchema> extends StandardSchema<infer Output>
    ? Output
    : unknown;

type ValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: ReadonlyArray<infer Value> }
    ? Value
    : Schema extends { readonly type: ReadonlyArray<infer Type> }
      ? OfType<Type, Schema>
      : Schema extends { readonly type: infer Type }
        ? OfType<Type, Schema>
        : unknown;

type OfType<Type, Schema> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? Array<Schema extends { readonly prefixItems: unknown } ? unknown : ItemOf<Schema>>
          : Type extends "object"
            ? ObjectOf<Schema>
            : unknown;

type ItemOf<Schema> = Schema extends { readonly items: infer Items } ? ValueOf<Items> : unknown;

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Name in keyof Properties as Name & RequiredIn<Schema>]: ValueOf<Properties[Name]> } & {
        -readonly [Name in Exclude<keyof Properties, RequiredIn<Schema>>]?: ValueOf<Properties[Name]>;
      }
    >
  : { [name: string]: unknown };

/** None if the list is not written in the call. */
type RequiredIn<Schema> = Schema extends { readonly required: ReadonlyArray<infer Name> } ? (string extends Name ? never : Name) : never;

/** One object in place of two, as an editor shows it. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** The arguments of a tool: those that the caller of `tool()` names, otherwise those of the schema. */
export type Given<Args, Parameters extends JSONSchema | StandardSchema> = [Args] extends [never] ? ArgumentsOf<Parameters> : Args;
