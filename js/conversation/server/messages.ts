// Sends messages of the user to a server.
import type { MessageEvent } from "../../events/events.js";
import { ThreadkeepError } from "../../input/errors.js";
import { contentOf } from "../../llm/images.js";
import { eventLog } from "../event-log.js";
import { descriptionOf, unsupported } from "./described.js";
import { isOutage } from "./outbox.js";
import type { Reached, Remote } from "./remote.js";
import { until, withResolvers } from "./until.js";

export async function contentFor({ session }: Remote, message: Parameters<typeof contentOf>[0]): Promise<string> {
  if (Array.isArray(message) && message.some((part) => part?.type === "file"))
    throw unsupported("files of messages are not sent to an agent server yet: upload them into its workspace");
  return contentOf(message, session.llm);
}

/**
 * Keeps a message, and sends it if that is possible now. Resolves to its event in the queue, also if the handle is closed meanwhile: the
 * next one sends it. `taken` is called when the server has it. @throws ThreadkeepError if the server refuses it; then it is dropped
 */
async function keepAndSend({ outbox, link }: Reached, content: string, runs = false, taken = () => {}): Promise<MessageEvent> {
  link.end.throwIfAborted();
  const kept = await outbox.keep(content, runs);
  if (!outbox.isOpen) return kept;
  const forget = outbox.whenTaken(kept.id, taken);
  const { promise: ended, reject } = withResolvers<never>();
  const end = () => reject(link.end.reason);
  link.end.addEventListener("abort", end);
  if (link.end.aborted) end();
  try {
    await Promise.race([outbox.flush(), ended]);
    return kept;
  } catch (error) {
    if (link.hasFailed) await outbox.takeBack(kept.id).catch(() => {});
    else if (link.end.aborted) return kept;
    else if (isOutage(error)) {
      outbox.flushSoon();
      return kept;
    } else await outbox.drop(kept.id);
    throw error;
  } finally {
    forget();
    link.end.removeEventListener("abort", end);
  }
}

/** Sends a message. Resolves to its event in the log, or to that of the message as long as it has to wait. */
export async function send(remote: Remote, message: Parameters<typeof contentOf>[0]): Promise<MessageEvent> {
  const content = await contentFor(remote, message);
  await remote.create(() => descriptionOf(remote));
  remote.outlive();
  const kept = await keepAndSend(remote, content, false, remote.passOn);
  const json = await remote.link.sent(kept.id);
  return json === undefined ? kept : JSON.parse(json);
}

/**
 * Sends a message, after which the agent goes on or not. Resolves once it is in the log. `content` is a JSON list.
 * @throws ThreadkeepError `network` if the server takes it and does not log it
 */
export async function deliver(remote: Reached, content: string, runs: boolean): Promise<void> {
  const { link, outbox } = remote;
  const { id } = await keepAndSend(remote, content, runs);
  const isMissing = () => outbox.waiting.some((event) => event.id === id) && !outbox.due.some((event) => event.id === id);
  const isLogged = await until(link, async () => ((await link.sent(id)) !== undefined ? true : isMissing() ? false : undefined));
  if (!isLogged)
    throw new ThreadkeepError(
      "network",
      "the agent server has taken the results of calls, and its log does not have them; retryNow() sends them again",
    );
}

/** Changes a message that waits. @throws ThreadkeepError `not_found`, `invalid_state` for one that is in the log */
export async function unlessRead<T>({ core }: Remote, id: string, change: (id: string) => Promise<T>): Promise<T> {
  return change(id).catch(async (error: ThreadkeepError) => {
    if (error.code !== "not_found") throw error;
    await eventLog(core).getIndex(id);
    throw new ThreadkeepError("invalid_state", `message ${id} does not wait any more, so the agent may have read it`);
  });
}
