// The tool `file_editor`: views, creates and edits text files. The SDK's is `tools/file_editor/`.
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, ToolPlace } from "../tool/types.js";
import { messageOf, present, safety } from "./definition.js";
import { Editor } from "./file-editor/editor.js";
import type { FileEditorArguments } from "./file-editor/arguments.js";
import { History } from "./file-editor/history.js";

const description = (workingDir: string) => `Views, creates and edits text files.

Commands:
* \`view\` shows a file with line numbers, or a directory two levels deep without hidden files. An image (.png, .jpg, .jpeg, .gif, .webp, .bmp) is shown as an image. \`view_range\` selects lines.
* \`create\` writes a new file. It fails if the file exists, or if its directory does not.
* \`str_replace\` replaces a part of a file. \`old_str\` must match exactly one place of the file, including white space and indentation: add a few of the lines around it to make it unique. It must differ from \`new_str\`.
* \`insert\` adds \`new_str\` after the line \`insert_line\`; 0 means before the first line.
* \`undo_edit\` reverts the last edit of a file; up to 10 edits of each file can be reverted.

Paths are absolute. Long output is clipped, which the result says. If you have several edits for one file, make the calls in one message.

The working directory is ${workingDir}: begin there, not at the root.`;

const parameters = {
  type: "object",
  properties: {
    command: { type: "string", enum: ["view", "create", "str_replace", "insert", "undo_edit"], description: "The command." },
    path: { type: "string", description: "The absolute path of the file or directory." },
    file_text: { type: "string", description: "For `create`: the content of the file." },
    old_str: { type: "string", description: "For `str_replace`: the text to replace." },
    new_str: {
      type: "string",
      description: "For `str_replace`: the text in its place, which may be empty. For `insert`: the text to insert.",
    },
    insert_line: { type: "integer", minimum: 0, description: "For `insert`: the number of the line after which `new_str` is inserted." },
    view_range: {
      type: "array",
      items: { type: "integer" },
      description:
        "For `view` of a file: the first and the last line, counted from 1, such as [11, 12]; [11, -1] shows everything from line 11.",
    },
  },
  required: ["command", "path"],
} as const;

export function define({ workingDir, isTransactional, isOwn }: ToolPlace): BuiltInDefinition {
  return {
    description: description(workingDir),
    parameters,
    annotations: { title: "file_editor", readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    ...safety(isTransactional, isOwn),
    className: "FileEditor",
    action: ({ command, path, file_text, old_str, new_str, insert_line, view_range }: FileEditorArguments) =>
      present({ command, path, file_text, old_str, new_str, insert_line, view_range }),
    execute,
  };
}

async function execute(args: FileEditorArguments, { workspace, files }: BuiltInContext): Promise<BuiltInOutput> {
  try {
    return await new Editor(workspace, new History(files)).run(args);
  } catch (error) {
    return { content: messageOf(error), isError: true, fields: present({ command: args.command, prev_exist: true }) };
  }
}
