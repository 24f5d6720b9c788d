// A conversation with a long log on an agent server. Sending the messages would take half a minute.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Makes the files of a conversation with so many events, and lets the server take it over. Resolves to its id. */
export async function adopted(server, length) {
  const body = (id) => ({
    conversation_id: id,
    agent: { ...server.agent, tools: [] },
    workspace: { kind: "LocalWorkspace", working_dir: server.workspace },
    autotitle: false,
  });
  const [first, id] = [randomUUID(), randomUUID()];
  const folderOf = (id) => path.join(server.folder, id.replaceAll("-", ""));
  assert.equal((await server.ask("POST", "/api/conversations", body(first))).status, 201);
  const content = [{ type: "text", text: "message" }];
  const sent = await server.ask("POST", `/api/conversations/${first}/events`, { role: "user", content, run: false });
  assert.equal(sent.status, 200, sent.text);
  const state = readFileSync(path.join(folderOf(first), "base_state.json"), "utf8");
  const stored = server.stored(first).map(({ text }) => text);
  const message = stored.findIndex((text) => JSON.parse(text).kind === "MessageEvent");
  const events = path.join(folderOf(id), "events");
  mkdirSync(events, { recursive: true });
  let last;
  for (let number = 0; number < length; number++) {
    let text = stored[Math.min(number, message)];
    const { id: old, parent_id: parent } = JSON.parse(text);
    const own = number < message ? old : randomUUID();
    text = text.replaceAll(old, own);
    if (number > message) text = text.replace(parent, last);
    last = own;
    writeFileSync(path.join(events, `event-${String(number).padStart(5, "0")}-${own}.json`), text);
  }
  const leaf = JSON.parse(state).leaf_event_id;
  const own = state.replaceAll(first, id).replaceAll(leaf, last);
  writeFileSync(path.join(folderOf(id), "base_state.json"), own);
  const made = await server.ask("POST", "/api/conversations", body(id));
  assert.equal(made.status, 201, made.text);
  return id;
}
