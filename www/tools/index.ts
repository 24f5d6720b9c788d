// The tools of this page. They need no network except the page's own server.

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
  invoke_skill: "skill",
};

/** The model's summary of a call; null if it gave none and the SDK used the tool's name and arguments instead. */
export function summaryOf(toolName: string, summary: string | undefined): string | null {
  return summary === undefined || summary === "" || summary.startsWith(`${toolName}: {`) ? null : summary;
}

/** The summary of a call, or otherwise its tool's description. */
export function titleOf({ tool_name: toolName = "tool", summary }: { tool_name?: string; summary?: string }): string {
  return summaryOf(toolName, summary) ?? lookOf(toolName).title;
}

/** The label of a call; a tool that this page does not have (in an imported conversation) is shown by its name. */
export function lookOf(toolName: string): { title: string; icon: IconName } {
  const title = pageTools.find(({ name }) => name === toolName)?.annotations.title;
  const plainName = toolName.charAt(0).toUpperCase() + toolName.slice(1).replaceAll("_", " ");
  return { title: title ?? plainName, icon: ICONS[toolName] ?? "tool" };
}
