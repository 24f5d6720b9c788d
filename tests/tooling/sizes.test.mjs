// Which files count as downloaded by a page, and how much larger than a release a build may be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { excess, filesOfAPage } from "../../scripts/sizes.mjs";

test("the entry and what it imports statically count, chunks behind a dynamic import do not", () => {
  const imports = (...list) => ({ imports: list });
  const metafile = {
    outputs: {
      "dist/index.js": imports({ path: "dist/shared.js", kind: "import-statement" }, { path: "dist/zip.js", kind: "dynamic-import" }),
      "dist/shared.js": imports(
        { path: "dist/deep.js", kind: "import-statement" },
        { path: "./wasm-inline.js", kind: "dynamic-import", external: true },
      ),
      "dist/deep.js": imports({ path: "dist/shared.js", kind: "import-statement" }),
      "dist/zip.js": imports({ path: "dist/zip-only.js", kind: "import-statement" }),
      "dist/zip-only.js": imports(),
    },
  };
  assert.deepEqual(filesOfAPage(metafile, "dist/index.js", "x.wasm"), ["x.wasm", "dist/index.js", "dist/shared.js", "dist/deep.js"]);
});

test("a build may be two percent larger than the release, and what is larger is named", () => {
  assert.equal(excess("all", 1020, 1000), undefined);
  assert.match(excess("all", 1021, 1000), /^all: 1021 bytes \(brotli\), 2\.1 % more than the 1000 of the release: /);
});
