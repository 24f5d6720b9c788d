// The modules with copies of files, which the build writes into dist/.
declare module "*-inline.js" {
  const gzippedBase64: string;
  export default gzippedBase64;
}
