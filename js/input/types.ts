// Types of values from a host.

/** A JSON Schema (draft 2020-12) of an object. */
export type JSONSchema = { readonly [key: string]: unknown };

/** A schema of zod, valibot, arktype and others: https://standardschema.dev, with its JSON Schema extension. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: ReadonlyArray<unknown> | undefined }> };
