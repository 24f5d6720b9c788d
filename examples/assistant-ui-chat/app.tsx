// A chat with assistant-ui's components. Of this library it uses an agent with two tools, and `useThreadkeepRuntime()`.
import {
  ActionBarPrimitive, AssistantRuntimeProvider, AttachmentPrimitive, AuiIf, BranchPickerPrimitive, ComposerPrimitive, ErrorPrimitive, MessagePrimitive,
  type ReasoningMessagePartComponent, ThreadListItemPrimitive, ThreadListPrimitive, ThreadPrimitive, type ToolCallMessagePartComponent, useAuiState,
} from "@assistant-ui/react";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Agent, LLM, tool } from "threadkeep";
import { useThreadkeepRuntime, useThreadkeepThread } from "threadkeep/assistant-ui";

const weather = tool({
  name: "get_weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  annotations: { readOnlyHint: true },
  execute: ({ city }: { city: string }) => ({ city, celsius: 21, sky: "clear" }),
});
const sendMail = tool({
  name: "send_mail",
  description: "Sends a mail",
  parameters: { type: "object", properties: { to: { type: "string" }, text: { type: "string" } }, required: ["to", "text"] },
  annotations: { destructiveHint: true },
  execute: ({ to }: { to: string }) => `sent to ${to}`,
});
// A server of yours that adds the key, or your own key as `apiKey`.
const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl: `${location.origin}/v1`, apiKey: "" }), tools: [weather, sendMail] });

function App() {
  const [conversationId, setConversationId] = useState<string | null>(location.hash.slice(1) || null);
  const runtime = useThreadkeepRuntime({
    agent,
    conversationId,
    onConversationChange: (id) => {
      history.replaceState(null, "", `#${id ?? ""}`);
      setConversationId(id);
    },
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <div>
        <ThreadList />
        <Thread />
      </div>
    </AssistantRuntimeProvider>
  );
}

function ThreadList() {
  return (
    <aside aria-label="Conversations">
      <ThreadListPrimitive.Root>
        <ThreadListPrimitive.New>New chat</ThreadListPrimitive.New>
        <ThreadListPrimitive.Items>{() => <ThreadListItem />}</ThreadListPrimitive.Items>
      </ThreadListPrimitive.Root>
    </aside>
  );
}

function ThreadListItem() {
  const title = useAuiState(({ threadListItem }) => threadListItem.title);
  return (
    <ThreadListItemPrimitive.Root className="item">
      <ThreadListItemPrimitive.Trigger>
        <ThreadListItemPrimitive.Title fallback="New chat" />
      </ThreadListItemPrimitive.Trigger>
      <ThreadListItemPrimitive.Archive aria-label={`Archive ${title}`}>▾</ThreadListItemPrimitive.Archive>
      <ThreadListItemPrimitive.Delete aria-label={`Delete ${title}`}>✕</ThreadListItemPrimitive.Delete>
    </ThreadListItemPrimitive.Root>
  );
}

function Thread() {
  return (
    <main>
      <ThreadPrimitive.Root style={{ display: "contents" }}>
        <ThreadPrimitive.Viewport className="viewport">
          <AuiIf condition={({ thread }) => thread.isEmpty}>
            <p>Ask about the weather, or have a mail sent.</p>
          </AuiIf>
          <ThreadPrimitive.Messages>
            {({ message }) => (message.role === "user" ? message.composer.isEditing ? <EditComposer /> : <UserMessage /> : <AssistantMessage />)}
          </ThreadPrimitive.Messages>
          <Unfinished />
        </ThreadPrimitive.Viewport>
        <Composer />
      </ThreadPrimitive.Root>
    </main>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root className="user">
      <MessagePrimitive.Attachments>{() => <Attachment />}</MessagePrimitive.Attachments>
      <div className="content">
        <MessagePrimitive.Parts />
      </div>
      <ActionBarPrimitive.Root className="bar" hideWhenRunning>
        <BranchPicker />
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root className="assistant">
      <div className="content">
        <MessagePrimitive.Parts components={{ Reasoning, tools: { Fallback: ToolCall } }} />
      </div>
      <MessagePrimitive.Error>
        <ErrorPrimitive.Root className="error">
          <ErrorPrimitive.Message />
        </ErrorPrimitive.Root>
      </MessagePrimitive.Error>
      <ActionBarPrimitive.Root className="bar" hideWhenRunning>
        <BranchPicker />
        <ActionBarPrimitive.Copy>Copy</ActionBarPrimitive.Copy>
        <ActionBarPrimitive.Reload>Try again</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

const Reasoning: ReasoningMessagePartComponent = ({ text }) => <p className="reasoning">{text}</p>;

const ToolCall: ToolCallMessagePartComponent = ({ toolName, argsText, result, isError, approval, respondToApproval }) => {
  const asks = approval !== undefined && approval.approved === undefined;
  return (
    <section className="tool" aria-label={toolName}>
      <strong>{toolName}</strong>
      <pre>{argsText}</pre>
      {asks && (
        <p>
          {approval.prompt ?? "May this call run?"} <button className="primary" onClick={() => respondToApproval({ approved: true })}>Allow</button>{" "}
          {approval.options?.some(({ id }) => id === "allow-always") && <button onClick={() => respondToApproval({ optionId: "allow-always" })}>Always allow</button>}{" "}
          <button onClick={() => respondToApproval({ approved: false, reason: "The user said no" })}>Deny</button>
        </p>
      )}
      {result !== undefined && <pre className={isError ? "error" : "result"}>{typeof result === "string" ? result : JSON.stringify(result)}</pre>}
    </section>
  );
};

function BranchPicker() {
  return (
    <BranchPickerPrimitive.Root hideWhenSingleBranch className="branches">
      <BranchPickerPrimitive.Previous aria-label="Previous version">‹</BranchPickerPrimitive.Previous>
      <BranchPickerPrimitive.Number />/<BranchPickerPrimitive.Count />
      <BranchPickerPrimitive.Next aria-label="Next version">›</BranchPickerPrimitive.Next>
    </BranchPickerPrimitive.Root>
  );
}

function EditComposer() {
  return (
    <ComposerPrimitive.Root className="edit">
      <ComposerPrimitive.Input aria-label="Edited message" />
      <ComposerPrimitive.Cancel>Cancel</ComposerPrimitive.Cancel>
      <ComposerPrimitive.Send className="primary">Save</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  );
}

function Attachment() {
  const { name, content } = useAuiState(({ attachment }) => attachment);
  const image = content?.find((part) => part.type === "image");
  return <AttachmentPrimitive.Root className="attachment">{image ? <img src={image.image} alt={name} /> : name}</AttachmentPrimitive.Root>;
}

function Composer() {
  return (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Attachments>{() => <Attachment />}</ComposerPrimitive.Attachments>
      <ComposerPrimitive.AddAttachment aria-label="Add a file">+</ComposerPrimitive.AddAttachment>
      <ComposerPrimitive.Input aria-label="Message" placeholder="Message" rows={1} />
      <AuiIf condition={({ thread }) => !thread.isRunning}>
        <ComposerPrimitive.Send className="primary">Send</ComposerPrimitive.Send>
      </AuiIf>
      <AuiIf condition={({ thread }) => thread.isRunning}>
        <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
      </AuiIf>
    </ComposerPrimitive.Root>
  );
}

/** Only in this library: an answer that a reload or a failure has cut off goes on when the user wants it to. */
function Unfinished() {
  const { thread, snapshot, error, canContinue } = useThreadkeepThread();
  return (
    <div role="status">
      {error && <p className="error">{error.message}</p>}
      {snapshot.home === "tab" && <p>Runs in another tab. {snapshot.isSilent && <>It does not answer. <button onClick={() => snapshot.conversation?.takeOver()}>Take over here</button></>}</p>}
      {snapshot.waiting && <p>The request is made again in {Math.ceil(snapshot.waiting.seconds)} s. <button onClick={() => thread?.retryNow()}>Now</button></p>}
      {canContinue && <p>The agent has not finished. <button onClick={() => thread?.resume()}>Continue</button></p>}
      {snapshot.hasEarlier && <button onClick={() => thread?.loadEarlier()}>Earlier messages</button>}
    </div>
  );
}

createRoot(document.getElementById("app")!).render(<StrictMode><App /></StrictMode>);
