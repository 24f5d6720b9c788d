// The options and results of imports and exports.
import type { CoreForm } from "../../pkg/threadkeep.js";
import type { Workspace } from "../workspace/types.js";

/** The progress of an import or export. */
export interface Progress {
  /** How much is done, in `unit`. */
  done: number;
  /** How much there is to do, in `unit`. It does not change. */
  total: number;
  /** For an import, bytes unpacked (everything is read twice); for an export, files written (each event is a file). */
  unit: "bytes" | "files";
}

/** The result for one conversation of an import. */
export interface ImportedConversation {
  /** The conversation's id. */
  id: string;
  /**
   * `created`: there was no conversation with this id. `continued`: it has gone on in the archive and not here, and stands where it
   * stands there. `merged`: it has gone on in both, or HEAD was moved here; HEAD and the settings stay, and the events that only the
   * archive has are branches beside the active one. `up_to_date`: everything was stored already, and nothing was changed.
   */
  outcome: "created" | "continued" | "merged" | "up_to_date";
  /** The number of events in the stored log. */
  eventCount: number;
  /** Sentences for the user, each naming a file: damaged files in quarantine, secrets that were left out. */
  warnings: string[];
}

/** Progress and abortion of an import or export. */
export interface TransferOptions {
  onProgress?: ((progress: Progress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** The part of a conversation that `exportMarkdown()` and `exportHTML()` write. */
export interface TextOptions {
  /** The last event of the branch: that of another one is the `leafEventId` of `branches()`. Default: the active branch. */
  leafEventId?: string | undefined;
  /** The first event. Default: that of the branch. */
  sinceEventId?: string | undefined;
}

/** The files that the agent works on, and whether they are those of the conversation. @internal */
export interface Work {
  workspace: Workspace;
  isOwn: boolean;
}

export interface ExportOptions extends TransferOptions {
  /**
   * Whether the archive contains the files that the agent works on, under `workspace/`: at most 1 GiB. Default: it does not.
   * They are exported as they are, with whatever an agent has written into them.
   */
  workspace?: boolean | undefined;
}

/** A format of the core, or a part of the request body of a wire API. @internal */
export type Form = CoreForm | "responses" | "anthropic";
