//! The names of the files in a conversation's directory.

use crate::{
    error::{Error, ErrorCode, Result},
    id::{ConversationId, EventId, StorePath},
};

/// The file with everything that is not an event.
pub const BASE_STATE: &str = "base_state.json";

/// The folder of the event files.
pub const EVENTS: &str = "events";

/// The folder for files that cannot be used: events that are not JSON, and files that an import had to change.
pub const QUARANTINE: &str = "quarantine";

/// The folder for messages that wait until they can become events.
pub const INBOX: &str = "inbox";

/// The folder for the text of an answer that is still streaming.
pub const DRAFTS: &str = "drafts";

/// The folder for what is carried out of the commands of other handles.
pub const COMMANDS: &str = "commands";

/// The path of a message in [`INBOX`]. It begins with the time, so that listing files by name sorts them by time.
///
/// # Errors
/// `internal`.
pub fn inbox_path(timestamp: &str, id: &EventId) -> Result<StorePath> {
    let time: String = timestamp.chars().filter(char::is_ascii_digit).collect();
    format!("{INBOX}/{time}-{id}.json")
        .parse()
        .map_err(|_| Error::new(ErrorCode::Internal, "the id of a message does not form a valid file name"))
}

/// The name of an event file: the number of the event with at least five digits, and its id.
pub fn event_file_name(index: u64, id: &EventId) -> String {
    format!("event-{index:05}-{id}.json")
}

/// The number and the id in the name of an event file, as the SDK's pattern reads them (`persistence_const.py`), but
/// with any number of digits.
pub fn parse_event_file_name(name: &str) -> Option<(u64, EventId)> {
    let (number, id) = name.strip_prefix("event-")?.strip_suffix(".json")?.split_once('-')?;
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, id.parse().ok()?))
}

/// Where the SDK keeps a conversation by default, relative to the directory in which Python runs.
pub fn persistence_dir(id: ConversationId) -> String {
    format!("workspace/conversations/{}", id.hex())
}

/// The folder of a conversation in which those of its sub-agents are.
pub const SUBAGENTS: &str = "subagents";

/// As [`persistence_dir`], for the conversation of a sub-agent. `ancestors`: the conversation that started it first.
pub fn nested_persistence_dir(ancestors: &[ConversationId], id: ConversationId) -> String {
    let mut path = String::from("workspace/conversations");
    for ancestor in ancestors.iter().rev() {
        path.push_str(&format!("/{}/{SUBAGENTS}", ancestor.hex()));
    }
    format!("{path}/{}", id.hex())
}

/// The conversations in whose folders this directory of a conversation is, the nearest first. They are told apart from
/// other folders by their names: `…/<32 hex digits>/subagents/<this conversation>`.
pub fn ancestors(persistence_dir: &str, id: ConversationId) -> Vec<ConversationId> {
    let mut parts = persistence_dir.rsplit(['/', '\\']);
    let mut ancestors = Vec::new();
    if parts.next() != Some(id.hex().as_str()) {
        return ancestors;
    }
    while parts.next() == Some(SUBAGENTS) {
        let Some(ancestor) = parts.next().filter(|name| name.len() == 32).and_then(|name| name.parse().ok())
        else {
            break;
        };
        ancestors.push(ancestor);
    }
    ancestors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_a_sub_agent_names_the_conversations_above_it() {
        let id = |digit: char| digit.to_string().repeat(32).parse::<ConversationId>().unwrap();
        let (root, child, inner) = (id('a'), id('b'), id('c'));
        assert_eq!(ancestors(&persistence_dir(root), root), []);
        assert_eq!(ancestors(&nested_persistence_dir(&[root], child), child), [root]);
        assert_eq!(ancestors(&nested_persistence_dir(&[child, root], inner), inner), [child, root]);
        assert_eq!(ancestors(&format!("/tmp/{}/subagents/{}", root.hex(), child.hex()), child), [root]);
        assert_eq!(ancestors(&format!("C:\\{}\\subagents\\{}", root.hex(), child.hex()), child), [root]);
        for other in ["subagents/{}", "x/subagents/{}", "/tmp/{}"] {
            assert_eq!(ancestors(&other.replace("{}", &child.hex()), child), [], "{other}");
        }
        assert_eq!(ancestors(&nested_persistence_dir(&[root], inner), child), []);
    }

    #[test]
    fn the_name_of_an_event_file_is_read_as_it_is_written() {
        let id: EventId = "0f8fad5b-d9cb".parse().unwrap();
        for index in [0, 99_999, 100_000] {
            let name = event_file_name(index, &id);
            assert_eq!(parse_event_file_name(&name), Some((index, id.clone())), "{name}");
        }
        assert_eq!(parse_event_file_name("event-0012-0f8fad5b-d9cb.json"), Some((12, id)));
        for other in ["event-+0001-0f8fad5b.json", "event--0f8fad5b.json", "event-00000-x.json", "notes.txt"]
        {
            assert_eq!(parse_event_file_name(other), None, "{other}");
        }
    }
}
