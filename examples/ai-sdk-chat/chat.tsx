// A chat with tools as the AI SDK's users write it. Only the transport is another one.
import { useChat } from "@ai-sdk/react";
import { type UIMessage, getToolName, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { useRef, useState } from "react";
import { ThreadkeepChatTransport } from "threadkeep/ai-sdk";
import { agent } from "./agent.js";

// export const transport = new DefaultChatTransport({ api: "/api/chat" });
export const transport = new ThreadkeepChatTransport({ agent });

export function Chat({ id, messages: initialMessages }: { id: string; messages: UIMessage[] }) {
  const [text, setText] = useState("");
  const sent = useRef("");
  const { messages, sendMessage, setMessages, stop, status, error, addToolApprovalResponse } = useChat({
    id,
    messages: initialMessages,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    // Another tab has continued this chat: the message was not stored, so it goes back into the field, below what is stored.
    onError: async (error) => {
      if (!("code" in error) || error.code !== "invalid_state") return;
      setMessages(await transport.messages(id));
      setText(sent.current);
    },
  });
  const isBusy = status === "submitted" || status === "streaming";
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, at) => (isToolUIPart(part) ? <Call key={at} part={part} decide={addToolApprovalResponse} /> : "text" in part ? <p key={at} className={part.type}>{part.text}</p> : null))}
        </article>
      ))}
      {error && <p role="alert">{error.message} <button onClick={() => void sendMessage()}>Try again</button></p>}
      <Composer text={text} setText={setText} isBusy={isBusy} send={() => void sendMessage({ text: (sent.current = text) })} stop={() => void stop()} />
    </main>
  );
}

type Decide = ReturnType<typeof useChat>["addToolApprovalResponse"];
type ToolPart = Extract<UIMessage["parts"][number], { toolCallId: string }>;

const states: Record<ToolPart["state"], string> = {
  "input-streaming": "is being called", "input-available": "runs", "approval-requested": "asks for your approval", "approval-responded": "is decided",
  "output-available": "has run", "output-error": "has failed", "output-denied": "was rejected",
};

function Call({ part, decide }: { part: ToolPart; decide: Decide }) {
  const name = getToolName(part);
  return (
    <section className="call" aria-label={`Call of ${name}`}>
      <p><code>{name} {JSON.stringify(part.input)}</code> {states[part.state]}</p>
      {part.state === "approval-requested" && (
        <p>
          {part.approval.requestReason}
          <button onClick={() => void decide({ id: part.approval.id, approved: true })}>Approve</button>
          <button onClick={() => void decide({ id: part.approval.id, approved: false })}>Reject</button>
        </p>
      )}
      {part.state === "output-available" && <pre>{typeof part.output === "string" ? part.output : JSON.stringify(part.output, null, 2)}</pre>}
      {part.state === "output-error" && <pre>{part.errorText}</pre>}
    </section>
  );
}

function Composer({ text, setText, isBusy, send, stop }: { text: string; setText: (text: string) => void; isBusy: boolean; send: () => void; stop: () => void }) {
  return (
    <form onSubmit={(event) => {
      event.preventDefault();
      if (text.trim() === "") return;
      send();
      setText("");
    }}>
      <input aria-label="Message" placeholder="Message" value={text} onChange={(event) => setText(event.target.value)} />
      {isBusy ? <button key="stop" type="button" onClick={stop}>Stop</button> : <button key="send">Send</button>}
    </form>
  );
}
