// Type checks all TypeScript projects of the repository: the API, its tests, and the page.
import { existsSync } from "node:fs";
import path from "node:path";
import { main, root, run } from "../process.mjs";

const projects = [
  "tsconfig.json",
  "tests/types/tsconfig.json",
  "tests/types/schemas/tsconfig.json",
  "www/tsconfig.json",
  "examples/tsconfig.json",
].filter((file) => existsSync(path.join(root, file)));

await main(async () => {
  for (const project of projects) {
    console.log(project);
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project]);
  }
});
