// The fields for a model's name: typed, or chosen from the server's list; and a test of the connection.

import { el } from "../shell/dom.ts";
import { type Connection, listModels, testConnection } from "./connection.ts";
import { help, textField } from "./fields.ts";

/** `connection` returns the connection in the form; null, and the invalid field is shown, if it is incomplete, or its key stays locked. */
export function modelFields(connection: (needs: { model: boolean }) => Promise<Connection | null>) {
  const modelHelp = help("model-help", "With the name of its API in front, such as openai/gpt-4o");
  const model = textField("model", { required: true, "aria-describedby": modelHelp.id });
  const listButton = el("button", { type: "button", class: "button" }, "List models");
  const choice = el("select", { id: "model-choice", "aria-label": "Models of this server", hidden: true });
  const testButton = el("button", { type: "button", class: "button" }, "Test the connection");
  const listed = el("p", { class: "outcome", id: "listed", role: "status" });
  const tested = el("p", { class: "outcome", id: "tested", role: "status" });
  let asking = new AbortController();

  /** Shows the sentence that `ask` resolves to or fails with, unless the form has changed meanwhile. */
  const attempt = async (outcome: HTMLElement, waiting: string, ask: (signal: AbortSignal) => Promise<string>): Promise<void> => {
    stop();
    const { signal } = asking;
    const show = (text: string, state: string): void => {
      if (signal.aborted) return;
      outcome.textContent = text;
      outcome.dataset["state"] = state;
    };
    show(waiting, "waiting");
    await ask(signal).then(
      (text) => show(text, "good"),
      (error: Error) => show(error.message, "bad"),
    );
  };
  const list = async (): Promise<void> => {
    const asked = await connection({ model: false });
    if (asked === null) return;
    void attempt(listed, "Asking the server…", async (signal) => {
      const names = await listModels(asked);
      if (signal.aborted) return "";
      choice.replaceChildren(
        el("option", { value: "" }, `Choose one of ${names.length}`),
        ...names.map((name) => el("option", { value: name, selected: name === model.value }, name)),
      );
      choice.hidden = false;
      choice.focus();
      return "";
    });
  };
  const test = async (): Promise<void> => {
    const asked = await connection({ model: true });
    if (asked !== null) void attempt(tested, "Asking the model for one word…", (signal) => testConnection(asked, signal));
  };
  const stop = (): void => {
    asking.abort();
    asking = new AbortController();
    listed.textContent = tested.textContent = "";
  };
  /** Called when the server or the key has changed: the answers so far are about another connection. */
  const restart = (): void => {
    stop();
    choice.hidden = true;
  };
  listButton.addEventListener("click", () => void list());
  testButton.addEventListener("click", () => void test());
  model.addEventListener("input", stop);
  choice.addEventListener("input", () => {
    if (choice.value !== "") model.value = choice.value;
    stop();
  });

  const row = el("div", { class: "name-row" }, model, listButton);
  return {
    model,
    elements: [el("div", { class: "field" }, el("label", { for: model.id }, "Model"), row, choice, listed, modelHelp)],
    test: el("div", { class: "field" }, testButton, tested),
    restart,
    stop,
  };
}
