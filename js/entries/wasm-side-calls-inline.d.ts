// dist/wasm-side-calls-inline.js, which the build generates.
declare const gzippedBase64: string;
export default gzippedBase64;
