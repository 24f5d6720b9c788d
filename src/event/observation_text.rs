//! What a model is sent for a stored observation.
//!
//! Most observations are sent as their content. Some classes of the SDK's tools make the text from other stored
//! fields each time it is needed (`to_llm_content` in `tools/{terminal,browser_use,task,tom_consult}`), so a log
//! that came from Python has to be formatted the same way here.
//!
//! The SDK also writes a text that is too long to a file while formatting it, and names the file in the notice.
//! This is not done here: the path is one of another machine.

use crate::{
    event::{json::Object, observation::Observation},
    llm::message::Content,
};

/// Stands before the content of a tool that failed.
const ERROR_HEADER: &str = "[An error occurred during execution.]\n";

/// Stands where a text was cut. Part of the format: the SDK puts the same words there.
const CLIPPED: &str = "<response clipped><NOTE>Due to the max output limit, only part of the full \
                       response has been shown to you.</NOTE>";

/// The longest terminal output, in characters.
const TERMINAL_LIMIT: usize = 30_000;

/// The longest browser text, in characters.
const BROWSER_LIMIT: usize = 50_000;

pub(super) fn to_llm_content(observation: &Observation) -> Vec<Content> {
    let Some(fields) = Object::parse(observation.as_json().as_str()) else { return Vec::new() };
    let error = observation.is_error().then(|| Content::text(ERROR_HEADER));
    let content = observation.content();
    match fields.read::<String>("kind").unwrap_or_default().as_str() {
        "TerminalObservation" => {
            let text = terminal_text(&fields, &joined(&content));
            error.into_iter().chain([Content::text(clipped(text, TERMINAL_LIMIT))]).collect()
        }
        "BrowserObservation" => {
            let text = joined(&content);
            let text = (!text.is_empty()).then(|| Content::text(clipped(text, BROWSER_LIMIT)));
            error.into_iter().chain(text).chain(screenshot(&fields)).collect()
        }
        "TaskObservation" => {
            let info = format!(
                "Task ID: {}\nSubagent: {}\nStatus: {}",
                text_of(&fields, "task_id"),
                text_of(&fields, "subagent"),
                text_of(&fields, "status")
            );
            std::iter::once(Content::text(info)).chain(error).chain(content).collect()
        }
        "ConsultTomObservation" => vec![Content::text(tom_text(&fields))],
        "SleeptimeComputeObservation" => vec![Content::text(sleeptime_text(&fields))],
        _ => error.into_iter().chain(content).collect(),
    }
}

fn terminal_text(fields: &Object<'_>, output: &str) -> String {
    let metadata = fields.get("metadata").and_then(Object::parse);
    let read = |name| metadata.as_ref().map(|metadata| text_of(metadata, name)).unwrap_or_default();
    let mut text = format!("{}{output}{}", read("prefix"), read("suffix"));
    for (name, what) in
        [("working_dir", "Current working directory"), ("py_interpreter_path", "Python interpreter")]
    {
        let value = read(name);
        if !value.is_empty() {
            text.push_str(&format!("\n[{what}: {value}]"));
        }
    }
    let exit_code = metadata.as_ref().and_then(|metadata| metadata.read::<i64>("exit_code")).unwrap_or(-1);
    if exit_code != -1 {
        text.push_str(&format!("\n[Command finished with exit code {exit_code}]"));
    }
    text
}

/// The picture as a data URL. Its type is told from the first characters of the Base64 text.
fn screenshot(fields: &Object<'_>) -> Option<Content> {
    let data = fields.read::<String>("screenshot_data").filter(|data| !data.is_empty())?;
    let kinds = [("/9j/", "jpeg"), ("iVBORw0KGgo", "png"), ("R0lGODlh", "gif"), ("UklGR", "webp")];
    let kind = kinds.iter().find(|(prefix, _)| data.starts_with(prefix)).map_or("png", |(_, kind)| *kind);
    Some(Content::Image { image_urls: vec![format!("data:image/{kind};base64,{data}")], cache_prompt: false })
}

fn tom_text(fields: &Object<'_>) -> String {
    let suggestions = text_of(fields, "suggestions");
    if suggestions.is_empty() {
        return "Tom agent did not provide suggestions.".into();
    }
    let mut text = format!("Tom agent's guidance:\n{suggestions}");
    let reasoning = text_of(fields, "reasoning");
    if !reasoning.is_empty() {
        text.push_str(&format!("\n\nReasoning: {reasoning}"));
    }
    if let Some(confidence) = fields.read::<f64>("confidence") {
        // A whole number of percent, halves to even as Python rounds.
        let percent = (confidence * 100.0).round_ties_even() as i64;
        text.push_str(&format!("\n\nConfidence: {percent}%"));
    }
    text
}

fn sleeptime_text(fields: &Object<'_>) -> String {
    let message = text_of(fields, "message");
    match fields.read::<i64>("sessions_processed").unwrap_or_default() {
        sessions if sessions > 0 => {
            format!("Successfully indexed {sessions} conversation(s) for user modeling.\n{message}")
        }
        _ => format!("Sleeptime compute completed.\n{message}"),
    }
}

fn text_of(fields: &Object<'_>, name: &str) -> String {
    fields.read(name).unwrap_or_default()
}

fn joined(content: &[Content]) -> String {
    content.iter().filter_map(Content::as_text).collect()
}

/// At most `limit` characters, the middle replaced by a notice.
fn clipped(text: String, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text;
    }
    let remaining = limit.saturating_sub(CLIPPED.chars().count());
    let head = remaining.div_ceil(2);
    let tail = remaining.saturating_sub(head);
    let mut out: String = text.chars().take(head).collect();
    out.push_str(CLIPPED);
    out.extend(text.chars().skip(length.saturating_sub(tail)));
    out
}
