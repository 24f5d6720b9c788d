// The lookup of model data: every name that the SDK knows finds the row that the SDK reads.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.resolve(import.meta.dirname, "../..");
const outfile = path.join(root, `.cache/rows-${process.pid}.mjs`);
const json = (file) => JSON.parse(readFileSync(path.join(root, file), "utf8"));
const files = readdirSync(path.join(root, "js/llm/models")).filter((name) => name.endsWith(".json") && name !== "families.json");
const { models: asked } = json("tests/fixtures/model_features.json");
let rowOf;
before(async () => {
  await build({
    entryPoints: [path.join(root, "js/llm/models/rows.ts")],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
  ({ rowOf } = await import(pathToFileURL(outfile)));
});
after(() => rmSync(outfile, { force: true }));

const parsed = async (...names) => {
  const row = await rowOf(...names);
  return row === undefined ? undefined : JSON.parse(row);
};

test("every data file names its source, and rows have known fields only", () => {
  const names = new Set();
  for (const file of files) {
    const { source, date, models, ...rest } = json(`js/llm/models/${file}`);
    assert.match(source, /LiteLLM \d+\.\d+\.\d+/);
    assert.match(date, /^20\d\d-\d\d-\d\d$/);
    assert.deepEqual(rest, {});
    for (const [key, row] of Object.entries(models)) {
      for (const [name, value] of Object.entries(row)) {
        names.add(name);
        const isFit =
          name === "prices"
            ? value.every(isPrices)
            : name.startsWith("max_")
              ? Number.isInteger(value) && value > 0
              : typeof value === "boolean";
        assert.ok(isFit, `${file}: ${key}: ${name}`);
      }
      const above = (row.prices ?? []).map((step) => step.above);
      assert.deepEqual(
        above,
        [...new Set(above)].sort((a, b) => a - b),
        `${file}: ${key}`,
      );
    }
  }
  assert.ok(names.has("prices") && names.has("max_input_tokens") && names.size < 22, [...names].join(" "));
});

const kinds = ["above", "input", "output", "cache_read", "cache_write", "cache_write_1h", "reasoning"];
const isPrices = (prices) =>
  kinds.slice(0, 5).every((kind) => kind in prices) &&
  Object.entries(prices).every(([kind, price]) => kinds.includes(kind) && price >= 0 && Number.isFinite(price));

test("every row is found under its provider's name", async () => {
  for (const file of files.filter((name) => name !== "vertex_ai.json")) {
    const provider = file.replace(".json", "");
    for (const [key, row] of Object.entries(json(`js/llm/models/${file}`).models)) {
      const name = key.startsWith(`${provider}/`) ? key : `${provider}/${key}`;
      assert.deepEqual(await parsed(name), row, name);
      if (!key.includes("/")) assert.deepEqual(await parsed(key), row, key);
    }
  }
});

test("model names without a row resolve as in the SDK", async () => {
  const others = Object.entries(asked).filter(([, { row }]) => row !== undefined);
  assert.ok(others.length > 30);
  for (const [name, { row }] of others) {
    // The SDK knows a version of an unknown date only without its prefix, and counts with the prices of the others.
    if (name === "openai/gpt-5-mini-2099-08-07") assert.deepEqual(await parsed(name), await parsed("openai/gpt-5-mini"));
    else assert.deepEqual((await parsed(name)) ?? null, row, name);
  }
});

test("an alias has the features of its model, and its own prices", async () => {
  const alias = await parsed("openai/gpt-4o-mini", "gpt-5.4");
  assert.equal(alias.max_input_tokens, 1_050_000);
  assert.deepEqual(alias.prices, json("js/llm/models/openai.json").models["gpt-4o-mini"].prices);
  assert.equal((await parsed("openai/my-alias", "gpt-5.4")).prices, undefined);
});

test("invalid model names have no data and cause no error", async () => {
  for (const name of ["", "/", "openai/", "__proto__/x", "constructor/toString", "toString", "gpt-", "litellm_proxy/", "x/y/z:free"]) {
    assert.equal(await rowOf(name), undefined, name);
  }
});

test("the build packs the files, and finds the same rows", async () => {
  const built = readdirSync(path.join(root, "dist")).find((name) => /^models-[\w-]{8}\.js$/.test(name));
  const exported = Object.values(await import(pathToFileURL(path.join(root, "dist", built))));
  const { rowOf: builtRowOf } = exported.find((each) => "rowOf" in each);
  const names = files.flatMap((file) => Object.keys(json(`js/llm/models/${file}`).models));
  assert.ok(names.length > 900);
  for (const name of names) assert.equal(await builtRowOf(name), await rowOf(name), name);
});
