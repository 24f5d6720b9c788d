//! The worked example around the first message of the user: the SDK's `get_example_for_tools`.

use crate::llm::completion::ToolSchema;

/// What stands behind the user's first message.
pub(super) const TASK_END: &str = include_str!("prompts/task_end.md");

/// A conversation in pieces, each behind a line `@@ tool` with the tool that it shows.
const EXAMPLE: &str = include_str!("prompts/example.md");

/// The example for these tools; empty where it shows none of them.
pub(super) fn example_for(tools: &[ToolSchema]) -> String {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    let mut example = String::new();
    let mut is_of_use = false;
    for piece in EXAMPLE.split("@@ ") {
        let Some((tool, text)) = piece.split_once('\n') else { continue };
        // Two tools for the same: the example edits with one of them.
        let is_shown = has(tool) && !(tool == "edit_file" && has("file_editor"));
        is_of_use |= is_shown;
        if is_shown || tool == "always" {
            example.push_str(text);
        }
    }
    if is_of_use { example } else { String::new() }
}
