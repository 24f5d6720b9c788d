"use client";
// `threadkeep/assistant-ui`: a runtime for assistant-ui.
export type { ThreadkeepRuntimeOptions } from "./options.js";
export { errorName, noticeName } from "./parts.js";
export { useThreadkeepRuntime } from "./runtime.js";
export { type ThreadkeepThread, useThreadkeepThread } from "./thread-hook.js";
export type { Approval, ErrorPart, NoticePart, Thread, ThreadSnapshot, ToolPart } from "../thread/types.js";
