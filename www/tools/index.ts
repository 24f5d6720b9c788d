// The tools of this page. All of them work with no network.

import type { Tool } from "threadkeep";
import type { IconName } from "../icons.ts";
import { calculate } from "./calculate.ts";
import { getTime } from "./get-time.ts";
import { recall, remember } from "./notes.ts";
import { rollDice } from "./roll-dice.ts";
import { slowCount } from "./slow-count.ts";

export const pageTools: Tool[] = [getTime, rollDice, calculate, remember, recall, slowCount];

const LOOKS: Record<string, { title: string; icon: IconName }> = {
  get_time: { title: "Look at the clock", icon: "clock" },
  roll_dice: { title: "Roll dice", icon: "dice" },
  calculate: { title: "Calculate", icon: "calculator" },
  remember: { title: "Keep a note", icon: "note" },
  recall: { title: "Look through the notes", icon: "search" },
  slow_count: { title: "Count slowly", icon: "count" },
};

/** How to show a call; a tool this page does not have (an imported conversation's) goes by its name. */
export function lookOf(toolName: string): { title: string; icon: IconName } {
  return LOOKS[toolName] ?? { title: toolName.replaceAll("_", " "), icon: "tool" };
}
