// The arguments of `file_editor`, and the errors about them.

export interface FileEditorArguments {
  command: "view" | "create" | "str_replace" | "insert" | "undo_edit";
  path: string;
  file_text?: string | null;
  old_str?: string | null;
  new_str?: string | null;
  insert_line?: number | null;
  view_range?: number[] | null;
}

/** An error that the model can correct. */
export class Failure extends Error {}

export function missing(command: string, parameter: string): Failure {
  return new Failure(`\`${command}\` needs \`${parameter}\`, which is missing.`);
}

export function invalid(parameter: string, value: string, hint: string): Failure {
  return new Failure(`\`${parameter}\` cannot be ${value}. ${hint}`);
}

export function unreadable(path: string, reason: string): Failure {
  return new Failure(`${path} cannot be opened. ${reason}`);
}
