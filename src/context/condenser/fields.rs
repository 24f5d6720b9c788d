//! The structured summary: the model is asked for fields by a tool call, and the fields are rendered as the text of an
//! ordinary summary.
//!
//! The text is the only copy of the fields. It survives everything that a summary survives, also a way through Python, and
//! `js/agent/condenser.ts` reads the fields from it.

use crate::{
    json::{EditableObject, ObjectWriter, RawJson, object},
    llm::{ToolSchema, message::Message},
};

/// The first line of a structured summary.
const TITLE: &str = "# Progress";

/// The name of the tool that the model is to call.
const TOOL: &str = "summary";

/// A field of the summary.
struct Field {
    /// The heading in the summary. The field's name is the same in lower case and with underscores.
    heading: &'static str,
    is_list: bool,
    description: &'static str,
}

impl Field {
    const fn text(heading: &'static str, description: &'static str) -> Self {
        Self { heading, is_list: false, description }
    }

    const fn list(heading: &'static str, description: &'static str) -> Self {
        Self { heading, is_list: true, description }
    }

    fn name(&self) -> String {
        self.heading.to_ascii_lowercase().replace(' ', "_")
    }

    /// The field as text; empty if the model has left it out. A text instead of a list is a list of its lines, a list
    /// instead of a text is its lines.
    fn rendered(&self, fields: &EditableObject) -> String {
        let name = self.name();
        let as_list: Option<Vec<RawJson>> = fields.read(&name);
        let as_list: Option<Vec<String>> =
            as_list.map(|items| items.iter().filter_map(RawJson::read::<String>).collect());
        let as_text: Option<String> = fields.read(&name);
        let items: Vec<&str> = match (&as_list, &as_text) {
            (Some(items), _) if self.is_list => items.iter().map(|item| &**item).collect(),
            (Some(items), _) => items.iter().flat_map(|item| item.lines()).collect(),
            (None, Some(text)) => text.lines().collect(),
            (None, None) => Vec::new(),
        };
        let mut text = String::new();
        for line in items.into_iter().map(str::trim_end).filter(|line| !self.is_list || !line.is_empty()) {
            if self.is_list {
                text.push_str("- ");
                text.push_str(&line.trim_start_matches("- ").replace('\n', "\n  "));
            } else {
                // A line of a field is not taken for a heading.
                text.push_str(if line.starts_with('#') { " " } else { "" });
                text.push_str(line);
            }
            text.push('\n');
        }
        if text.trim().is_empty() { String::new() } else { text }
    }
}

const FIELDS: [Field; 10] = [
    Field::text("User context", "What the user wants, with all requirements, preferences and decisions."),
    Field::list("Completed tasks", "The tasks that are done, with their results."),
    Field::list("Pending tasks", "The tasks that remain, the next one first."),
    Field::text("Current state", "Values, data and facts that are needed to continue."),
    Field::list("Files", "Files, documents or URLs that were read or changed, and the changes."),
    Field::text("Tests", "Tests or checks that were run, and which of them fail."),
    Field::text("Errors", "Errors that occurred, and attempts that failed."),
    Field::text("Branch and commits", "Branch, commits, pull requests, and changes that are not committed."),
    Field::text("Dependencies", "What was installed or is required."),
    Field::text("Other", "Anything else that is needed to continue."),
];

/// The tool by which the model is asked for the fields.
pub(super) fn summary_tool() -> ToolSchema {
    let mut properties = ObjectWriter::new();
    for field in &FIELDS {
        let property = object! {
            "type": if field.is_list { "array" } else { "string" },
            "items"?: field.is_list.then(|| object! { "type": "string" }),
            "description": field.description,
        };
        properties.field(&field.name(), &property);
    }
    let required = ["user_context", "completed_tasks", "pending_tasks"];
    let parameters = object! { "type": "object", "properties": properties, "required": &required[..] };
    ToolSchema {
        name: TOOL.to_owned(),
        description: "Stores the summary of the events that are removed from the conversation.".to_owned(),
        parameters: parameters.finish().into(),
    }
}

/// The summary in an answer: the rendered fields, or else the text. `None` if it has neither.
pub fn summary_of(answer: &Message) -> Option<String> {
    let calls = answer.tool_calls.iter().flatten().filter(|call| call.name == TOOL);
    let fields = calls.filter_map(|call| rendered(&EditableObject::compact(&call.arguments)?)).next();
    fields.or_else(|| Some(answer.text().trim().to_owned()).filter(|text| !text.is_empty()))
}

fn rendered(fields: &EditableObject) -> Option<String> {
    let mut text = TITLE.to_owned();
    for field in &FIELDS {
        let value = field.rendered(fields);
        if !value.is_empty() {
            text.push_str("\n\n## ");
            text.push_str(field.heading);
            text.push('\n');
            text.push_str(value.trim_end());
        }
    }
    (text != TITLE).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::message::{Content, Role};

    #[test]
    fn fields_of_other_types_and_missing_ones_are_accepted() {
        let fields = r###"{"user_context":["Wants a report","## in English"],"completed_tasks":"One\n- two","pending_tasks":["- Three\nand more","",7,"Four"],"tests":"","other":3}"###;
        let text = rendered(&EditableObject::compact(fields).unwrap()).unwrap();
        assert_eq!(
            text,
            "# Progress\n\n## User context\nWants a report\n ## in English\n\n## Completed tasks\n- One\n- two\n\n## Pending tasks\n- Three\n  and more\n- Four"
        );
        for fields in ["{}", r#"{"other":""}"#] {
            assert_eq!(rendered(&EditableObject::compact(fields).unwrap()), None);
        }
    }

    #[test]
    fn an_answer_in_text_is_the_summary_and_an_empty_one_is_none() {
        let answer = |text: &str| Message::new(Role::Assistant, vec![Content::text(text)]);
        assert_eq!(summary_of(&answer(" All done. ")).as_deref(), Some("All done."));
        assert_eq!(summary_of(&answer(" \n")), None);
    }
}
