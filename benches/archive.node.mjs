// The same in Node, with the stores that there are: in memory.
export { run, title } from "./archive.bench.js";
