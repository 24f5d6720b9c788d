// Loaded, with a chunk of the wasm, for the first import or export.
export { chatsIn, importBlob, importFiles } from "./zip-import.js";
export { blobOf, zipSource } from "./zip-stream.js";
