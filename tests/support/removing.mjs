// A tool whose calls wait for the user, because it says of itself that it destroys something.
import { tool } from "../../dist/index.js";

/** The tool, and the paths that it has removed. */
export function removingTool() {
  const removed = [];
  const remove = tool({
    name: "remove",
    description: "Removes a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    annotations: { destructiveHint: true },
    execute: ({ path }) => {
      removed.push(path);
      return `removed ${path}`;
    },
  });
  return { remove, removed };
}

/** A model's reply that calls it. */
export const removing = (...paths) => ({
  calls: paths.map((path, n) => ({ name: "remove", arguments: { path }, id: `call_${path}_${n}` })),
});
