// Loaded with the first mirror.
export { begin } from "./mirroring.js";
export { restore } from "./restore.js";
