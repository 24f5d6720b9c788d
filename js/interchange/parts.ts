// What a page loads with the first conversation in another program's form, beside the chunk of the wasm.
export { importInterchange } from "../../pkg/threadkeep.js";
export { written } from "./written.js";
