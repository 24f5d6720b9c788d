// A worker that should be the home of conversations, and whose function never answers. What waits for seconds waits for a moment here.
import { serveConversations } from "/threadkeep/index.js";

const { setTimeout: later } = globalThis;
globalThis.setTimeout = (run, milliseconds, ...args) => later(run, Math.min(milliseconds, 100), ...args);
serveConversations(() => new Promise(() => {}));
