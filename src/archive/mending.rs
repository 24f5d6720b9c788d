//! Mends events of other programs that neither Python nor this library could read: what is wrong is a part of an event, and
//! the rest of it is what somebody has said or done. The original stays, under `quarantine/`.

use crate::{
    event::{Body, Event, Source},
    json::{EditableObject, FromJson as _, Object, ToJson as _, elements, string, well_formed},
    llm::message::Content,
};
use std::borrow::Cow;

/// What was mended, as parts of a sentence about the file.
pub type Flaws = Vec<&'static str>;

/// The mark with which some editors begin a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The flaw of a text that begins with it.
pub const MARKED: &str = "begins with a byte order mark, which JSON does not allow";

/// The lists of parts that an event can have: the object that they are in, if it is not the event itself, and the field.
const PARTS: [(Option<&str>, &str); 4] = [
    (Some("llm_message"), "content"),
    (Some("observation"), "content"),
    (None, "thought"),
    (None, "extended_content"),
];

/// The text of an event's file, mended, and its flaws; the same text if there are none.
pub fn mended(text: &str) -> (Cow<'_, str>, Flaws) {
    let mut flaws = Flaws::new();
    let mut text = well_formed(text);
    if matches!(text, Cow::Owned(_)) {
        flaws.push("has halves of characters (lone surrogates), which were replaced");
    }
    if let Some(rewritten) = with_readable_parts(&text, &mut flaws) {
        text = Cow::Owned(rewritten);
    }
    (text, flaws)
}

/// The event with parts that can be read and a source; `None` if it has them.
fn with_readable_parts(text: &str, flaws: &mut Flaws) -> Option<String> {
    let fields = Object::parse(text)?;
    let kind = fields.read::<String>("kind").filter(|kind| Body::KINDS.contains(&kind.as_str()))?;
    let mut edits: Vec<(Option<&str>, &str, String)> = Vec::new();
    let mut found = Flaws::new();
    for (object, name) in PARTS {
        let holder = object.map_or(Some(fields.clone()), |object| fields.get(object).and_then(Object::parse));
        let Some(value) = holder.as_ref().and_then(|holder| holder.get(name)) else { continue };
        // Of a message the SDK reads both of these.
        let is_read = object == Some("llm_message") && (value == "null" || string(value).is_some());
        if let Some((parts, flaw)) = readable_parts(value).filter(|_| !is_read) {
            edits.push((object, name, parts));
            if !found.contains(&flaw) {
                found.push(flaw);
            }
        }
    }
    let has_source = fields.read::<Source>("source").is_some();
    if !has_source && Body::default_source(&kind).is_none() {
        // The role of its message is the only other sign of who made an event; without one it cannot be mended.
        let role = fields.object("llm_message").read::<String>("role")?;
        let source = match role.as_str() {
            "user" => Source::User,
            "assistant" => Source::Agent,
            _ => Source::Environment,
        };
        edits.push((None, "source", source.as_str().to_json_text()));
        found.push("does not say who it is from, which its role does");
    }
    if edits.is_empty() {
        return None;
    }
    let mut event = EditableObject::parse(text)?;
    for (object, name, value) in edits {
        match object {
            None => event.set(name, &value),
            Some(object) => {
                let mut inner = event.get(object).and_then(EditableObject::parse)?;
                inner.set(name, &value);
                event.set(object, &inner.text());
            }
        }
    }
    // What cannot be read all the same keeps its bytes.
    let text = event.text();
    let is_read = !matches!(Event::decode(Event::id_in(&text)?, text.as_str().into()).body(), Body::Unknown);
    is_read.then(|| {
        flaws.append(&mut found);
        text
    })
}

/// The parts of this list that can be read, as JSON, and what is wrong with the list; `None` if nothing is.
fn readable_parts(value: &str) -> Option<(String, &'static str)> {
    if value == "null" {
        return Some(("[]".to_owned(), "has null in the place of a list of parts, which is empty now"));
    }
    if string(value).is_some() {
        return Some((format!("[{}]", text_part(value)), "has a text in the place of a list of parts"));
    }
    let parts = elements(value)?;
    if parts.iter().all(|part| is_readable(part)) {
        return None;
    }
    let mut kept = Vec::new();
    for part in parts {
        if is_readable(part) {
            kept.push(part.to_owned());
        } else if string(part).is_some() {
            kept.push(text_part(part));
        }
    }
    Some((format!("[{}]", kept.join(",")), "has parts of a kind that is not known, which were left out"))
}

fn text_part(string: &str) -> String {
    format!("{{\"cache_prompt\":false,\"type\":\"text\",\"text\":{string}}}")
}

/// Whether a part can be read. Its text and its images may be the largest part of the archive, so they are not copied to be looked at.
fn is_readable(part: &str) -> bool {
    let Some(fields) = Object::parse(part) else { return false };
    let is_list = |value| elements(value).is_some_and(|all| all.iter().all(|one| string(one).is_some()));
    let mut short = EditableObject::default();
    for name in ["type", "cache_prompt", "text", "image_urls"] {
        match (name, fields.get(name)) {
            ("text", Some(value)) if string(value).is_some() => short.set(name, "\"\""),
            ("image_urls", Some(value)) if is_list(value) => short.set(name, "[]"),
            (_, Some(value)) => short.set(name, value),
            (_, None) => {}
        }
    }
    Content::from_json(&short.text()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#""id":"0f8fad5b","timestamp":"2026-01-31T09:15:02.123456""#;
    const TEXT: &str = r#"{"type":"text","text":"Hi"}"#;

    fn message(source: &str, role: &str, content: &str) -> String {
        format!(
            "{{{HEAD},{source}\"llm_message\":{{\"role\":\"{role}\",\"content\":{content}}}, \"kind\":\"MessageEvent\"}}"
        )
    }

    fn observation(content: &str, more: &str) -> String {
        format!(
            "{{{HEAD},\"source\":\"environment\",\"tool_name\":\"t\",\"tool_call_id\":\"c\",\"observation\":{{\"content\":{content},\"kind\":\"X\"}},\"action_id\":\"0badc0de\"{more},\"kind\":\"ObservationEvent\"}}"
        )
    }

    fn action(thought: &str, summary: &str) -> String {
        format!(
            "{{{HEAD},\"source\":\"agent\",\"thought\":{thought},\"tool_name\":\"t\",\"tool_call_id\":\"c\",\"tool_call\":{{\"id\":\"c\",\"name\":\"t\",\"arguments\":\"{{}}\",\"origin\":\"completion\"}},\"llm_response_id\":\"r\",\"summary\":\"{summary}\",\"kind\":\"ActionEvent\"}}"
        )
    }

    /// What a model reads of an event.
    fn read(text: &str) -> Option<String> {
        let event = Event::decode("0f8fad5b".parse().unwrap(), text.into());
        event.is_valid().then(|| event.to_llm_message().unwrap().text())
    }

    #[test]
    fn an_event_that_could_not_be_read_because_of_a_part_is_mended() {
        let odd = r#"{"type":"hologram","url":"x"}"#;
        for (broken, said, flaw) in [
            (action("[]", r"Ask \ud83d"), "", "halves of characters"),
            (message("\"source\":\"user\",", "user", r#"[{"text":"Hi \ude00"}]"#), "Hi \u{fffd}", "halves"),
            (message("\"source\":\"user\",", "user", &format!("[{odd},{TEXT}]")), "Hi", "not known"),
            (message("\"source\":\"agent\",", "assistant", &format!("[{TEXT},7]")), "Hi", "not known"),
            (message("\"source\":\"agent\",", "assistant", r#"["Hi"]"#), "Hi", "not known"),
            (message("", "user", &format!("[{TEXT}]")), "Hi", "who it is from"),
            (message("\"source\":null,", "assistant", &format!("[{TEXT}]")), "Hi", "who it is from"),
            (message("\"source\":\"robot\",", "system", &format!("[{TEXT}]")), "Hi", "who it is from"),
            (action("null", "s"), "", "null in the place"),
            (action("\"Hm.\"", "s"), "Hm.", "a text in the place"),
            (action(&format!("[{odd}]"), "s"), "", "not known"),
            (observation(&format!("[{TEXT}]"), ",\"extended_content\":null"), "Hi", "null in the place"),
        ] {
            assert_eq!(read(&broken), None, "{broken}");
            let (text, flaws) = mended(&broken);
            assert_eq!(read(&text).as_deref(), Some(said), "{text}");
            assert!(flaws.len() == 1 && flaws[0].contains(flaw), "{flaws:?}");
            assert_eq!(mended(&text), (Cow::Borrowed(&*text), Vec::new()), "nothing is mended twice");
        }
    }

    #[test]
    fn a_result_keeps_what_can_be_read_of_it() {
        for (content, said) in [
            (format!(r#"[{TEXT},{{"type":"audio","data":"x"}}]"#), "Hi"),
            ("\"Hi\"".to_owned(), "Hi"),
            (r#"[{"type":"text","text":null},"Hi"]"#.to_owned(), "Hi"),
            ("null".to_owned(), ""),
        ] {
            let broken = observation(&content, "");
            let (text, flaws) = mended(&broken);
            assert_eq!(read(&text).as_deref(), Some(said), "{text}");
            assert_eq!(flaws.len(), 1, "{flaws:?}");
        }
    }

    #[test]
    fn a_sound_event_and_one_of_an_unknown_kind_keep_every_byte() {
        for text in [
            message("\"source\":\"user\",", "user", "null"),
            message("\"source\":\"user\",", "user", "\"Hi\""),
            message(
                "\"source\":\"user\",",
                "user",
                r#"[ {"type":"image","image_urls":["https://x.test"]} ]"#,
            ),
            message("", "user", "[7]").replace("MessageEvent", "HologramEvent"),
            action("[]", r"\ud83d\ude00 \\ud83d"),
            "{}".to_owned(),
            "[]".to_owned(),
            "no JSON".to_owned(),
        ] {
            assert_eq!(mended(&text), (Cow::Borrowed(&*text), Vec::new()), "{text}");
        }
    }

    #[test]
    fn the_rest_of_a_mended_event_keeps_its_bytes() {
        let text = message("\"n\" : 1.50, ", "user", "[7, \"Hi\" ]");
        let (mended, _) = mended(&text);
        assert!(
            mended.contains("\"n\" : 1.50, ") && mended.contains(", \"kind\":\"MessageEvent\""),
            "{mended}"
        );
    }
}
