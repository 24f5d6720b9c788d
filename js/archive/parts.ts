// What a page loads with its first import or export, beside the wasm.
export { importArchive, instantiate } from "../../pkg/threadkeep_archive.js";
export { zipBlocks } from "./zip-export.js";
export { ZipSource } from "./zip-source.js";
