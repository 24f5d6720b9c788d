// The type of the files that tests/interop/write_model_data.py writes.
declare module "*.json" {
  const file: { models: Record<string, Record<string, unknown>>; families: Array<{ pattern: string; row: Record<string, unknown> }> };
  export default file;
}
