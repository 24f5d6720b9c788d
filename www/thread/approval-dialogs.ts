// Dialogs about waiting calls: the reason for a rejection, other arguments, and what a message does to them.

import { ask } from "../shell/dialogs.ts";
import { el } from "../shell/dom.ts";
import { sentence } from "../shell/failures.ts";

/** Resolves to the reason, which may be empty, or null if the user cancels. */
export async function askReason(what: string): Promise<string | null> {
  const input = el("input", { id: "reason-field", type: "text", maxlength: 500, autocomplete: "off", "aria-describedby": "reason-help" });
  const answer = await ask({
    heading: `Reject ${what}?`,
    body: [el("label", { for: "reason-field" }, "Why? (optional)"), input, el("p", { class: "quiet", id: "reason-help" }, "The agent reads this and continues.")],
    actions: [{ value: "reject", name: "Reject", look: "danger" }],
    onOpen: () => input.focus(),
  });
  return answer === "reject" ? input.value.trim() : null;
}

/** Asks for other arguments until `take` accepts them or the user cancels. The call continues to wait. */
export async function askArguments(what: string, args: Record<string, unknown>, take: (args: Record<string, unknown>) => Promise<void>): Promise<void> {
  const field = el("textarea", { id: "arguments-field", rows: 8, spellcheck: "false", autocomplete: "off", "aria-describedby": "arguments-wrong arguments-help" });
  field.value = JSON.stringify(args, null, 2);
  const wrong = el("p", { class: "wrong", id: "arguments-wrong", role: "alert" });
  await ask({
    heading: `Change “${what}”`,
    body: [
      el("label", { for: "arguments-field" }, "Arguments, as JSON"),
      field,
      wrong,
      el("p", { class: "quiet", id: "arguments-help" }, "Changing a call does not approve it: it continues to wait. The agent sees that you changed it."),
    ],
    actions: [{ value: "change", name: "Change", look: "primary" }],
    onOpen: () => field.focus(),
    check: async () => {
      wrong.textContent = "";
      field.removeAttribute("aria-invalid");
      try {
        await take(parsed(field.value));
        return true;
      } catch (error) {
        wrong.textContent = sentence((error as Error).message);
        field.setAttribute("aria-invalid", "true");
        field.focus();
        return false;
      }
    },
  });
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`this is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("arguments are an object: names and values in { }");
  return value as Record<string, unknown>;
}

/** Asks what happens to the waiting calls when the user sends a message. */
export async function askPending(count: number): Promise<"reject" | "keep" | null> {
  const calls = count === 1 ? "A call waits" : `${count} calls wait`;
  const answer = await ask({
    heading: `${calls} for you`,
    body: [el("p", {}, "A message is not a decision about them, so choose what happens to them. If you keep the message, it is stored at once, and reaches the agent when you have decided.")],
    actions: [
      { value: "keep", name: "Keep the message until I decide", look: "primary" },
      { value: "reject", name: count === 1 ? "Reject it and send" : "Reject them and send", look: "" },
    ],
  });
  return answer === "reject" || answer === "keep" ? answer : null;
}
