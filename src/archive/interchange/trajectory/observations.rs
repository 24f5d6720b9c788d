//! Reads V0 observations and assigns them to their calls.

use super::super::{
    entry::Entry,
    timeline::{ItemKind, Outcome, Timeline, image},
};
use crate::{
    error::Result,
    event::{ActionEvent, ConversationErrorEvent, Source},
    json::FromJson as _,
    llm::message::{Content, Message, Role},
};
use std::collections::{HashMap, HashSet};

/// The calls so far.
#[derive(Default)]
pub struct Calls {
    /// The ids of all calls.
    ids: HashSet<String>,
    /// The id of the call of a V0 event, by the event's number.
    by_event: HashMap<String, String>,
    /// The numbers of the events that are actions of the user.
    user_actions: HashSet<String>,
    /// The numbers of the events that are commands that V0 ran for itself and showed to nobody.
    hidden: HashSet<String>,
    responses: HashSet<String>,
}

impl Calls {
    /// Adds the call of this event.
    pub fn add(&mut self, entry: &Entry<'_>, action: &ActionEvent) {
        if let Some(id) = entry.get("id") {
            self.by_event.insert(id.trim().to_owned(), action.tool_call_id.clone());
        }
        self.ids.insert(action.tool_call_id.clone());
        self.responses.insert(action.llm_response_id.clone());
    }

    /// Records that this event is an action of the user.
    pub fn add_user_action(&mut self, entry: &Entry<'_>) {
        if let Some(id) = entry.get("id") {
            self.user_actions.insert(id.trim().to_owned());
        }
    }

    /// Records that V0 has run this action for itself.
    pub fn add_hidden(&mut self, entry: &Entry<'_>) {
        if let Some(id) = entry.get("id") {
            self.hidden.insert(id.trim().to_owned());
        }
    }

    /// Whether a call of this answer was added.
    pub fn has_response(&self, response: &str) -> bool {
        self.responses.contains(response)
    }

    /// The id of the call that an observation answers.
    fn answered_by(&self, entry: &Entry<'_>) -> Result<Option<String>> {
        let metadata = entry.object("tool_call_metadata")?;
        let id = metadata.map(|metadata| metadata.text("tool_call_id")).transpose()?.flatten();
        if let Some(id) = id.filter(|id| self.ids.contains(id)) {
            return Ok(Some(id));
        }
        Ok(entry.get("cause").and_then(|cause| self.by_event.get(cause.trim()).cloned()))
    }
}

/// Reads an observation.
pub fn observation(
    timeline: &mut Timeline<'_>,
    calls: &mut Calls,
    entry: &Entry<'_>,
    name: &str,
) -> Result<()> {
    let extras = match entry.object("extras")? {
        Some(extras) => extras,
        None => Entry::read(format!("{}.extras", entry.name), "{}")?,
    };
    if entry.get("cause").is_some_and(|cause| calls.hidden.contains(cause.trim())) {
        timeline.leave_out("the result of a command that V0 ran for itself");
        return Ok(());
    }
    let text = entry.text("content")?.unwrap_or_default();
    let kind = match (name, calls.answered_by(entry)?) {
        ("null" | "agent_state_changed" | "loop_detection", _) => {
            timeline.leave_out(name);
            return Ok(());
        }
        ("error", Some(call)) => ItemKind::Result(call, Outcome::Failed(text)),
        ("user_rejected", Some(call)) => ItemKind::Result(call, Outcome::Rejected(text)),
        (_, Some(call)) => ItemKind::Result(call, Outcome::Content(content(timeline, &extras, name, text)?)),
        ("error", None) => {
            let code = extras.name_in("error_id")?.unwrap_or_else(|| "ErrorObservation".to_owned());
            ItemKind::Other(Source::Environment, ConversationErrorEvent::new(code, text).into())
        }
        ("recall", None) => match recalled(&extras)? {
            Some(text) => user_message(Source::Environment, vec![Content::text(text)]),
            None => {
                timeline.leave_out(name);
                return Ok(());
            }
        },
        (_, None) => {
            let is_user_action =
                entry.get("cause").is_some_and(|cause| calls.user_actions.contains(cause.trim()));
            let mut content = content(timeline, &extras, name, text)?;
            content.retain(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
            if content.is_empty() {
                timeline.leave_out(&format!("{name} without content"));
                return Ok(());
            }
            if let (true, Some(Content::Text { text, .. })) = (is_user_action, content.first_mut()) {
                *text = format!("What came of a command of the user's:\n{text}");
            }
            user_message(if is_user_action { Source::User } else { Source::Environment }, content)
        }
    };
    timeline.add(&entry.name, entry.text("timestamp")?, kind);
    Ok(())
}

fn user_message(source: Source, content: Vec<Content>) -> ItemKind {
    ItemKind::Message(source, Message::new(Role::User, content))
}

/// The content that the model was shown.
fn content(
    timeline: &mut Timeline<'_>,
    extras: &Entry<'_>,
    name: &str,
    text: String,
) -> Result<Vec<Content>> {
    let text = match name {
        "run" => terminal_text(extras, text)?,
        "delegate" => match extras.object("outputs")? {
            Some(outputs) => outputs.name_in("content")?.unwrap_or(text),
            None => text,
        },
        _ => text,
    };
    let mut content = vec![Content::text(text)];
    let mut urls = match name {
        "run_ipython" | "mcp" => extras.texts("image_urls")?,
        "browse" => {
            let marked = extras.name_in("set_of_marks")?;
            marked.or(extras.name_in("screenshot")?).into_iter().collect()
        }
        _ => Vec::new(),
    };
    for url in urls.drain(..) {
        content.extend(image(timeline, vec![url]));
    }
    Ok(content)
}

/// The text for the model about a command, from V0's fields, of which older versions have fewer. The sentences are those of
/// `event/observation_text.rs`.
fn terminal_text(extras: &Entry<'_>, output: String) -> Result<String> {
    let Some(metadata) = extras.object("metadata")? else {
        return Ok(match extras.get("exit_code").and_then(i64::from_json) {
            Some(code) => format!("{output}\n[Command finished with exit code {code}]"),
            None => output,
        });
    };
    let part = |field| -> Result<String> { Ok(metadata.text(field)?.unwrap_or_default()) };
    let mut text = format!("{}{output}{}", part("prefix")?, part("suffix")?);
    for (field, label) in
        [("working_dir", "Current working directory"), ("py_interpreter_path", "Python interpreter")]
    {
        let value = part(field)?;
        if !value.is_empty() {
            text.push_str(&format!("\n[{label}: {value}]"));
        }
    }
    let code = metadata.get("exit_code").and_then(i64::from_json).unwrap_or(-1);
    if code != -1 {
        text.push_str(&format!("\n[Command finished with exit code {code}]"));
    }
    Ok(text)
}

/// The texts that V0 added to the prompt from a repository and its microagents, without the text around them.
fn recalled(extras: &Entry<'_>) -> Result<Option<String>> {
    let mut texts = Vec::new();
    for field in ["repo_instructions", "additional_agent_instructions", "conversation_instructions"] {
        texts.extend(extras.name_in(field)?);
    }
    for knowledge in extras.objects("microagent_knowledge")? {
        texts.extend(knowledge.name_in("content")?);
    }
    Ok((!texts.is_empty()).then(|| texts.join("\n\n")))
}
