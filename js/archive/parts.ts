// What a page loads with its first import or export, beside the wasm.
export { CoreExport, importArchive, instantiate } from "../../pkg/threadkeep_archive.js";
export { ZipSource } from "./zip-source.js";
export { zipStream } from "./zip-stream.js";
