//! Names of entries: the file of a conversation that a name means, or the reason why it is refused.

use super::{invalid, limits::MAX_NAME_BYTES};
use crate::{
    error::{Result, shown},
    format::layout::{self, BASE_STATE, EVENTS, parse_event_file_name},
    id::{ConversationId, EventId, StorePath},
};

/// The longest path of an event file: `events/` and the longest name of common file systems.
const MAX_EVENT_PATH_BYTES: usize = 262;

/// Files that are only useful to the process that wrote them; there are more beside each log ([`is_log_marker`]).
const LEASES: [&str; 2] = ["owner_lease.json", ".owner_lease.lock"];

/// The kind of a file in the folder of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `base_state.json`.
    BaseState,
    /// An event file.
    Event {
        /// The number in its name.
        number: u64,
        /// The id in its name.
        id: EventId,
    },
    /// A file that is named like an event, but with an invalid number or id. The SDK does not find it either.
    InvalidEvent,
    /// Any other file.
    File(StorePath),
    /// A lock or lease, which is not imported.
    Lock,
}

/// Refuses a name that could point outside of its folder, or mean different files on different systems.
/// Called for every entry, including those that are then ignored. Backslashes that separate folders have become slashes.
pub fn check(name: &str) -> Result<()> {
    let refuse = |problem: &str| Err(invalid(format!("entry {} {problem}", shown(name))));
    if name.len() > MAX_NAME_BYTES {
        return refuse("has a name longer than 2048 bytes");
    }
    if name.starts_with('/') {
        return refuse("has an absolute path");
    }
    if name.chars().any(|c| c.is_control() || c == '\\' || c == ':') {
        return refuse("has a control character, a backslash or a colon in its name");
    }
    let path = name.strip_suffix('/').unwrap_or(name);
    match path.split('/').find(|part| matches!(*part, "" | "." | "..")) {
        Some(_) => refuse("has an empty, \".\" or \"..\" part in its path"),
        None => Ok(()),
    }
}

/// The folder in which a store in a directory keeps what is no part of the layout: beside the folders of conversations, and in
/// each of them. `js/store/directory/names.ts` has it too.
const OWN_FOLDER: &str = ".threadkeep";

/// The number and the id in the name of an event of the OpenHands app's download, which has all files in one folder:
/// `event_000012_<id>.json`.
pub fn downloaded_event(name: &str) -> Option<(u64, EventId)> {
    let (number, id) = name.strip_prefix("event_")?.strip_suffix(".json")?.split_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| is_number)?, id.parse().ok()?))
}

/// Whether a file manager, or a store in a directory, has added this file.
pub fn is_ignored(name: &str) -> bool {
    let parts: Vec<_> = name.split('/').collect();
    let is_own = |pair: &[&str]| match pair {
        [OWN_FOLDER, layout::SUBAGENTS] => true,
        [folder, OWN_FOLDER] => folder.len() == 32 && folder.parse::<ConversationId>().is_ok(),
        _ => false,
    };
    parts.contains(&"__MACOSX")
        || parts.windows(2).any(is_own)
        || name.rsplit('/').next().is_some_and(|file| {
            file.starts_with("._") || matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini")
        })
}

/// The kind of a file, by its path in the conversation's folder. The path has been checked.
pub fn kind_of(path: &str) -> Result<FileKind> {
    if path == BASE_STATE {
        return Ok(FileKind::BaseState);
    }
    if LEASES.contains(&path) || is_log_marker(path) {
        return Ok(FileKind::Lock);
    }
    let (top, rest) = path.split_once('/').map_or((path, None), |(top, rest)| (top, Some(rest)));
    let normalized = top.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    let is_in_events = top == EVENTS && rest.is_some();
    if !is_in_events && matches!(normalized.as_str(), BASE_STATE | EVENTS) {
        return Err(invalid(format!(
            "entry {} would replace {normalized} on some file systems",
            shown(path)
        )));
    }
    if let Some(name) = rest.filter(|_| is_in_events) {
        let event = parse_event_file_name(name);
        if event.is_some() && path.len() > MAX_EVENT_PATH_BYTES {
            return Err(invalid(format!(
                "entry {} has a name that is too long for file systems",
                shown(path)
            )));
        }
        if let Some((number, id)) = event {
            return Ok(FileKind::Event { number, id });
        }
        if name.starts_with("event-") && name.ends_with(".json") && !name.bytes().any(|b| b == b'/') {
            return Ok(FileKind::InvalidEvent);
        }
    }
    path.parse().map(FileKind::File).map_err(|error| invalid(error.message()))
}

/// Whether it is a file of the SDK in the folder of a log, which may be that of a nested conversation: the lock, or the
/// marker whose name contains the number of events.
fn is_log_marker(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let length = name.strip_prefix(".eventlog-len-").and_then(|rest| rest.strip_suffix(".marker"));
    (folder == EVENTS || folder.ends_with("/events"))
        && (name == ".eventlog.lock"
            || length.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_points_outside_of_its_folder_is_refused() {
        for bad in [
            "../x",
            "a/../../x",
            "/etc/passwd",
            "a//b",
            "./a",
            "a/.",
            "..",
            "C:/x",
            "a\\..\\b",
            "\\\\server\\share",
            "a\0b",
            "a\nb",
            "",
            "/",
            "//",
        ] {
            let error = check(bad).unwrap_err();
            assert!(error.message().contains("entry"), "{bad:?}: {error}");
        }
        assert!(check(&"a/".repeat(1100)).is_err());
        for good in ["a", "a/", "a/b.c/d", "...", "a/..b", "ü/\u{2028}"] {
            assert!(check(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn the_kind_of_a_file_is_known_from_its_path() {
        let event = |name: &str| match kind_of(name).unwrap() {
            FileKind::Event { number, id } => Some((number, id.as_str().to_owned())),
            _ => None,
        };
        assert_eq!(kind_of("base_state.json").unwrap(), FileKind::BaseState);
        assert_eq!(event("events/event-00000-0f8fad5b.json"), Some((0, "0f8fad5b".into())));
        assert_eq!(event("events/event-123456-0F8F-AD5B.json"), Some((123_456, "0F8F-AD5B".into())));
        assert_eq!(event("events/event-0012-0f8fad5b.json"), Some((12, "0f8fad5b".into())));
        for name in [
            "events/event-00000-0f8fad5.json",
            "events/event-00000-01ARZ3NDEKTSV4RRFFQ69G5FAV.json",
            "events/event-99999999999999999999999-0f8fad5b.json",
            "events/event-+0001-0f8fad5b.json",
            "events/event--0f8fad5b.json",
        ] {
            assert_eq!(kind_of(name).unwrap(), FileKind::InvalidEvent, "{name}");
        }
        for lock in [
            "events/.eventlog.lock",
            "events/.eventlog-len-12.marker",
            "subagents/0f8fad5bd9cb469fa16570867728950e/events/.eventlog.lock",
            "subagents/0f8fad5bd9cb469fa16570867728950e/events/.eventlog-len-1.marker",
            "owner_lease.json",
            ".owner_lease.lock",
        ] {
            assert_eq!(kind_of(lock).unwrap(), FileKind::Lock);
        }
        // A path that the SDK's pattern does not match is an ordinary file.
        for file in [
            "TASKS.json",
            "observations/terminal_output_1a2b3c4d.txt",
            "subagents/0f8fad5bd9cb469fa16570867728950e/base_state.json",
            "subagents/0f8fad5bd9cb469fa16570867728950e/events/event-00000-0f8fad5b.json",
            "events/event-1/0f8fad5b.json",
            "events/notes.txt",
            "events/.eventlog-len-x.marker",
            "notes/.eventlog-len-1.marker",
        ] {
            assert_eq!(kind_of(file).unwrap(), FileKind::File(file.parse().unwrap()));
        }
    }

    #[test]
    fn a_name_that_some_file_systems_take_for_the_base_state_or_the_log_is_refused() {
        for bad in [
            "Base_State.json",
            "base_state.json.",
            "base_state.json/x",
            "EVENTS/event-00000-0f8fad5b.json",
            "events /event-00000-0f8fad5b.json",
            "events",
        ] {
            assert!(kind_of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_event_of_a_download_is_known_by_its_name() {
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let of = |name: &str| downloaded_event(name).map(|(number, id)| (number, id.as_str().to_owned()));
        assert_eq!(of(&format!("event_000012_{id}.json")), Some((12, id.to_owned())));
        assert_eq!(of(&format!("event_7_{id}.json")), Some((7, id.to_owned())));
        for other in [
            "event_+1_0f8fad5b.json",
            "event__0f8fad5b.json",
            "event_1_x.json",
            "event_1_.json",
            "a/event_1_0f8fad5b.json",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn files_of_file_managers_are_ignored() {
        for name in ["__MACOSX/a/._b", "a/.DS_Store", ".DS_Store", "a/._base_state.json", "x/Thumbs.db"] {
            assert!(is_ignored(name), "{name}");
        }
        assert!(!is_ignored("a/.eventlog.lock"));
    }

    #[test]
    fn the_folder_of_a_store_in_a_directory_is_ignored_where_the_store_has_it() {
        let id = "0f8fad5bd9cb469fa16570867728950e";
        for name in [
            format!(".threadkeep/subagents/{id}"),
            format!("around/.threadkeep/subagents/{id}"),
            format!("{id}/.threadkeep/commit"),
            format!("around/{id}/subagents/{id}/.threadkeep/aside/x"),
        ] {
            assert!(is_ignored(&name), "{name}");
        }
        assert!(!is_ignored(&format!("{id}/workspace/.threadkeep/x")));
    }
}
