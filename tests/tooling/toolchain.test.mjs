// What is shown of the installation of packages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exceptForPages } from "../../scripts/toolchain.mjs";

/** What npm 11 writes for a package that wants another Node. */
const warning = (name) =>
  ["Unsupported engine {", `  package: '${name}',`, "  required: { node: '>=22' },", "  current: { node: 'v20.20.2', npm: '11.19.1' }", "}"]
    .map((line) => `npm warn EBADENGINE ${line}\n`)
    .join("");

test("npm does not say that Node is too old for packages of pages, and says so for others", () => {
  const [pages, others] = [
    ["ai@7.0.173", "@ai-sdk/provider-utils@5.0.3", "nanoid@6.0.1", "pdfjs-dist@6.5.438"],
    ["esbuild@0.28.2", "ai-tools@1.0.0"],
  ];
  const retried = "npm warn tarball retried\n";
  const shown = exceptForPages([...pages, ...others].map(warning).join("") + retried);
  assert.equal(shown, others.map(warning).join("") + retried);
});
