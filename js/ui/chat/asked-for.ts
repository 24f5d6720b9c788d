// What the chat loads when somebody asks for it, as one file: the list of shortcuts, differences of lines, forms for arguments.
export { structuredPatch } from "diff";
export * from "./controls/arguments/form.js";
export { ShortcutList } from "./shortcut-list.js";
