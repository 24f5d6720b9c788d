import { useConversation } from "threadkeep/react";
import type { MessagePart } from "threadkeep/thread";
import { agent } from "./agent.js";

export function Chat({ conversationId }: { conversationId: string }) {
  const { messages, send, approve, reject } = useConversation({ agent, conversationId, resume: true });
  const show = (part: MessagePart, at: number) => part.type !== "tool" ? <p key={at}>{"text" in part && part.text}</p> : (
    <fieldset key={at} disabled={part.state !== "waiting" && part.state !== "interrupted"}>
      <legend>{part.toolName} {part.argsText}: {part.state}</legend>
      <button onClick={() => approve([part.actionId!])}>Approve</button> <button onClick={() => reject("No", [part.actionId!])}>Reject</button>
    </fieldset>
  );
  return (
    <main>
      {messages.map(({ id, role, parts }) => <article key={id} className={role}>{parts.map(show)}</article>)}
      <form action={(data) => void send(data.get("text") as string)}><input name="text" aria-label="Message" /> <button>Send</button></form>
    </main>
  );
}
