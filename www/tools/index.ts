// The tools of this page. All of them work with no network but its own server.

import type { Tool } from "threadkeep";
import type { IconName } from "../icons.ts";
import { calculate } from "./calculate.ts";
import { callApi } from "./call-api.ts";
import { getTime } from "./get-time.ts";
import { recall, remember } from "./notes.ts";
import { rollDice } from "./roll-dice.ts";
import { sendPayment } from "./send-payment.ts";
import { slowCount } from "./slow-count.ts";

export const pageTools: Tool[] = [getTime, rollDice, calculate, remember, recall, slowCount, sendPayment, callApi];

const ICONS: Record<string, IconName> = {
  get_time: "clock",
  roll_dice: "dice",
  calculate: "calculator",
  remember: "note",
  recall: "search",
  slow_count: "count",
  send_payment: "payment",
  call_api: "key",
};

/** What the model says a call is for; null where it said nothing and the SDK put name and arguments in its place. */
export function summaryOf(toolName: string, summary: string | undefined): string | null {
  return summary === undefined || summary === "" || summary.startsWith(`${toolName}: {`) ? null : summary;
}

/** What a call is for, or what its tool does. */
export function titleOf({ tool_name: toolName = "tool", summary }: { tool_name?: string; summary?: string }): string {
  return summaryOf(toolName, summary) ?? lookOf(toolName).title;
}

/** How to show a call; a tool this page does not have (an imported conversation's) goes by its name. */
export function lookOf(toolName: string): { title: string; icon: IconName } {
  const title = pageTools.find(({ name }) => name === toolName)?.annotations.title;
  const plainName = toolName.charAt(0).toUpperCase() + toolName.slice(1).replaceAll("_", " ");
  return { title: title ?? plainName, icon: ICONS[toolName] ?? "tool" };
}
