// Sets up a Python with the SDK ahead of the interop tests, while cargo compiles.
import { python } from "../../tests/interop/setup.mjs";
import { main } from "../process.mjs";
import { skipCode } from "./perform.mjs";

await main(async () => {
  const { argv, reason } = await python();
  console.log(argv ? argv.join(" ") : reason);
  if (!argv) process.exitCode = skipCode;
});
