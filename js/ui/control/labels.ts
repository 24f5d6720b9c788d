// All texts of the decisions, so that a page can replace them by those of another language.

export const defaultControlLabels = {
  policy: "When the agent asks first",
  policyHelp:
    "A tool that is marked as destructive asks each time, unless you always allow it. A call is risky if its tool reaches beyond this page, or if it matches a pattern for payments, addresses, credentials and stored data. A change applies from the next answer on.",
  neverAsks: "Ask about harmful tools only",
  asksIfRisky: "Ask about risky calls",
  alwaysAsks: "Ask about every call",
  allowed: "Always allowed here",
  askAgain: "Ask again",
  askAgainAbout: (tool: string) => `Ask again about ${tool}`,
  willAsk: (tool: string) => `You will be asked about ${tool} again.`,
  secrets: "Secrets",
  secretsHelp:
    "A tool asks for a secret by its name; the model sees neither, and where the value turns up, it is hidden. Kept in memory until the page closes.",
  secretsOnServer:
    "A tool asks for a secret by its name; the model sees neither, and where the value turns up, it is hidden. The agent server keeps it as long as the conversation: it can be replaced, but not removed.",
  notStored: "not stored, enter it again",
  name: "Name",
  value: "Value",
  add: "Add",
  remove: "Remove",
  removeSecret: (name: string) => `Remove ${name}`,
  added: (name: string) => `Tools can ask for ${name}.`,
  removed: (name: string) => `${name} is removed.`,
  held: "Whoever made the file of this import has chosen the addresses above, and would see that you ask there.",
  allowHeld: "Let its tools fetch them",
  heldAllowed: "Tools of this conversation may fetch its secrets.",
};

type DefaultLabels = typeof defaultControlLabels;

/** The texts of the decisions. Some are functions of what they name. An interface, which editors and the reference name in place of its members. */
export interface ControlLabels extends DefaultLabels {}
