//! What can be told of an event by its file alone, and the little that is mended in one. What the event means is not
//! looked at.

use crate::{
    format::tree::{becomes_head, is_default_leaf},
    id::EventId,
    json::{EditableObject, Object, ToJson as _, members},
};

/// What an event file holds.
#[derive(Debug, PartialEq, Eq)]
pub enum EventText {
    /// A JSON object.
    Sound {
        /// Whether the SDK would take it for the head of a conversation that does not name one.
        can_be_head: bool,
        /// Whether the SDK lets the next event follow it.
        becomes_head: bool,
        /// The id that it gives itself, if that is not the one in its file's name.
        other_id: Option<String>,
        /// The event that it follows, if it says so. What is no text names none that there is.
        parent: Option<String>,
    },
    /// Anything else. Says what is wrong.
    Broken(&'static str),
}

/// What is said of a file that is no text at all.
pub const NOT_UTF8: &str = "is not UTF-8 text";

/// What is said of a file in the encoding that some editors prefer.
pub const UTF16: &str = "is UTF-16 text, not UTF-8";

/// Looks at the content of an event file.
pub fn event_text(content: &[u8], id: &EventId) -> EventText {
    let text = match object_text(content) {
        Ok(text) => text,
        Err(why) => return EventText::Broken(why),
    };
    let fields = Object::parse(text).unwrap_or_default();
    let kind = fields.read::<String>("kind").unwrap_or_default();
    let parent = fields.get("parent_id").filter(|value| *value != "null");
    EventText::Sound {
        can_be_head: is_default_leaf(&kind),
        becomes_head: becomes_head(&kind),
        other_id: fields.read::<String>("id").filter(|found| found != id.as_str()),
        parent: parent.map(|_| fields.read::<String>("parent_id").unwrap_or_default()),
    }
}

/// The content as the text of one JSON object, or what is wrong with it.
pub fn object_text(content: &[u8]) -> Result<&str, &'static str> {
    match content {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(UTF16),
        [0xef, 0xbb, 0xbf, ..] => return Err("begins with a byte order mark, which JSON does not have"),
        _ => {}
    }
    let text = std::str::from_utf8(content).map_err(|error| match error.error_len() {
        // Broken off inside a character.
        None => CUT_OFF,
        Some(_) => NOT_UTF8,
    })?;
    // A disk that lost power may hold zeros where the text would have been.
    let inner = text.trim_matches(['\0', ' ', '\t', '\n', '\r']);
    match (members(text), inner.bytes().next()) {
        (Ok(_), _) => Ok(text),
        (Err(_), None) => Err(EMPTY),
        (Err(_), Some(b'[')) => Err("is a list, not a JSON object"),
        (Err(error), _) if error.is_cut_off() => Err(CUT_OFF),
        (Err(error), _) => match text.get(error.place()..) {
            Some(rest) if rest.starts_with("NaN") || rest.starts_with("Infinity") => {
                Err("holds NaN or Infinity, which JSON does not have")
            }
            _ => Err("is not a JSON object"),
        },
    }
}

/// What is said of a file that ends too early.
pub const CUT_OFF: &str = "breaks off";

/// What is said of a file without content.
pub const EMPTY: &str = "is empty";

/// How an event is stored that does not fit its log as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// Its place in the log.
    pub index: usize,
    /// Whether it gets the id in its file's name.
    pub id: bool,
    /// The event that it follows instead, or `ROOT_PARENT_ID`.
    pub parent: Option<String>,
}

impl Mend {
    /// The event's content, mended; nothing if it is no text any more.
    pub fn content(&self, content: &[u8], id: &EventId) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(content).ok()?;
        Some(self.applied(text, id).into_bytes())
    }

    fn applied(&self, text: &str, id: &EventId) -> String {
        let Some(mut event) = EditableObject::parse(text) else { return text.to_owned() };
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

    fn sound(can_be_head: bool, other_id: Option<&str>, parent: Option<&str>) -> EventText {
        let text = |text: Option<&str>| text.map(str::to_owned);
        EventText::Sound { can_be_head, becomes_head: true, other_id: text(other_id), parent: text(parent) }
    }

    #[test]
    fn what_an_event_says_of_itself() {
        assert_eq!(of(br#"{"id":"0f8fad5b","kind":"X"}"#), sound(true, None, None));
        assert_eq!(of(br#"{"id":"0f8fad5b","kind":"ConversationErrorEvent"}"#), sound(false, None, None));
        assert_eq!(of(b"{}"), sound(true, None, None));
        assert_eq!(of(br#"{"id":"0f8fad5c"}"#), sound(true, Some("0f8fad5c"), None));
        assert_eq!(of(br#"{"parent_id":"0f8fad5c"}"#), sound(true, None, Some("0f8fad5c")));
        assert_eq!(of(br#"{"parent_id":null}"#), sound(true, None, None));
        assert_eq!(of(br#"{"parent_id":[7]}"#), sound(true, None, Some("")));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        for (content, why) in [
            (&b""[..], "is empty"),
            (b"\0\0\0\0", "is empty"),
            (b" \n", "is empty"),
            (b"{\"id\":\"0f8f", "breaks off"),
            (b"{\"text\":\"\xc3", "breaks off"),
            (b"{\"text\":\"\xc3\"}", "is not UTF-8 text"),
            (b"\xff\xfe{\0}\0", "is UTF-16 text, not UTF-8"),
            (b"\xef\xbb\xbf{}", "begins with a byte order mark, which JSON does not have"),
            (b"[]", "is a list, not a JSON object"),
            (b"[{}", "is a list, not a JSON object"),
            (b"{\"n\":NaN}", "holds NaN or Infinity, which JSON does not have"),
            (b"{\"n\": -Infinity}", "holds NaN or Infinity, which JSON does not have"),
            (b"{} {}", "is not a JSON object"),
            (b"7", "is not a JSON object"),
            (b"{\"a\":1}\0\0", "is not a JSON object"),
        ] {
            assert_eq!(of(content), EventText::Broken(why), "{content:?}");
        }
    }

    #[test]
    fn a_mended_event_keeps_every_other_byte() {
        let id = "0f8fad5b".parse().unwrap();
        let mend = |id, parent: Option<&str>| Mend { index: 0, id, parent: parent.map(str::to_owned) };
        let text = r#"{ "parent_id" : "lost", "n":1.50,"id":"other" }"#;
        assert_eq!(mend(true, None).applied(text, &id), text.replace("other", "0f8fad5b"));
        assert_eq!(
            mend(true, Some("0badc0de")).applied(text, &id),
            text.replace("other", "0f8fad5b").replace("lost", "0badc0de")
        );
        assert_eq!(mend(true, Some(ROOT_PARENT_ID)).applied("{}", &id), "{}");
    }
}
