// What the README counts and compares is so: lines, figures, sizes, and what the other side says of itself.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "../../scripts/process.mjs";
import { sizesFile } from "../../scripts/sizes.mjs";

const read = (file) => readFileSync(path.join(root, file), "utf8");
const readme = read("README.md");
const figures = read("docs/figures.md");

test("a chat with React has as many lines as the README and react.md say", () => {
  const lines = read("examples/react-chat/chat.tsx")
    .split("\n")
    .filter((line) => line.trim() !== "").length;
  for (const page of ["README.md", "docs/react.md"]) assert.deepEqual(read(page).match(/\d+(?= lines)/g), [String(lines)], page);
});

test("react.md shows the file of the example", () => {
  assert.ok(read("docs/react.md").includes(`\`\`\`tsx\n${read("examples/react-chat/chat.tsx")}\`\`\``));
});

test("the times of the comparison are those of figures.md", () => {
  const cells = (text, start) =>
    text
      .split("\n")
      .find((line) => line.startsWith(`| ${start}`))
      ?.split("|")
      .slice(2)
      .map((cell) => cell.trim());
  const [ours, theirs] = cells(figures, "a step with one call");
  const [, version] = /\| `ai` (\d+)/.exec(figures);
  assert.deepEqual(cells(readme, "one step of an agent").slice(0, 2), [`${theirs} ms (\`ai\` ${version})`, `${ours} ms`]);
  const [screen, otherScreen] = cells(figures, "fast 4G (9 Mbit/s");
  const row = cells(readme, "a stored chat of 100 messages").slice(0, 2);
  assert.deepEqual(row, [`${otherScreen} ms (\`ai\` ${version} and one row of IndexedDB)`, `${screen} ms`]);
  const [, slower] = /takes ([\d.]+) times as long as a bare reader loop/.exec(figures);
  const [, others] = /`ai` (\d+) times as long/.exec(figures);
  assert.deepEqual(cells(readme, "an answer in 20,000 pieces").slice(0, 2), [
    `${others} times as long (\`ai\` ${version})`,
    `${slower} times`,
  ]);
});

/** The kB in the row of figures.md that starts so. */
const kBIn = (start) =>
  Number.parseFloat(
    figures
      .split("\n")
      .find((line) => line.startsWith(`| ${start}`))
      .split("|")[2],
  );

test("figures.md has the sizes of size-budget.json", () => {
  const { page, wasm } = JSON.parse(read("size-budget.json"));
  assert.equal(kBIn("main wasm") + kBIn("JavaScript, in two files"), Math.round(page / 1000));
  const [, all] = /All wasm files together are (\d+) kB/.exec(figures);
  assert.equal(Number(all), Math.round(wasm / 1000));
});

test("figures.md has the sizes of the build's parts and entries", (context) => {
  const measured = existsSync(sizesFile) ? JSON.parse(readFileSync(sizesFile, "utf8")) : {};
  if (measured.profile !== "release") return context.skip("no release build was measured: run `npm run build`");
  const rows = {
    run: "what asks models",
    agent: "what agents do",
    formats: "the wasm of these",
    server: "their wasm",
    plugins: "directories of plugins: their wasm",
    "search-worker": "the worker of its index",
    "terminal-worker": "the shell of the terminal",
    "opening.js": "keys that are hidden",
    "answer.js": "images, files of messages",
    "models.js": "limits and prices",
    "agent.js": "workspaces, checks",
    "tools.js": "the library's tools",
    "stores.js": "stores other than IndexedDB",
    "formats.js": "zip archives",
    "server.js": "conversations on an agent server",
    "skills.js": "skills and sub-agents",
    "plugins.js": "directories of plugins |",
    "mcp.js": "MCP servers",
    "search.js": "the search",
    "mirror.js": "mirrors",
  };
  for (const { file, brotli } of [...measured.parts, ...measured.added]) {
    const [name] = file.split(/,| adds/);
    const row = rows[name] ?? `\`${name}\``;
    // Another folder or another order of functions moves brotli a little, as in size-budget.json.
    const difference = Math.abs(kBIn(row) - brotli / 1000);
    assert.ok(difference < Math.max(1, brotli / 50_000), `${name} has ${brotli / 1000} kB, and figures.md says ${kBIn(row)}`);
  }
});

const firstDownload = /\| first download \| (\d+) kB \| (\d+) kB, then (\d+) kB in the background \|/.exec(readme);

test("the downloads in the background are those of the build", (context) => {
  const measured = existsSync(sizesFile) ? JSON.parse(readFileSync(sizesFile, "utf8")) : {};
  if (measured.profile !== "release") return context.skip("no release build was measured: run `npm run build`");
  const kB = (part) => measured.parts.find(({ file }) => file.startsWith(`${part},`)).brotli / 1000;
  const said = Number(firstDownload[3]);
  const built = kB("run") + kB("agent");
  // Another folder or another order of functions moves brotli a little, as in size-budget.json.
  assert.ok(Math.abs(said / built - 1) < 0.02, `README says ${said} kB, and the build has ${built}`);
});

test("the first downloads of the comparison are measured", async () => {
  const [, theirs, ours] = firstDownload;
  const contents = 'export { useChat } from "@ai-sdk/react"; export { DefaultChatTransport } from "ai";';
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["react"],
    write: false,
  });
  assert.equal(Math.round(brotliCompressSync(outputFiles[0].contents).length / 1000), Number(theirs));
  const { page } = JSON.parse(read("size-budget.json"));
  assert.equal(Number(ours), Math.round(page / 1000), "what is compared with each build");
});

test("what the README says of the AI SDK is in the documentation of the version that is named there", () => {
  const { version } = JSON.parse(read("node_modules/ai/package.json"));
  assert.ok(readme.includes(`\`ai\` ${version}`));
  const persistence = read("node_modules/ai/docs/04-ai-sdk-ui/03-chatbot-message-persistence.mdx");
  assert.match(persistence, /Storing messages is done in the `onEnd` callback/);
  const resuming = read("node_modules/ai/docs/04-ai-sdk-ui/03-chatbot-resume-streams.mdx");
  for (const needed of ["`resumable-stream` package", "Redis instance", "Two API endpoints"]) assert.ok(resuming.includes(needed), needed);
});

test("the README links to files that exist", () => {
  for (const [, target] of readme.matchAll(/\]\((?!https?:)([^)#]+)/g)) assert.ok(existsSync(path.join(root, target)), target);
});
