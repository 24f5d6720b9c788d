// The tools of the agent: this page's own, which need no network except the page's own server, and those of the library for
// files and tasks.

import { applyPatch, fileEditor, glob, grep, listDirectory, taskTool, taskTracker, terminal, type Tool } from "threadkeep";
import { addUp } from "./add-up.ts";
import { calculate } from "./calculate.ts";
import { callApi } from "./call-api.ts";
import { getTime } from "./get-time.ts";
import { recall, remember } from "./notes.ts";
import { rollDice } from "./roll-dice.ts";
import { sendPayment } from "./send-payment.ts";
import { slowCount } from "./slow-count.ts";

export const pageTools: Tool[] = [getTime, rollDice, calculate, remember, recall, slowCount, addUp, sendPayment, callApi];

/** They change only the conversation's own files, so they need no approval. */
const workspaceTools: Tool[] = [fileEditor(), applyPatch(), listDirectory(), glob(), grep(), taskTracker()];

/** A tool that no agent server has: a conversation with it cannot move to one. */
const PATCH = "apply_patch";

/** A shell inside this page that works on the same files. Its code is loaded when it is first used. */
const shell = terminal();

/** Sub-agents, which start no others. */
const subagents = taskTool({ maxDepth: 1 });

interface Chosen {
  files: boolean;
  terminal: boolean;
  subagents: boolean;
}

/** The tools of the library that the user has chosen. */
export function chosenTools(chosen: Chosen & { mayMove: boolean }): Tool[] {
  const files = workspaceTools.filter(({ name }) => !chosen.mayMove || name !== PATCH);
  return [...(chosen.files ? files : []), ...(chosen.terminal ? [shell] : []), ...(chosen.subagents ? [subagents] : [])];
}

/** Those of an agent server. */
export const toolsOfServers = (chosen: Chosen): Tool[] => chosenTools({ ...chosen, mayMove: true });

/** All tools that a conversation of this page can have. */
export const allTools: Tool[] = [...pageTools, ...workspaceTools, shell, subagents];
