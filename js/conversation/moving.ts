// Moving conversations to an agent server and back. The code that does it is loaded with the first move.
import { part } from "../wasm/wasm.js";
import type { BringHomeOptions, MoveToServerOptions } from "./types.js";

/**
 * Moves a conversation that is stored here to an agent server, with its id and all its branches: open it with that server as its
 * `home` from then on. The store keeps a copy. If this breaks off, the conversation is still here, or on the way: then it is refused
 * here with `invalid_state` until this has been called again, or `bringHome()`, which find out where it is.
 * @throws ThreadkeepError `locked_elsewhere` while it is open, `invalid_state` while it runs or if it is there already, `unsupported`
 * for tools that the server does not have, `not_found`, `server_auth`, `network`, and those of the store
 */
export async function moveToServer(conversationId: string, options: MoveToServerOptions): Promise<void> {
  await (await part(import("./server/moving.js"))).moveToServer(conversationId, options);
}

/**
 * Makes the copy of a conversation that an agent server runs the conversation itself, which runs here from then on, with its id and all
 * its branches; the server deletes it. Like an import it has settings that this page has not decided. The files on which the agent
 * worked stay on the server. If this breaks off, call it again.
 * @throws ThreadkeepError `locked_elsewhere` while it is open for writing, `invalid_state` while it runs, or while messages wait for the
 * server, `server_auth`, `network`, and those of the store
 */
export async function bringHome(conversationId: string, options: BringHomeOptions): Promise<void> {
  await (await part(import("./server/moving.js"))).bringHome(conversationId, options);
}
