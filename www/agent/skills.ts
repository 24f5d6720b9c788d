// The skills of this page's agent: one that a word in a message adds, and one that the model opens when its description fits.

import type { AgentContextOptions } from "threadkeep";

export const agentContext: AgentContextOptions = {
  skills: [
    {
      name: "haiku",
      trigger: { type: "keyword", keywords: ["haiku"] },
      content:
        "A haiku has three lines of five, seven and five syllables. It names a season, and it shows a moment instead of explaining it. Write nothing before or after it.",
    },
    {
      name: "trip-planner",
      isAgentskillsFormat: true,
      description: "How to plan a trip. Open it before you suggest a route, a place to stay or what to pack.",
      content:
        "Ask for the dates, the number of travellers and what they can spend, unless they were named. Then write one line for each day: the place, how to get there, one thing to do, and a place indoors in case it rains.",
    },
  ],
};
