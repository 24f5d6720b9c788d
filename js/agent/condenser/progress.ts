// Reads the fields of a structured summary.

/** The fields of a structured summary. A field that the model has left out is empty. */
export interface ConversationProgress {
  userContext: string;
  completedTasks: string[];
  pendingTasks: string[];
  currentState: string;
  files: string[];
  tests: string;
  errors: string;
  branchAndCommits: string;
  dependencies: string;
  other: string;
}

export function fieldsOf(summary: string): ConversationProgress {
  const progress: Record<string, string | string[]> = {
    userContext: "",
    completedTasks: [],
    pendingTasks: [],
    currentState: "",
    files: [],
    tests: "",
    errors: "",
    branchAndCommits: "",
    dependencies: "",
    other: "",
  };
  for (const section of summary.split(/^## /m).slice(1)) {
    const [heading = "", ...lines] = section.trim().split("\n");
    const name = heading.toLowerCase().replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());
    // A line of a field is not taken for a heading.
    const text = lines.join("\n").replace(/^ #/gm, "#");
    if (Array.isArray(progress[name]))
      progress[name] = text
        .slice(2)
        .split("\n- ")
        .map((item) => item.replaceAll("\n  ", "\n"));
    else if (name in progress) progress[name] = text;
  }
  return progress as unknown as ConversationProgress;
}
