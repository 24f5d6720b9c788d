// remember and recall: notes in this browser's localStorage, shared by all conversations of the page. A note is stored under
// its call's idempotency key, so a call that is repeated after a crash adds nothing.

import { tool } from "threadkeep";

const STORAGE_KEY = "threadkeep-demo:notes";

interface Note {
  key: string;
  text: string;
}

export const remember = tool<{ text: string }>({
  name: "remember",
  description: "Keeps a note for later, in this browser, across all conversations.",
  parameters: {
    type: "object",
    properties: { text: { type: "string", minLength: 1, maxLength: 2000, description: "what to remember" } },
    required: ["text"],
    additionalProperties: false,
  },
  annotations: { title: "Keep a note", destructiveHint: false, idempotentHint: true, openWorldHint: false },
  // A worker has no localStorage.
  runsIn: "page",
  execute({ text }, { idempotencyKey }) {
    const notes = readNotes().filter((note) => note.key !== idempotencyKey);
    notes.push({ key: idempotencyKey, text });
    localStorage.setItem(STORAGE_KEY, JSON.stringify(notes));
    return `Noted: ${text}`;
  },
});

export const recall = tool<{ query?: string }>({
  name: "recall",
  description: "Looks through the notes that were kept with `remember`.",
  parameters: {
    type: "object",
    properties: { query: { type: "string", description: "a word to look for; without it, every note" } },
    additionalProperties: false,
  },
  annotations: { title: "Look through the notes", readOnlyHint: true, openWorldHint: false },
  runsIn: "page",
  execute({ query }) {
    const wanted = query?.toLocaleLowerCase();
    const found = readNotes().filter(({ text }) => !wanted || text.toLocaleLowerCase().includes(wanted));
    if (found.length > 0) return found.map(({ text }) => `- ${text}`).join("\n");
    return query ? `No note mentions “${query}”.` : "There are no notes yet.";
  },
});

function readNotes(): Note[] {
  try {
    const notes: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(notes) ? notes.filter((note): note is Note => typeof note?.text === "string") : [];
  } catch {
    return []; // Not our data; the next note replaces it.
  }
}
