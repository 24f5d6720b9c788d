// Installs a Python with packages before the tests that need it, while cargo compiles.
//   node scripts/testing/python.mjs tests/interop/setup.mjs
import path from "node:path";
import { main, root } from "../process.mjs";
import { skipCode } from "./perform.mjs";

await main(async () => {
  const { python } = await import(path.join(root, process.argv[2]));
  const { argv, reason } = await python();
  console.log(argv ? argv.join(" ") : reason);
  if (!argv) process.exitCode = skipCode;
});
