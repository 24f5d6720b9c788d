// dist/wasm-skills-inline.js, which the build generates.
declare const gzippedBase64: string;
export default gzippedBase64;
