//! Whether the content of an event file can be read at all. What the event means is not looked at.

use super::json;
use crate::id::EventId;

/// What an event file holds.
#[derive(Debug, PartialEq, Eq)]
pub enum EventText {
    /// A JSON object whose id is the one in the file's name, or which has none.
    Sound {
        /// Whether the SDK would take it for the head of a conversation that does not name one.
        can_be_head: bool,
    },
    /// A JSON object with another id than its file's name.
    OtherId(String),
    /// Text that is no JSON object: empty, broken off, or overwritten.
    Broken,
    /// Not even text.
    NotUtf8,
}

/// Looks at the content of an event file.
pub fn event_text(content: &[u8], id: &EventId) -> EventText {
    let Ok(text) = std::str::from_utf8(content) else { return EventText::NotUtf8 };
    let Ok(members) = json::members(text) else { return EventText::Broken };
    match json::string_member(&members, "id") {
        Some(found) if found != id.as_str() => EventText::OtherId(found),
        _ => {
            let kind = json::string_member(&members, "kind").unwrap_or_default();
            let can_be_head =
                !matches!(kind.as_str(), "ConversationStateUpdateEvent" | "ConversationErrorEvent");
            EventText::Sound { can_be_head }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_left_half_written_is_told_from_a_sound_one() {
        let id: EventId = "0f8fad5b".parse().unwrap();
        let of = |content: &[u8]| event_text(content, &id);
        assert_eq!(of(br#"{"id":"0f8fad5b","kind":"X"}"#), EventText::Sound { can_be_head: true });
        assert_eq!(
            of(br#"{"id":"0f8fad5b","kind":"ConversationErrorEvent"}"#),
            EventText::Sound { can_be_head: false }
        );
        assert_eq!(of(b"{}"), EventText::Sound { can_be_head: true });
        assert_eq!(of(br#"{"id":"0f8fad5c"}"#), EventText::OtherId("0f8fad5c".into()));
        for broken in [&b""[..], b"{\"id\":\"0f8f", b"\0\0\0\0", b"[]", b"{} {}"] {
            assert_eq!(of(broken), EventText::Broken);
        }
        assert_eq!(of(b"{\"text\":\"\xc3"), EventText::NotUtf8);
    }
}
