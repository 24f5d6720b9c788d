// Loaded, with a chunk of the wasm, for the first import or export.
export { zipBlocks } from "./zip-export.js";
export { importBlob, importFiles } from "./zip-import.js";
