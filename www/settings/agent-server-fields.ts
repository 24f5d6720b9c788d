// The settings of the agent server: its address, key and directory, and a check of the connection.

import { el } from "../shell/dom.ts";
import { type AgentServerAddress, addressOf, keyNameOf, problemOfHost } from "./agent-server.ts";
import { field, help, textField } from "./fields.ts";
import { agentServerKey, keyIsLockedFor, models, settings } from "./settings.ts";
import { askUnlock } from "./unlock.ts";

/** The part that is loaded only when somebody checks a connection. */
const checks = () => import("./agent-server-check.ts");

export function agentServerSettings() {
  const now = settings().agentServer;
  const host = textField("agent-server-host", { inputmode: "url", placeholder: "https://", value: now?.host ?? "" });
  const apiKey = textField("agent-server-key", { type: "password", value: now ? agentServerKey(addressOf(now.host)) : "" });
  const workingDir = textField("agent-server-directory", { value: now?.workingDir ?? "", placeholder: "/workspace/project" });
  const problem = el("p", { id: "agent-server-problem", class: "outcome", "data-state": "bad", role: "alert" });
  const keyHelp = help("agent-server-key-help");
  const button = el("button", { type: "button", class: "button", id: "agent-server-check" }, "Check the connection");
  const outcome = el("p", { class: "outcome", id: "agent-server-checked", role: "status" });
  let checking = new AbortController();

  const isSetUp = (): boolean => host.value.trim() !== "";
  const isLocked = (): boolean => isSetUp() && problemOfHost(host.value.trim()) === "" && keyIsLockedFor(keyNameOf(host.value.trim()));

  const stop = (): void => {
    checking.abort();
    checking = new AbortController();
    outcome.textContent = "";
  };
  const follow = (): void => {
    const wrong = isSetUp() ? problemOfHost(host.value.trim()) : "";
    host.setCustomValidity(wrong);
    // Nobody is told so while typing.
    if (wrong === "") problem.textContent = "";
    workingDir.required = isSetUp();
    button.disabled = !isSetUp();
    keyHelp.textContent = `The one that the server was started with. Sent to it and nowhere else, and kept like the keys of models.${isLocked() ? " It is locked now; what you enter here takes its place." : ""}`;
  };
  const show = (text: string, state: string): void => {
    outcome.textContent = text;
    outcome.dataset["state"] = state;
  };
  const check = async (): Promise<void> => {
    if (!host.reportValidity() || !workingDir.reportValidity()) return;
    if (apiKey.value === "" && isLocked()) {
      if (!(await askUnlock())) return;
      apiKey.value = agentServerKey(addressOf(host.value.trim()));
    }
    stop();
    const { signal } = checking;
    show("Asking the server…", "waiting");
    const { checkAgentServer } = await checks();
    await checkAgentServer({ host: addressOf(host.value.trim()), apiKey: apiKey.value.trim(), workingDir: workingDir.value.trim() }).then(
      (text) => signal.aborted || show(text, "good"),
      (error: Error) => signal.aborted || show(error.message, "bad"),
    );
  };
  button.addEventListener("click", () => void check());
  for (const input of [host, apiKey, workingDir]) input.addEventListener("input", stop);
  host.addEventListener("change", () => (problem.textContent = host.validationMessage));
  follow();

  const read = (): { agentServer: AgentServerAddress | null; beginsOnServer: boolean } => {
    if (!isSetUp()) return { agentServer: null, beginsOnServer: false };
    const address = addressOf(host.value.trim());
    const isSame = now !== null && addressOf(now.host) === address;
    const hadKey = apiKey.value.trim() !== "" || (isSame && now.hadKey && isLocked());
    return { agentServer: { host: address, workingDir: workingDir.value.trim(), hadKey }, beginsOnServer: settings().beginsOnServer };
  };
  /** Stores the key in the form, and no longer that of a server that is not set up any more. */
  const keepKey = async (): Promise<void> => {
    const next = isSetUp() ? keyNameOf(host.value.trim()) : "";
    const last = now === null ? "" : keyNameOf(now.host);
    if (last !== "" && last !== next && models.keys.get(last) !== "") await models.keys.set(last, "");
    if (next !== "" && apiKey.value.trim() !== models.keys.get(next)) await models.keys.set(next, apiKey.value.trim());
  };

  const element = el(
    "fieldset",
    {},
    el("legend", {}, "Agent server"),
    el(
      "div",
      { class: "fields" },
      el(
        "p",
        { class: "quiet" },
        "A conversation can also run on an OpenHands agent server: with the terminal and the files of that machine, and while this page is closed. The model's key goes there then. MCP servers, the budget and the forbidden tool are for conversations in this browser only.",
      ),
      field(
        "Address",
        host,
        help("agent-server-host-help", "The server has to allow this page: start it with this page's address in OH_ALLOW_CORS_ORIGINS."),
      ),
      problem,
      field("Key of the server", apiKey, keyHelp),
      field(
        "Directory",
        workingDir,
        help("agent-server-directory-help", "On the server: new conversations work there. It is made if it is missing."),
      ),
      el("div", { class: "field" }, button, outcome),
    ),
  );
  return { element, read, keepKey, follow, stop };
}
