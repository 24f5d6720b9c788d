//! Validated ids: conversation ids, event ids, and paths inside a conversation's directory.
//!
//! The SDK writes a conversation id without dashes in directory names, and with dashes in `base_state.json`. An event id
//! has to match the pattern of the SDK's file names (`persistence_const.py`: at least eight hex digits and dashes), as
//! Python would not see the file otherwise. So ULIDs and nanoids are refused.

use crate::error::{Error, ErrorCode, Result, shown};
use std::{borrow::Borrow, fmt, rc::Rc, str::FromStr};
use uuid::Uuid;

/// A conversation's UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationId(Uuid);

impl ConversationId {
    /// The directory name: 32 hex digits, no dashes.
    pub fn hex(&self) -> String {
        self.0.simple().to_string()
    }
}

impl From<Uuid> for ConversationId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for ConversationId {
    type Err = Error;

    /// Accepts both spellings, with and without dashes.
    fn from_str(text: &str) -> Result<Self> {
        let is_plain =
            matches!(text.len(), 32 | 36) && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        match Uuid::try_parse(text) {
            Ok(id) if is_plain => Ok(Self(id)),
            _ => Err(Error::new(
                ErrorCode::InvalidOptions,
                format!("conversation id {} is not a UUID; leave it out to get a new one", shown(text)),
            )),
        }
    }
}

impl fmt::Display for ConversationId {
    /// The dashed form, as in `base_state.json`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// An event's id: at least eight characters, hex digits and dashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(Rc<str>);

impl EventId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Uuid> for EventId {
    fn from(id: Uuid) -> Self {
        Self(id.hyphenated().to_string().into())
    }
}

impl FromStr for EventId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.len() >= 8 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') {
            return Ok(Self(text.into()));
        }
        Err(Error::new(
            ErrorCode::InvalidOptions,
            format!("event id {} must consist of at least eight hex digits and dashes", shown(text)),
        ))
    }
}

/// A map with ids as its keys can be asked for a text.
impl Borrow<str> for EventId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The path of a further file in a conversation's directory, such as `TASKS.json` or
/// `observations/terminal_output_1a2b3c4d.txt`: relative, with `/` between its parts, none of which is empty, `.` or `..`.
/// `base_state.json` and the event files have no such path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StorePath(Rc<str>);

impl StorePath {
    /// The longest path accepted, in bytes.
    pub const MAX_LENGTH: usize = 1024;

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the path is below this folder. Every path is below no folder.
    pub fn is_below(&self, folder: Option<&Self>) -> bool {
        folder.is_none_or(|folder| self.0.strip_prefix(&*folder.0).is_some_and(|rest| rest.starts_with('/')))
    }
}

impl FromStr for StorePath {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse =
            |why: &str| Err(Error::new(ErrorCode::InvalidOptions, format!("path {} {why}", shown(text))));
        if text.is_empty() || text.len() > Self::MAX_LENGTH {
            return refuse("is empty or longer than 1024 bytes");
        }
        if text.chars().any(|c| c.is_control() || c == '\\' || c == ':') {
            return refuse("contains a control character, a backslash or a colon");
        }
        if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return refuse("is not relative, or has a part that is empty, \".\" or \"..\"");
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for StorePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// At most 80 characters of an external text, for a message.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_conversation_id_are_one_id() {
        let dashed: ConversationId = "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
        let plain: ConversationId = "0f8fad5bd9cb469fa16570867728950e".parse().unwrap();
        assert_eq!(dashed, plain);
        assert_eq!(dashed.to_string(), "0f8fad5b-d9cb-469f-a165-70867728950e");
        assert_eq!(dashed.hex(), "0f8fad5bd9cb469fa16570867728950e");
        for bad in
            ["", "x", "{0f8fad5bd9cb469fa16570867728950e}", "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e"]
        {
            assert!(bad.parse::<ConversationId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_event_id_that_python_would_not_see_is_refused() {
        assert!("0f8fad5b-d9cb-469f-a165-70867728950e".parse::<EventId>().is_ok());
        assert!("0F8FAD5B".parse::<EventId>().is_ok());
        for bad in ["", "0f8fad5", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "V1StGXR8_Z5jdHi6B-myT", "../0f8fad5b"] {
            assert!(bad.parse::<EventId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_stays_inside_its_directory() {
        assert!("observations/terminal_output_1a2b3c4d.txt".parse::<StorePath>().is_ok());
        for bad in ["", "/a", "a//b", "../a", "a/../b", "a/.", "a\\b", "C:/x", "a\nb", "a\0b"] {
            assert!(bad.parse::<StorePath>().is_err(), "{bad:?}");
        }
    }
}
