// get_time: reads the clock. It is read-only, so an interrupted call is repeated.

import { tool } from "threadkeep";

export const getTime = tool<{ time_zone?: string }>({
  name: "get_time",
  description: "Tells the date and time, here or in another time zone.",
  parameters: {
    type: "object",
    properties: {
      time_zone: { type: "string", description: "IANA name such as Europe/Oslo; without it, the user's own zone" },
    },
    additionalProperties: false,
  },
  annotations: { title: "Look at the clock", readOnlyHint: true, openWorldHint: false },
  execute({ time_zone }) {
    const timeZone = time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone });
    return `${format.format(new Date())} (${timeZone})`;
  },
});
