// The part of the library `diff` that this page uses, in a module of its own: an import() of the package would load all of it.

export { structuredPatch } from "diff";
