//! Checks the text of single event files, and repairs their ids. Does not interpret the events.

use super::mending::{BYTE_ORDER_MARK, Flaws, MARKED, mended};
use crate::{
    format::tree::{becomes_head, is_default_leaf},
    id::EventId,
    json::{EditableObject, Object, ToJson as _, members, without_constants},
};
use std::borrow::Cow;

/// The content of an event file.
#[derive(Debug, PartialEq, Eq)]
pub enum EventText {
    /// A JSON object.
    Valid {
        /// Whether the SDK would use it as the HEAD of a conversation that does not name one.
        can_be_head: bool,
        /// Whether it becomes HEAD in the SDK, so that the next event follows it.
        becomes_head: bool,
        /// The id in its JSON, if it differs from the one in the file's name.
        other_id: Option<String>,
        /// Its `parent_id`, if it is not null. A value that is not a string becomes an empty id, which no event has.
        parent: Option<String>,
        /// When it happened.
        timestamp: Option<String>,
        /// What has to be mended, so that it can be read.
        flaws: Flaws,
    },
    /// Anything else, with the problem.
    Invalid(&'static str),
}

/// The problem of a file that is not text.
pub const NOT_UTF8: &str = "is not UTF-8 text";

/// The problem of a file in another encoding, which some editors use.
pub const UTF16: &str = "is UTF-16 text, not UTF-8";

/// Checks the content of an event file.
pub fn event_text(content: &[u8], id: &EventId) -> EventText {
    let unmarked = content.strip_prefix(BYTE_ORDER_MARK);
    let (text, mut flaws) = match object_text(unmarked.unwrap_or(content)) {
        Ok(text) => mended(text),
        // Python reads these numbers in an event.
        Err(CONSTANTS) => {
            let spelled = std::str::from_utf8(content).ok().and_then(without_constants).unwrap_or_default();
            match object_text(spelled.as_bytes()) {
                Ok(_) => (Cow::Owned(spelled), Flaws::new()),
                Err(problem) => return EventText::Invalid(problem),
            }
        }
        Err(problem) => return EventText::Invalid(problem),
    };
    if unmarked.is_some() {
        flaws.push(MARKED);
    }
    let fields = Object::parse(&text).unwrap_or_default();
    let kind = fields.read::<String>("kind").unwrap_or_default();
    let parent = fields.get("parent_id").filter(|value| *value != "null");
    EventText::Valid {
        can_be_head: is_default_leaf(&kind),
        becomes_head: becomes_head(&kind),
        other_id: fields.read::<String>("id").filter(|found| found != id.as_str()),
        parent: parent.map(|_| fields.read::<String>("parent_id").unwrap_or_default()),
        timestamp: fields.read("timestamp"),
        flaws,
    }
}

/// The content as the text of one JSON object, or its problem.
pub fn object_text(content: &[u8]) -> Result<&str, &'static str> {
    match content {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(UTF16),
        _ => {}
    }
    let text = std::str::from_utf8(content).map_err(|error| match error.error_len() {
        // The end is inside of a character.
        None => CUT_OFF,
        Some(_) => NOT_UTF8,
    })?;
    // After a loss of power a file may have zeros instead of its text.
    let inner = text.trim_matches(['\0', ' ', '\t', '\n', '\r']);
    match (members(text), inner.bytes().next()) {
        (Ok(_), _) => Ok(text),
        (Err(_), None) => Err(EMPTY),
        (Err(_), Some(b'[')) => Err("is a list, not a JSON object"),
        (Err(error), _) if error.is_cut_off() => Err(CUT_OFF),
        (Err(error), _) => match text.get(error.place()..) {
            Some(rest) if rest.starts_with("NaN") || rest.starts_with("Infinity") => Err(CONSTANTS),
            _ => Err("is not a JSON object"),
        },
    }
}

/// The problem of a file with numbers that only Python has.
const CONSTANTS: &str = "has NaN or Infinity, which JSON does not allow";

/// The problem of a file that ends too early.
pub const CUT_OFF: &str = "breaks off";

/// The problem of a file without content.
pub const EMPTY: &str = "is empty";

/// A repair of an event whose ids do not fit the log, or that cannot be read as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRepair {
    /// The event's position in the log.
    pub index: usize,
    /// Whether it is mended.
    pub is_mended: bool,
    /// Whether its id is replaced by the one in the file's name.
    pub id: bool,
    /// The new `parent_id`, which may be `ROOT_PARENT_ID`.
    pub parent: Option<String>,
}

impl EventRepair {
    /// The repaired content; `None` if the content is not UTF-8.
    pub fn content(&self, content: &[u8], id: &EventId) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content)).ok()?;
        let text = if self.is_mended { mended(text).0 } else { Cow::Borrowed(text) };
        Some(self.applied(&text, id).into_bytes())
    }

    fn applied(&self, text: &str, id: &EventId) -> String {
        let parsed = EditableObject::parse(text);
        let parsed = parsed.or_else(|| without_constants(text).as_deref().and_then(EditableObject::parse));
        let Some(mut event) = parsed else { return text.to_owned() };
        if self.id && event.get("id").is_some() {
            event.set("id", &id.as_str().to_json_text());
        }
        if let Some(parent) = &self.parent
            && event.get("parent_id").is_some()
        {
            event.set("parent_id", &parent.to_json_text());
        }
        event.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::ROOT_PARENT_ID;

    fn of(content: &[u8]) -> EventText {
        event_text(content, &"0f8fad5b".parse().unwrap())
    }

    fn valid(can_be_head: bool, other_id: Option<&str>, parent: Option<&str>) -> EventText {
        let text = |text: Option<&str>| text.map(str::to_owned);
        EventText::Valid {
            can_be_head,
            becomes_head: true,
            other_id: text(other_id),
            parent: text(parent),
            timestamp: None,
            flaws: Vec::new(),
        }
    }

    #[test]
    fn ids_and_kind_are_read_from_the_text() {
        assert_eq!(of(br#"{"id":"0f8fad5b","kind":"X"}"#), valid(true, None, None));
        assert_eq!(of(br#"{"id":"0f8fad5b","kind":"ConversationErrorEvent"}"#), valid(false, None, None));
        assert_eq!(of(b"{}"), valid(true, None, None));
        assert_eq!(of(br#"{"id":"0f8fad5c"}"#), valid(true, Some("0f8fad5c"), None));
        assert_eq!(of(br#"{"parent_id":"0f8fad5c"}"#), valid(true, None, Some("0f8fad5c")));
        assert_eq!(of(br#"{"parent_id":null}"#), valid(true, None, None));
        assert_eq!(of(br#"{"parent_id":[7]}"#), valid(true, None, Some("")));
        assert_eq!(of(br#"{"n":[NaN,-Infinity],"id":"0f8fad5c"}"#), valid(true, Some("0f8fad5c"), None));
    }

    #[test]
    fn the_problem_of_a_file_is_reported() {
        for (content, problem) in [
            (&b""[..], "is empty"),
            (b"\0\0\0\0", "is empty"),
            (b" \n", "is empty"),
            (b"{\"id\":\"0f8f", "breaks off"),
            (b"{\"text\":\"\xc3", "breaks off"),
            (b"{\"text\":\"\xc3\"}", "is not UTF-8 text"),
            (b"\xff\xfe{\0}\0", "is UTF-16 text, not UTF-8"),
            (b"[]", "is a list, not a JSON object"),
            (b"[{}", "is a list, not a JSON object"),
            (b"{\"n\":NaN", "breaks off"),
            (b"{\"n\": Infinity x}", "is not a JSON object"),
            (b"{} {}", "is not a JSON object"),
            (b"7", "is not a JSON object"),
            (b"{\"a\":1}\0\0", "is not a JSON object"),
        ] {
            assert_eq!(of(content), EventText::Invalid(problem), "{content:?}");
        }
    }

    #[test]
    fn a_repair_changes_no_other_byte() {
        let id = "0f8fad5b".parse().unwrap();
        let repair = |id, parent: Option<&str>| EventRepair {
            index: 0,
            is_mended: false,
            id,
            parent: parent.map(str::to_owned),
        };
        let text = r#"{ "parent_id" : "lost", "n":1.50,"id":"other" }"#;
        assert_eq!(repair(true, None).applied(text, &id), text.replace("other", "0f8fad5b"));
        assert_eq!(
            repair(true, Some("0badc0de")).applied(text, &id),
            text.replace("other", "0f8fad5b").replace("lost", "0badc0de")
        );
        assert_eq!(repair(true, Some(ROOT_PARENT_ID)).applied("{}", &id), "{}");
    }
}
