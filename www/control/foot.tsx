/** @jsxImportSource preact */
// The line under the message field: the model, and when it asks first. The scripted model is always labelled as such.

import { visibleText } from "threadkeep/thread";
import { choiceOf, policies } from "../agent/policy.ts";
import type { Session } from "../conversation/session.ts";
import { nameOf } from "../server/agent-server.ts";
import { openSettings } from "../settings/dialog.tsx";
import { askUnlock, isScripted, keyIsLocked, models, modelUrl, useSettings } from "../settings/settings.ts";
import { openControl } from "./control.tsx";

const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 });

/** Without a session it shows the settings for the next conversation. */
export function Foot({ session }: { session: Session | null }) {
  const { policy, budget } = useSettings();
  const choice = session === null ? policies.find(({ id }) => id === policy) : choiceOf(session.conversation.state);
  const lost = session?.conversation.mcp?.servers.filter(({ state }) => state === "failed" || state === "login") ?? [];
  const control = [
    choice?.label.replace("Ask", "Asks") ?? "Asks as its own policy says",
    // A server knows no budget.
    budget === null || session?.server ? "" : `at most ${dollars.format(budget)} a run`,
    ...lost.map(({ name }) => `${name} is not connected`),
  ];
  return (
    <footer class="page-foot">
      <p id="model-label">
        <Model session={session} />
      </p>
      <p>
        <span id="control-line">{control.filter(Boolean).join(" · ")}</span> <Link name="Control" act={openControl} />
      </p>
    </footer>
  );
}

const standIn = <span class="badge">Scripted stand-in, not an AI</span>;

const Link = ({ name, act }: { name: string; act: () => unknown }) => (
  <button type="button" class="link" onClick={() => void act()}>
    {name}
  </button>
);

function Model({ session }: { session: Session | null }) {
  if (session?.server) {
    // It has the model with which the conversation began there.
    const model = session.conversation.state.agent?.llm?.model ?? "";
    return (
      <>
        {model.endsWith("/scripted-model") ? standIn : visibleText(shortName(model))}, asked by {nameOf(session.server)}
      </>
    );
  }
  if (isScripted())
    return (
      <>
        {standIn} <Link name="Connect a model" act={openSettings} />
      </>
    );
  if (keyIsLocked())
    return (
      <>
        <span class="badge">The key is locked</span> <Link name="Unlock it" act={askUnlock} />
      </>
    );
  return (
    <>
      {shortName(models.settings!.model)} at {modelUrl().host} <Link name="Change" act={openSettings} />
    </>
  );
}

const shortName = (model: string): string => model.replace(/^[^/]+\//, "");
