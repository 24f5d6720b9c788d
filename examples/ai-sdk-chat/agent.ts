// The agent of the chat: a model and its tools. In an app with a server this is what its route does.
import { Agent, LLM, tool } from "threadkeep";

const listFiles = tool({
  name: "list_files",
  description: "Lists the files of the user.",
  parameters: { type: "object", properties: {} },
  annotations: { readOnlyHint: true },
  execute: async (_, { signal }) => (await fetch("/files", { signal })).json(),
});

const deleteFile = tool({
  name: "delete_file",
  description: "Deletes a file of the user.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  // The user is asked before each call, and again if the page dies in the middle of one.
  annotations: { destructiveHint: true },
  async execute({ name }, { signal }) {
    await fetch(`/files/${encodeURIComponent(String(name))}`, { method: "DELETE", signal });
    return `${name} is deleted.`;
  },
});

// A relay of the page's own server, which adds the key: nobody can read it from the page.
export const agent = new Agent({ llm: new LLM({ model: "openai/gpt-5-mini", baseUrl: "/v1", apiMode: "chat" }), tools: [listFiles, deleteFile] });
