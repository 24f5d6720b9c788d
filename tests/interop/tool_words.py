"""What the tools on files say here, put in the place of what those of openhands-tools say.

Every row finds one sentence of theirs by a few of its words, and has ours with the same paths, numbers and lines. A text
without a row stays as it is, so a sentence that nobody has written anew differs from ours in the test. `used` has the rows
that were needed: the test wants every one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from openhands.sdk.tool.schema import Observation, TextContent
from openhands.tools.apply_patch.core import DiffError, Parser
from openhands.tools.apply_patch.definition import ApplyPatchExecutor
from openhands.tools.file_editor import editor
from openhands.tools.gemini.list_directory.definition import FileEntry, ListDirectoryObservation

FILE_CLIPPED = "\n[The middle is left out here: the file is too long to be shown at once. View the lines that you need with `view_range`.]\n"
DIRECTORY_CLIPPED = "\n[The middle is left out here: these are too many entries to be shown at once. List one of the directories.]\n"

Words = Callable[[re.Match], str]


def numbers(text: str) -> str:
    return text.strip("[]")


def one_more(text: str) -> int:
    return int(text) + 1


ROWS: dict[str, list[tuple[str, Words]]] = {
    "file_editor": [
        (r"^Parameter (`\w+`) is required for command: (\w+)\.$", lambda m: f"`{m[2]}` needs {m[1]}, which is missing."),
        (r"^Invalid `new_str` parameter: [\s\S]*\. No replacement was performed\. [^.]*different\.$", lambda _: "`old_str` and `new_str` are the same, so nothing was changed."),
        (r"^No replacement was performed, old_str `[\s\S]*` did not appear verbatim in (.*)\.$", lambda m: f"`old_str` does not occur in {m[1]}, so nothing was changed. View the file and copy the text exactly, with its white space."),
        (r"^No replacement was performed\. Multiple [\s\S]* in lines (\[[\d, ]*\])\. Please[^.]*\.$", lambda m: f"`old_str` occurs more than once (lines {numbers(m[1])}), so nothing was changed. Add text around the place that you mean."),
        (r"^The file (.*) has been edited\. Here's [^\n]* on [^\n]*:\n((?:[\s\S]*\n)?)Review the changes[^\n]*$", lambda m: f"Edited {m[1]}. The lines around the change:\n{m[2]}"),
        (r"^Last edit to (.*) undone successfully\. Here's [^\n]*:\n", lambda m: f"Undid the last edit of {m[1]}. Its lines:\n"),
        (r"^No edit history found for (.*)\.$", lambda m: f"No edit of {m[1]} is left to be undone."),
        (r"^File created successfully at: (.*)$", lambda m: f"Created {m[1]}."),
        (r"^NOTE: We only show up to (\d+) since[^\n]*\n", lambda m: f"The file ends with line {m[1]}.\n"),
        (r"(?:^|(?<=\.\n))Here's the result of running `cat -n` on (.*):\n", lambda m: f"The lines of {m[1]}:\n"),
        (r"^Image file (.*) read successfully\.[\w ]*\.$", lambda m: f"The image {m[1]}:"),
        (r"^Here's the files and directories up to 2 levels deep in (.*), excluding[^\n]*:\n", lambda m: f"{m[1]} and what is in it, two levels deep:\n"),
        (r"(?<=\n)(\d+) hidden files/directories in this [^.]*\. You can use 'ls -la (.*)' to see them\.$", lambda m: f"Hidden entries of {m[2]} that are left out: {m[1]}."),
        (r"(?<=\. )The path should be an absolute path\.(?: Maybe you meant (.*)\?)?$", lambda m: "Paths are absolute." + (f" Did you mean {m[1]}?" if m[1] else "")),
        (r"(?<=\. )File already exists at: [^`]* using command `create`\.$", lambda _: "It exists, and `create` overwrites nothing: use `str_replace` or `insert`, or another path."),
        (r"(?<=\. )The path .* does not exist\. Please[^.]*\.$", lambda _: "It does not exist. View its directory to see what there is."),
        (r"(?<=\. )The path .* is a directory and only [^.]*\.$", lambda _: "It is a directory, which can only be viewed: name a file."),
        (r"(?<=\. )The `view_range` parameter is not allowed [^.]*\.$", lambda _: "A directory has no lines: leave it out."),
        (r"(?<=\. )It should be within the range of allowed values: \[0, (\d+)\]$", lambda m: f"The file has {m[1]} lines: give the number of one, or 0 for the place before the first."),
        (r"(?<=\. )It should be a list of two integers\.$", lambda _: "Give two numbers: the first line and the last."),
        (r"(?<=\. )Its first element `-?\d+` should be [^.]*: \[1, (\d+)\]\.$", lambda m: f"The file has {m[1]} lines: begin with one of them."),
        (r"(?<=\. )Its second element `(-?\d+)` should be [^.]* first element `(\d+)`\.$", lambda m: f"Line {m[1]} is before line {m[2]}: the last line must not be."),
        (r"^Invalid (`\w+`) parameter: ", lambda m: f"{m[1]} cannot be "),
        (r"(?<=: )File is too large \((.*)\)\. Maximum allowed size is (\w+)\.$", lambda m: f"It has {m[1]}, more than the {m[2]} that can be opened."),
        (r"(?<=: )File appears to be binary and [^.]*\.$", lambda _: "It is neither text nor an image that can be shown."),
        (r"^File validation failed for (.*): ", lambda m: f"{m[1]} cannot be opened. "),
        (r"^Ran into \[Errno 2\] No such file or directory: '(.*)/\..*\.tmp' while trying to write to (.*)$", lambda m: f"{m[2]} could not be written: {m[1]} does not exist"),
        (r"^Ran into \[Errno 20\] Not a directory: '(.*)/\..*\.tmp' while trying to write to (.*)$", lambda m: f"{m[2]} could not be written: {m[1]} is not a directory"),
    ],
    "task_tracker": [
        (r"^Task list has been updated with (\d+) item\(s\)\.$", lambda m: f"Stored. Tasks in the list: {m[1]}."),
        (r"^No task list found\. [^.]*\.$", lambda _: "The list has no tasks. `plan` fills it."),
        (r"^# Task List", lambda _: "# Tasks"),
    ],
    "grep": [
        (r"^Search path ('.*') is not a valid directory$", lambda m: f"There is no directory {m[1]} to search."),
        (r"^No files found containing pattern ('.*') in directory ('.*?')(?: \(filtered by ('.*')\))?$", lambda m: f"{searched(m)}: none"),
        (r"^Found (\d+) file\(s\) containing pattern ('.*') in ('.*?')(?: \(filtered by ('.*')\))?:\n", lambda m: f"{searched(m, 1)}: {m[1]}\n"),
        (r"\n\n\[Results truncated to first (\d+) files\. [^\]]*\]$", lambda m: f"\n\n[There are more. These {m[1]} were changed last; a narrower pattern or path finds others.]"),
        (r"^Invalid regex pattern: ", lambda _: "The pattern is no regular expression of Python: "),
    ],
    "glob": [
        (r"^Search path ('.*') is not a valid directory$", lambda m: f"There is no directory {m[1]} to search."),
        (r"^No files found matching pattern ('.*') in directory ('.*')$", lambda m: f"Files below {m[2]} whose path matches {m[1]}: none"),
        (r"^Found (\d+) file\(s\) matching pattern ('.*') in ('.*'):\n", lambda m: f"Files below {m[3]} whose path matches {m[2]}: {m[1]}\n"),
        (r"\n\n\[Results truncated to first (\d+) files\. [^\]]*\]$", lambda m: f"\n\n[There are more. These {m[1]} were changed last; a narrower pattern or path finds others.]"),
    ],
    "list_directory": [
        (r"^Error: Directory not found: (.*)$", lambda m: f"There is no directory {m[1]}."),
        (r"^Error: Path is not a directory: (.*)$", lambda m: f"{m[1]} is a file, not a directory."),
        (r"^Listed directory: (.*) \((\d+) entries(?:, truncated to (\d+))?\)", lambda m: f"Entries of {m[1]}: {m[2]}" + (f", or more; the first {m[3]}:" if m[3] else "")),
    ],
    "apply_patch": [
        (r"^Invalid patch: must start with [^\n]*$", lambda _: 'The patch must begin with the line "*** Begin Patch".'),
        (r"^Invalid patch text$", lambda _: 'The patch must begin with the line "*** Begin Patch" and end with the line "*** End Patch".'),
        (r"^Unknown Line: ", lambda _: 'A change must begin here, with "*** Update File: ", "*** Delete File: " or "*** Add File: ":\n'),
        (r"^Update File Error: Invalid move path '(.*)': must be [^\n]*$", lambda m: f'A file cannot be moved to {m[1]}: give a relative path without "..".'),
        (r"^Invalid Line:\n", lambda _: 'A section must begin with "@@" here:\n'),
        (r"^Invalid (?:EOF )?Context (\d+) of (.*):\n", lambda m: f"These lines are not in {m[2]} from line {one_more(m[1])} on. View it, and copy them exactly:\n"),
        (r"^Invalid Add File Line: ", lambda _: 'In a file to add, this line must begin with "+":\n'),
        (r"^(\w+) File Error: Duplicate Path: (.*)$", lambda m: f"*** {m[1]} File: {m[2]}: the patch changes this file twice. Put all of its changes together."),
        (r"^Delete File Error: Missing File: (.*)$", lambda m: f"There is no file {m[1]}."),
        (r"^Invalid Line: ", lambda _: 'In a section, this line must begin with " ", "-" or "+":\n'),
        (r"^Nothing in this section - index=(\d+) ", lambda m: f'Line {one_more(m[1])} of the patch must belong to a section, and begin with " ", "-" or "+":\n'),
        (r"^Absolute or escaping paths [^:]*: (.*) in (.*)$", lambda m: f'{m[1]} is outside of {m[2]}: give a path relative to it, without "..".'),
    ],
}

used: set[str] = set()


def searched(found: re.Match, first: int = 0) -> str:
    pattern, directory, include = found[first + 1], found[first + 2], found[first + 3]
    return f"Files below {directory} with a match of {pattern}" + (f", in names like {include}" if include else "")


def in_our_words(tool: str, text: str) -> str:
    for theirs, ours in ROWS[tool]:
        text, count = re.subn(theirs, ours, text, count=1)
        if count:
            used.add(f"{tool}: {theirs}")
    return text


def said(tool: str, observation: Observation) -> Observation:
    """The observation with our words in its texts."""
    content = [TextContent(text=in_our_words(tool, part.text)) if isinstance(part, TextContent) else part for part in observation.content]
    if isinstance(observation, ListDirectoryObservation) and not observation.is_error:
        # Their text has only the number of the entries.
        lines = [line(entry, observation.dir_path) for entry in observation.entries]
        content = [TextContent(text=editor.maybe_truncate("\n".join([content[0].text, *lines]), truncate_after=16_000, truncate_notice=DIRECTORY_CLIPPED))]
    return observation.model_copy(update={"content": content})


def line(entry: FileEntry, directory: str) -> str:
    name = entry.path.removeprefix(directory).removeprefix("/")
    return f"{name}/" if entry.is_directory else f"{name}  {entry.size} bytes, changed {entry.modified_time.isoformat()}"


def unused() -> list[str]:
    return sorted({f"{tool}: {theirs}" for tool, rows in ROWS.items() for theirs, _ in rows} - used)


def prepare() -> None:
    """What is cut to a length has to have our words before; and errors in a patch name the file that they are about."""
    clip = editor.maybe_truncate
    notices = {editor.TEXT_FILE_CONTENT_TRUNCATED_NOTICE: FILE_CLIPPED, editor.DIRECTORY_CONTENT_TRUNCATED_NOTICE: DIRECTORY_CLIPPED}

    def clipped(content: str, truncate_after: int, truncate_notice: str) -> str:
        is_directory = truncate_notice == editor.DIRECTORY_CONTENT_TRUNCATED_NOTICE
        return clip(in_our_words("file_editor", content) if is_directory else content, truncate_after=truncate_after, truncate_notice=notices.get(truncate_notice, truncate_notice))

    editor.maybe_truncate = clipped
    parse = Parser.parse_update_file

    def parse_update_file(parser: Parser, text: str):
        begin = next(line for line in reversed(parser.lines[: parser.index]) if line.startswith("*** Update File: "))
        try:
            return parse(parser, text)
        except DiffError as error:
            raise DiffError(re.sub(r"^(Invalid (?:EOF )?Context \d+):", lambda m: f"{m[1]} of {begin.removeprefix('*** Update File: ')}:", str(error))) from None

    Parser.parse_update_file = parse_update_file
    resolve = ApplyPatchExecutor._resolve_path

    def resolve_path(executor: ApplyPatchExecutor, path: str):
        try:
            return resolve(executor, path)
        except DiffError as error:
            raise DiffError(f"{error}: {path} in {executor.workspace_root}") from None

    ApplyPatchExecutor._resolve_path = resolve_path


prepare()
