// The agent of the chat, which the worker and its pages import: a model, a tool for the worker, and a tool for a page.
import { Agent, LLM, tool } from "threadkeep";

const lookAtSky = tool({
  name: "look_at_sky",
  description: "Tells the weather in a city, and the colour of its sky.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  annotations: { title: "Look at the sky", readOnlyHint: true },
  execute: async ({ city }, { signal }) => (await fetch(`/sky?city=${encodeURIComponent(String(city))}`, { signal })).json(),
});

const paintPage = tool({
  name: "paint_page",
  description: "Paints the page that the user looks at.",
  parameters: { type: "object", properties: { colour: { type: "string", description: "such as #8fc1e3" } }, required: ["colour"] },
  annotations: { title: "Paint the page", idempotentHint: true, openWorldHint: false },
  // A worker has no document: the call runs in the page that the user looks at, and waits for one.
  runsIn: "page",
  execute({ colour }) {
    if (!CSS.supports("color", String(colour))) throw new Error(`${colour} is no colour of CSS`);
    document.documentElement.style.setProperty("--paint", String(colour));
    return `The page is ${colour} now.`;
  },
});

// A relay of the page's own server, which adds the key: nobody can read it from the page.
export const agent = new Agent({ llm: new LLM({ model: "openai/gpt-5-mini", baseUrl: "/v1", apiMode: "chat" }), tools: [lookAtSky, paintPage] });
