// Loaded, with a chunk of the wasm, for the first import or export.
export { importArchive } from "../../../pkg/threadkeep.js";
export { zipBlocks } from "./zip-export.js";
export { ZipSource } from "./zip-source.js";
