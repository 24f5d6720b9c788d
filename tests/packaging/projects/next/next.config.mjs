import path from "node:path";

// Where node_modules with Next.js is: in an app this is the folder of the app, which Next.js finds by itself.
const root = path.resolve(import.meta.dirname, "../..");

export default { turbopack: { root }, outputFileTracingRoot: root };
