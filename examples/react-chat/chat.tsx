import { useConversation } from "threadkeep/react";
import type { MessagePart } from "threadkeep/thread";
import { agent } from "./agent.js";

export function Chat({ conversationId }: { conversationId: string }) {
  const { messages, error, send, approve, reject } = useConversation({ agent, conversationId, resume: true });
  const show = (part: MessagePart, at: number) => part.type !== "tool" ? <p key={at}>{"text" in part && part.text}</p> : (
    <fieldset key={at} disabled={part.state !== "waiting" && part.state !== "interrupted"}>
      <legend>{part.toolName} {part.argsText}: {part.state} {part.error}</legend>
      <button onClick={() => approve([part.actionId!])}>Approve</button> <button onClick={() => reject("No", [part.actionId!])}>Reject</button>
    </fieldset>
  );
  return (
    <main>
      {messages.map(({ id, role, parts }) => <article key={id} className={role}>{parts.map(show)}</article>)}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        // What could not be stored stays in the field, and `error` says why.
        send(String(new FormData(form).get("text"))).then(() => form.reset(), () => {});
      }}>
        <input name="text" aria-label="Message" /> <button>Send</button>
      </form>
    </main>
  );
}
