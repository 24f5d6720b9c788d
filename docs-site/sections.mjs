// The menu of the documentation site: sections, with the pages of docs/ in them and their names there.
export const sections = [
  {
    title: "Begin",
    pages: [
      ["get-started", "A chat in ten minutes"],
      ["format", "To Python and back"],
    ],
  },
  {
    title: "User interfaces",
    pages: [
      ["react", "React"],
      ["ai-sdk", "AI SDK: useChat"],
      ["assistant-ui", "assistant-ui"],
      ["chat", "<threadkeep-chat>"],
      ["conversations", "<threadkeep-conversations>"],
      ["model-settings", "<threadkeep-model>"],
      ["thread", "Any other framework"],
    ],
  },
  {
    title: "The agent",
    pages: [
      ["models", "Models"],
      ["tools", "Tools"],
      ["mcp", "MCP servers"],
      ["plugins", "Plugins"],
      ["workspace", "Workspaces"],
      ["context", "Context, branches, skills"],
      ["control", "Staying in control"],
    ],
  },
  {
    title: "Reliability",
    pages: [
      ["durability", "What survives what"],
      ["keeping", "Keeping conversations"],
      ["organizing", "Lists, trash, search"],
      ["tabs", "Several tabs, and workers"],
      ["server", "On an agent server"],
      ["errors", "Errors and statuses"],
    ],
  },
  {
    title: "Environments",
    pages: [
      ["environments", "Where it runs"],
      ["stores", "Stores: folders, locks, your own"],
      ["testing", "Testing and inspecting"],
      ["differences", "Differences from the SDK"],
      ["figures", "Figures"],
    ],
  },
];
