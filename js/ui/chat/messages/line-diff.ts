// A chunk of its own: differences are only computed when somebody looks at them.
export { structuredPatch } from "diff";
