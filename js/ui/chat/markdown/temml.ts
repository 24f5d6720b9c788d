// A chunk of its own: most messages have no formula.
export { default } from "temml";
