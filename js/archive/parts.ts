// What a page loads with its first import or export, beside the chunk of the wasm.
export { importArchive } from "../../pkg/threadkeep.js";
export { zipBlocks } from "./zip-export.js";
export { ZipSource } from "./zip-source.js";
