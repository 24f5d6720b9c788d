//! The request for a summary.
//!
//! Texts of events are shortened, so that the request is far smaller than the history that it is about. Unlike the SDK,
//! a call is shown with its arguments, and an earlier summary is never shortened: it is the only trace of older events.

use super::fields::summary_tool;
use crate::{
    event::{Body, Event, Source},
    llm::{
        ToolSchema,
        message::{Content, Message, Role},
    },
};

/// The maximum length of a user's message, in characters.
const LONGEST_MESSAGE: usize = 4000;

/// The maximum length of any other text: of a thought, the arguments of a call, or a result.
const LONGEST_TEXT: usize = 1000;

/// Replaces the middle of a text that is too long.
const GAP: &str = " [...] ";

/// The request for a summary of these events: its messages and its tools. `max_event_text` limits the text of each event
/// further; `asks_for_fields` asks for a structured summary.
pub fn summary_request(
    events: &[Event],
    max_event_text: Option<usize>,
    asks_for_fields: bool,
) -> (Vec<Message>, Vec<ToolSchema>) {
    let mut text = String::new();
    for event in events {
        let of_event = clipped(&event_text(event), max_event_text.unwrap_or(usize::MAX));
        text.push_str("<event>\n");
        text.push_str(&of_event);
        text.push_str("\n</event>\n");
    }
    text.push_str("\nWrite the summary of these events.");
    let instructions = match asks_for_fields {
        true => include_str!("prompts/fields.md"),
        false => include_str!("prompts/summary.md"),
    };
    let messages = vec![
        Message::new(Role::System, vec![Content::text(instructions.trim_end())]),
        Message::new(Role::User, vec![Content::text(text)]),
    ];
    (messages, if asks_for_fields { vec![summary_tool()] } else { Vec::new() })
}

/// The length of the longest text of an event, in characters.
pub fn longest_event_text(events: &[Event]) -> usize {
    events.iter().map(|event| event_text(event).chars().count()).max().unwrap_or(0)
}

/// The text that represents an event in the request.
fn event_text(event: &Event) -> String {
    match event.body() {
        Body::Condensation(body) => {
            format!("Earlier summary: {}", body.summary.as_deref().unwrap_or_default())
        }
        Body::CondensationSummaryEvent(body) => format!("Earlier summary: {}", body.summary),
        Body::SystemPromptEvent(body) => labelled("Instructions", &body.to_llm_message(), LONGEST_TEXT),
        Body::MessageEvent(body) => {
            let (author, limit) = match event.source() {
                Source::User => ("User", LONGEST_MESSAGE),
                Source::Agent => ("Agent", LONGEST_TEXT),
                _ => ("Environment", LONGEST_TEXT),
            };
            labelled(author, &body.to_llm_message(), limit)
        }
        Body::ActionEvent(body) => {
            let thought = labelled("Agent", &body.to_llm_message(), LONGEST_TEXT);
            let arguments = clipped(&body.tool_call.arguments, LONGEST_TEXT);
            format!("{thought}\nCall of {}: {arguments}", body.tool_name)
        }
        Body::ObservationEvent(body) => {
            labelled(&format!("Result of {}", body.tool_name), &body.to_llm_message(), LONGEST_TEXT)
        }
        Body::UserRejectObservation(body) => {
            labelled(&format!("Call of {}", body.tool_name), &body.to_llm_message(), LONGEST_TEXT)
        }
        Body::AgentErrorEvent(body) => {
            labelled(&format!("Error of {}", body.tool_name), &body.to_llm_message(), LONGEST_TEXT)
        }
        _ => String::new(),
    }
}

fn labelled(label: &str, message: &Message, limit: usize) -> String {
    let mut text = format!("{label}: {}", clipped(&message.text(), limit));
    let images = message.content.iter().filter(|part| part.as_text().is_none()).count();
    if images > 0 {
        text.push_str(&format!(" [{images} images]"));
    }
    text
}

/// The text, of which the middle is left out if it has more characters than this.
fn clipped(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let kept = limit.saturating_sub(GAP.len());
    let head = kept.div_ceil(2);
    let tail = length.saturating_sub(kept.saturating_sub(head));
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(tail).collect();
    let clipped = start + GAP + &end;
    clipped.chars().take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clipped_text_has_exactly_the_limit_and_keeps_both_ends() {
        assert_eq!(clipped("short", 5), "short");
        assert_eq!(clipped("the beginning and the end", 14), "the  [...] end");
        for limit in 0..30 {
            let text = "äöü".repeat(10);
            assert_eq!(clipped(&text, limit).chars().count(), limit);
        }
    }

    #[test]
    fn the_request_shows_calls_with_arguments_and_earlier_summaries_completely() {
        let event = |json: &str| Event::decode("aaaaaaaa".parse().unwrap(), json.into());
        let summary = "s".repeat(9000);
        let events = [
            event(&format!(
                r#"{{"forgotten_event_ids":[],"summary":"{summary}","summary_offset":0,"llm_response_id":"r","kind":"Condensation"}}"#
            )),
            event(
                r#"{"thought":[{"text":"Hm."}],"tool_name":"echo","tool_call_id":"c","tool_call":{"id":"c","name":"echo","arguments":"{\"text\": \"x\"}","origin":"completion"},"llm_response_id":"r","kind":"ActionEvent"}"#,
            ),
        ];
        let messages = summary_request(&events, None, false).0;
        let text = messages[1].text();
        assert_eq!((messages[0].role, messages[1].role), (Role::System, Role::User));
        assert!(
            text.contains(&summary) && text.contains("Agent: Hm.\nCall of echo: {\"text\": \"x\"}"),
            "{text}"
        );
        assert_eq!(longest_event_text(&events), 9000 + "Earlier summary: ".len());
        assert!(summary_request(&events, Some(100), false).0[1].text().len() < 300);
    }
}
