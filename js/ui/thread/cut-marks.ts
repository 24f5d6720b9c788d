// Generated from src/agent/partial.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { CutReason } from "./types.js";

/** The sentence that an answer that was cut off ends with for the model, and why it was. */
export const cutMarks: ReadonlyMap<string, CutReason> = new Map([
  ["[This answer was stopped here.]", "stopped"],
  ["[This answer broke off here.]", "broken_off"],
  ["[This answer was cut off here: it reached the limit of its length.]", "length"],
  ["[The limit of this answer was used up by thoughts before it said anything.]", "length"],
  ["[This answer was cut off here by the provider's content filter.]", "content_filter"],
  ["[This answer was not completed by the provider.]", "incomplete"],
]);
