// What a page loads with the first conversation in another program's form, beside the wasm.
export { importForeign, instantiate } from "../../pkg/threadkeep_messages.js";
export { written } from "./written.js";
