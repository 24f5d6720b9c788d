// Loaded, with a chunk of the wasm, for the first conversation in another program's format.
export { importInterchange, ofEvents, written as textOf } from "../../../pkg/threadkeep.js";
export { written } from "./written.js";
