// Sends messages of the user to a server.
import type { MessageEvent } from "../../events/events.js";
import { contentOf } from "../../llm/images.js";
import { descriptionOf, unsupported } from "./described.js";
import { isOutage } from "./outbox.js";
import type { Reached, Remote } from "./remote.js";
import { until } from "./until.js";

export async function contentFor({ session }: Remote, message: Parameters<typeof contentOf>[0]): Promise<string> {
  if (Array.isArray(message) && message.some((part) => part?.type === "file"))
    throw unsupported("files of messages are not sent to an agent server yet: upload them into its workspace");
  return contentOf(message, session.llm);
}

/** Sends a message. Resolves to its event in the log, or to that of the message as long as it has to wait. */
export async function send(remote: Remote, message: Parameters<typeof contentOf>[0]): Promise<MessageEvent> {
  const { outbox, link } = remote;
  const content = await contentFor(remote, message);
  await remote.create(() => descriptionOf(remote));
  const kept = await outbox.keep(content);
  if (!outbox.isOpen) return kept;
  try {
    await outbox.flush();
  } catch (error) {
    if (isOutage(error)) outbox.flushSoon();
    else await outbox.drop(kept.id);
    if (isOutage(error)) return kept;
    throw error;
  }
  const json = await link.sent(kept.id);
  return json === undefined ? kept : JSON.parse(json);
}

/** Sends a message, after which the agent goes on or not. Resolves once it is in the log. `content` is a JSON list. */
export async function deliver({ outbox, link }: Reached, content: string, runs: boolean): Promise<void> {
  const { id } = await outbox.keep(content, runs);
  try {
    await outbox.flush();
  } catch (error) {
    if (!isOutage(error)) await outbox.drop(id);
    if (!isOutage(error)) throw error;
    outbox.flushSoon();
  }
  await until(link, async () => ((await link.sent(id)) === undefined ? undefined : true));
}
