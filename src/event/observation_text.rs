//! Formats stored observations for the model.
//!
//! Most observations are sent as their content. Some classes of the SDK's tools create the text from other stored
//! fields each time it is needed (`to_llm_content` in `tools/{terminal,browser_use,task,tom_consult}`), so a log
//! from Python has to be formatted the same way here.
//!
//! The SDK saves texts that are too long for a model to a file when it first formats them, and names the file. The text
//! here names the same file, but no file is written.
//!
//! The wording around stored values is the SDK's: it creates the same text from the same fields, and a model that knows
//! a conversation from there should read the same text here.

use crate::{
    event::{
        clip::{Clip, file_name},
        observation::Observation,
    },
    json::Object,
    llm::message::Content,
};

/// The text before the content of a tool that failed.
const ERROR_HEADER: &str = "[An error occurred during execution.]\n";

/// The longest terminal output, in characters.
const TERMINAL_LIMIT: usize = 30_000;

/// The longest browser text, in characters.
const BROWSER_LIMIT: usize = 50_000;

pub(super) fn to_llm_content(observation: &Observation) -> Vec<Content> {
    let Some(fields) = Object::parse(observation.as_json().as_str()) else { return Vec::new() };
    let mut content = observation.content();
    let mut parts = Vec::new();
    if observation.is_error() {
        parts.push(Content::text(ERROR_HEADER));
    }
    let directory = fields.read::<String>("full_output_save_dir").filter(|directory| !directory.is_empty());
    let directory = directory.as_deref();
    match fields.read::<String>("kind").unwrap_or_default().as_str() {
        "TerminalObservation" => {
            let clip = Clip { limit: TERMINAL_LIMIT, directory, tool: "terminal" };
            parts.push(Content::text(clip.clipped(terminal_text(&fields, &joined(&content)))));
        }
        "BrowserObservation" => {
            let clip = Clip { limit: BROWSER_LIMIT, directory, tool: "browser" };
            let text = joined(&content);
            if !text.is_empty() {
                parts.push(Content::text(clip.clipped(text)));
            }
            add_screenshot(&mut parts, &fields, directory);
        }
        "TaskObservation" => {
            let info = format!(
                "Task ID: {}\nSubagent: {}\nStatus: {}",
                text_of(&fields, "task_id"),
                text_of(&fields, "subagent"),
                text_of(&fields, "status")
            );
            parts.insert(0, Content::text(info));
            parts.append(&mut content);
        }
        "ConsultTomObservation" => parts = vec![Content::text(tom_text(&fields))],
        "SleeptimeComputeObservation" => parts = vec![Content::text(sleeptime_text(&fields))],
        _ => parts.append(&mut content),
    }
    parts
}

fn terminal_text(fields: &Object<'_>, output: &str) -> String {
    let metadata = fields.get("metadata").and_then(Object::parse);
    let read = |name| metadata.as_ref().map(|metadata| text_of(metadata, name)).unwrap_or_default();
    let mut text = format!("{}{output}{}", read("prefix"), read("suffix"));
    for (name, label) in
        [("working_dir", "Current working directory"), ("py_interpreter_path", "Python interpreter")]
    {
        let value = read(name);
        if !value.is_empty() {
            text.push_str(&format!("\n[{label}: {value}]"));
        }
    }
    let exit_code = metadata.as_ref().and_then(|metadata| metadata.read::<i64>("exit_code")).unwrap_or(-1);
    if exit_code != -1 {
        text.push_str(&format!("\n[Command finished with exit code {exit_code}]"));
    }
    text
}

/// Adds the screenshot as a data URL, and its path. The image type follows from the first characters of the Base64 text.
fn add_screenshot(parts: &mut Vec<Content>, fields: &Object<'_>, directory: Option<&str>) {
    let data = text_of(fields, "screenshot_data");
    if data.is_empty() {
        return;
    }
    let kinds = [("/9j/", "jpeg"), ("iVBORw0KGgo", "png"), ("R0lGODlh", "gif"), ("UklGR", "webp")];
    let kind = kinds.iter().find(|(prefix, _)| data.starts_with(prefix)).map_or("png", |(_, kind)| *kind);
    if let Some(directory) = directory
        && is_base64(&data)
    {
        let extension = if kind == "jpeg" { "jpg" } else { kind };
        let file = file_name(directory, "browser_screenshot", &data, extension);
        parts.push(Content::text(format!("Screenshot saved to: {file}")));
    }
    let image_urls = vec![format!("data:image/{kind};base64,{data}")];
    parts.push(Content::Image { image_urls, cache_prompt: false });
}

/// Whether Python decodes the text: characters outside the alphabet are ignored, and no incomplete group may remain.
fn is_base64(data: &str) -> bool {
    let (mut place, mut pads) = (0_u8, 0_u8);
    for byte in data.bytes() {
        match byte {
            b'=' if place >= 2 => {
                pads = pads.saturating_add(1);
                if place.saturating_add(pads) >= 4 {
                    return true;
                }
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {
                pads = 0;
                place = place.wrapping_add(1) % 4;
            }
            _ => {}
        }
    }
    place == 0
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
        // Rounded to an integer as in Python: halves to even.
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
