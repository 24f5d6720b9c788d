// The same in Node, with stores in memory.
export { run, title } from "./archive.bench.js";
