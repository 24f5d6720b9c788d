// Plugins, as a host gives them and as they are read.
import type { Skill } from "../agent/types.js";
import type { JSONObject } from "../events/types.js";

/**
 * The place of a plugin's directory: `github:owner/repo` or `github:owner/repo/folder`, the URL of a repository of GitHub, of a zip
 * archive (`….zip`), or of a directory with a list of its files (`plugin-files.json`); a zip archive; a directory handle; or an
 * object of texts and bytes by path.
 */
export type PluginFiles =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array
  | FileSystemDirectoryHandle
  | Readonly<Record<string, string | Uint8Array>>;

/** A plugin to load. The SDK's `PluginSource`. */
export interface PluginSource {
  source: PluginFiles;
  /** A branch, a tag or a commit, of a repository. Default: its default branch. */
  ref?: string | null | undefined;
  /** The plugin's folder in the repository or archive. */
  repoPath?: string | null | undefined;
}

export interface LoadPluginOptions extends Omit<PluginSource, "source"> {
  /** Used in place of the global `fetch`, for example with a token for repositories that are not public. */
  fetch?: typeof globalThis.fetch | undefined;
  signal?: AbortSignal | undefined;
}

/** A source that was loaded, without credentials. The SDK's `ResolvedPluginSource`, in which it is stored. */
export interface ResolvedPlugin {
  source: string;
  /** The commit, of a repository. */
  resolved_ref: string | null;
  repo_path: string | null;
  original_ref: string | null;
}

/** A command of a plugin: a message with `/plugin:command` gets its text. */
export interface PluginCommand {
  name: string;
  description: string;
  argument_hint?: string;
  allowed_tools: string[];
  content: string;
  source: string;
  metadata: JSONObject;
}

/** An agent of a plugin, in the SDK's form. The tool `task` offers it. */
export interface PluginAgent {
  name: string;
  description: string;
  model: string;
  color?: string;
  tools: string[];
  skills: string[];
  system_prompt: string;
  source: string;
  when_to_use_examples: string[];
  permission_mode?: "always_confirm" | "confirm_risky" | "never_confirm";
  max_iteration_per_run?: number;
  max_budget_per_run?: number;
  metadata: JSONObject;
  [field: string]: unknown;
}

/** A hook of a plugin, in the SDK's form. */
export interface PluginHook {
  type: "command" | "prompt" | "agent";
  name?: string;
  command: string;
  prompt?: string;
  system_prompt?: string;
  tools: string[];
  /** Seconds. */
  timeout: number;
  max_iterations: number;
  async_: boolean;
}

/** The occasions of hooks in the SDK's form. */
export type PluginHookEvent = "pre_tool_use" | "post_tool_use" | "user_prompt_submit" | "session_start" | "session_end" | "stop";

export type PluginHooks = { [event in PluginHookEvent]: Array<{ matcher: string; hooks: PluginHook[] }> };

/** A plugin that was loaded. Loading runs nothing. */
export interface Plugin {
  /** The name in its manifest, or that of its directory. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** All fields of `plugin.json`. */
  readonly manifest: JSONObject;
  readonly skills: readonly Skill[];
  readonly commands: readonly PluginCommand[];
  readonly agents: readonly PluginAgent[];
  /** `null` if it has no file of hooks, or none that can be read. */
  readonly hooks: PluginHooks | null;
  /** MCP servers in the SDK's form, with `${VAR}` as it is written. */
  readonly mcpConfig: { readonly [name: string]: JSONObject };
  /** The names of the secrets that its servers ask for. */
  readonly secrets: readonly string[];
  /** A sentence for each part that cannot be used. */
  readonly complaints: readonly string[];
  readonly resolved: ResolvedPlugin;
}

/**
 * Decides about a plugin of a conversation before anything of it is used. `isNew` is false for a plugin that is as it was when this
 * store last had it in the conversation.
 */
export type AllowPlugins = (plugin: Plugin, asked: { isNew: boolean }) => boolean | Promise<boolean>;

/** The plugins of a conversation, among its options. */
export interface PluginOptions {
  /**
   * Plugins, in order: their skills, commands, agents, hooks and servers are added to those of the agent, and a warning names what is
   * not used. A source that was loaded before is loaded at the same commit: see docs/plugins.md.
   */
  plugins?: ReadonlyArray<PluginSource | PluginFiles | Plugin> | undefined;
  /**
   * Asked about each plugin before anything of it is used, at each opening; it is used if the answer is `true`. Without this function
   * only skills, commands and agents are used, and neither hooks nor servers.
   */
  allowPlugins?: AllowPlugins | undefined;
  /**
   * What happens where a plugin's hook needs a program that a page does not have: `"block"`, the default, denies the call or the message,
   * and `"skip"` goes on as if there was no hook. A warning names the hook.
   */
  onMissing?: "block" | "skip" | undefined;
}
