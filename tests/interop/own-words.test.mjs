// No sentence of the library is the SDK's: ten words in a row that both have are found here, wherever they stand.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { sdkForTests } from "./session.mjs";
import { filesBelow, sharedRuns } from "./shared-words.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = mkdtempSync(path.join(tmpdir(), "threadkeep-words-"));
const sdk = sdkForTests();
after(() => rmSync(scratch, { recursive: true }));

/** What both must have: no sentences, but what is looked for in the words of others, names, and fields of a format. */
const remaining = [
  ["src/event/classification.rs", "phrases and names of errors by which the SDK sorts failures; a stored log is read alike"],
  ["src/llm/provider_errors.rs", "phrases by which errors of providers are recognized"],
  ["src/llm/error.rs", "phrases by which errors of providers are recognized"],
  ["src/llm/anthropic/turns.rs", "errors of the provider, quoted"],
  ["src/llm/model_features.rs", "names of models"],
  ["js/agent/final-answer.ts", "keywords of JSON Schema"],
];
/** `annotations` of tools, which are fields of MCP. */
const annotations =
  /^title \w+ readonlyhint (true|false) destructivehint (true|false) idempotenthint (true|false) openworldhint (true|false)$/;

test("no sentence of the library, its demo and its documentation is the SDK's", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const { folders } = await sdk().ask({ command: "folders" });
  const theirs = folders.flatMap((folder) => filesBelow(folder, /\.(py|j2|md|txt)$/));
  assert.ok(theirs.length > 300, `${theirs.length} files of the SDK`);
  const ours = ["src", "js", "www", "docs", "docs-site", "examples", "scripts"].flatMap((folder) =>
    filesBelow(path.join(root, folder), /\.(rs|tsx?|mjs|md|css|html)$/),
  );
  const runs = sharedRuns(ours, theirs).filter(({ words }) => !annotations.test(words));
  const listed = runs.map(({ file, line, from, words }) => ({
    file: path.relative(root, file),
    text: `${path.relative(root, file)}:${line} as ${from.file}:${from.line}: ${words}`,
  }));
  const isKnown = ({ file }) => remaining.some(([known]) => known === file);
  assert.deepEqual(
    listed.filter((run) => !isKnown(run)).map(({ text }) => text),
    [],
  );
  const needless = remaining.filter(([known]) => !listed.some(({ file }) => file === known));
  assert.deepEqual(needless, [], "these files have nothing in common with the SDK, so they need no exception");
});

test("a sentence is found through comments, quotes, line ends and places for values", () => {
  const write = (name, text) => {
    const file = path.join(scratch, name);
    writeFileSync(file, text);
    return file;
  };
  const theirs = write(
    "theirs.py",
    'text = (\n    f"The boat {name} didn\'t leave the harbour "\n    f"before {time}, because the tide was low.\\n"\n)\n',
  );
  const ours = write(
    "ours.ts",
    "// One line.\nconst said = `The boat ${boat.name} didn’t leave the harbour before ${at}` +\n  // because\n  ` the tide was low.`;\n",
  );
  const shorter = write("shorter.rs", '/// The boat "didn\'t leave the harbour before\n/// because of it", the tide was low.\n');
  assert.deepEqual(sharedRuns([ours, shorter], [theirs]), [
    { file: ours, line: 2, from: { file: theirs, line: 2 }, words: "the boat didn_t leave the harbour before because the tide was low" },
  ]);
});
