// Loaded, with a chunk of the wasm, for the first conversation in another program's format.
export { messagesOfEvents, responseOfEvents } from "../../../pkg/threadkeep.js";
export { importText, importTexts } from "./import.js";
export { readable } from "./readable.js";
export { written } from "./written.js";
