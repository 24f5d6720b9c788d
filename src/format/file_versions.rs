//! The names and texts of the files in `file_versions/`, which are the versions of the other files of a conversation.
//!
//! ```text
//! file_versions/current                             "<number of the next version> <name of the version that the files are at>"
//! file_versions/versions/<name of a version>        the version it was made from, its time, and what it has changed
//! file_versions/contents/<hash>-<length>[-<n>]      a content that no file has, or that one had once
//! ```
//!
//! Versions form a tree. A version has, of each file that it changed, only the content on the other side: what was there
//! before it, as long as the files are at it or at a version made from it, and what it made of the file otherwise. So a
//! move to another version exchanges contents on the way, and the files are stored nowhere twice.
//!
//! The name of a version is `<number>-<length>-<event>`: the event at HEAD when it was made, and the number of events in
//! the log. Children of that event with a lower index do not have the version.

use crate::{
    error::Result,
    id::{EventId, StorePath},
};

/// The folder.
pub const FOLDER: &str = "file_versions";

/// The file that says where the files are.
pub const CURRENT: &str = "file_versions/current";

/// The folder of the versions.
pub const VERSIONS: &str = "file_versions/versions";

/// The folder of the contents.
pub const CONTENTS: &str = "file_versions/contents";

/// In place of the key of a content: there is no file.
pub const ABSENT: &str = "-";

/// The event of versions from before the first one.
const ROOT: &str = "root";

/// Whether a file has versions: those of the workspace, and those of tools whose state is about them.
pub fn has_versions(path: &StorePath) -> bool {
    let path = path.as_str();
    path.starts_with("workspace/")
        || path.starts_with("file_editor/")
        || path == "TASKS.json"
        || path == "terminal_session.json"
}

/// Whether a file is part of the versions of others.
pub fn is_version(path: &StorePath) -> bool {
    path.as_str().strip_prefix(FOLDER).is_some_and(|rest| rest.starts_with('/'))
}

/// A moment of the log: the event at HEAD, and the number of events.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The event; `None` before the first one.
    pub event: Option<EventId>,
    /// The number of events in the log.
    pub length: u64,
}

impl Moment {
    /// The name of the version with this number that was made now.
    pub fn version(&self, number: u64) -> String {
        let event = self.event.as_ref().map_or(ROOT, EventId::as_str);
        format!("{number:08}-{}-{event}", self.length)
    }
}

/// The number of a version, the length of the log, and the event, from its name; an event that is `None` in [`Moment`] is
/// `root`.
pub fn parse_version(name: &str) -> Option<(u64, u64, &str)> {
    let mut parts = name.splitn(3, '-');
    let number = parts.next()?.parse().ok()?;
    let length = parts.next()?.parse().ok()?;
    let event = parts.next()?;
    (event == ROOT || event.parse::<EventId>().is_ok()).then_some((number, length, event))
}

/// The name that [`parse_version`] gives the time before the first event.
pub fn event_name(event: Option<&EventId>) -> &str {
    event.map_or(ROOT, EventId::as_str)
}

/// The changes of one version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    /// The name of the version that it was made from; empty for the first one.
    pub parent: String,
    /// When it was made, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The files, and the key of the content on the other side or [`ABSENT`].
    pub changes: Vec<(StorePath, String)>,
}

impl Version {
    /// The text of its file: lines with fields between tabs, which no path has.
    pub fn text(&self) -> String {
        let mut text = format!("{}\t{}\n", self.at, self.parent);
        for (path, key) in &self.changes {
            text.push_str(&format!("{key}\t{path}\n"));
        }
        text
    }

    /// The version in this text; `None` if it is none, as that of a version that has been removed.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (at, parent) = lines.next()?.split_once('\t')?;
        let mut version = Self { parent: parent.to_owned(), at: at.parse().ok()?, changes: Vec::new() };
        for line in lines {
            let (key, path) = line.split_once('\t')?;
            let path = path.parse().ok().filter(has_versions)?;
            if !key.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
                return None;
            }
            version.changes.push((path, key.to_owned()));
        }
        Some(version)
    }
}

/// The beginning of the key of a content: its hash (FNV-1a) and its length. Another content may have the same; then keys
/// get a number.
pub fn key_of(content: &[u8]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in content {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}-{}", content.len())
}

/// The length of the content with this key.
pub fn length_of(key: &str) -> u64 {
    key.split('-').nth(1).and_then(|length| length.parse().ok()).unwrap_or(0)
}

/// The path of the file in one of these folders.
///
/// # Errors
/// `invalid_options` for a name that no file has.
pub fn path_in(folder: &str, name: &str) -> Result<StorePath> {
    format!("{folder}/{name}").parse()
}

/// The number of the next version, and the name of the current one.
pub fn parse_current(text: &str) -> Option<(u64, String)> {
    let (next, name) = text.split_once(' ')?;
    Some((next.parse().ok()?, name.to_owned()))
}

/// The text that [`parse_current`] reads.
pub fn current_text(next: u64, name: &str) -> String {
    format!("{next} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_as_it_is_written() {
        let event: EventId = "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
        let moment = Moment { event: Some(event.clone()), length: 12 };
        let name = moment.version(3);
        assert_eq!(parse_version(&name), Some((3, 12, event.as_str())));
        assert_eq!(parse_version(&Moment::default().version(0)), Some((0, 0, "root")));
        let path = |path: &str| path.parse::<StorePath>().unwrap();
        let version = Version {
            parent: name,
            at: 1_769_850_902_123,
            changes: vec![(path("workspace/a b"), ABSENT.into()), (path("TASKS.json"), key_of(b"x"))],
        };
        assert_eq!(Version::parse(&version.text()), Some(version));
        assert_eq!(parse_current(&current_text(7, "00000003-12-root")), Some((7, "00000003-12-root".into())));
        assert_eq!(length_of(&key_of(&[0; 70])), 70);
    }

    #[test]
    fn a_name_or_text_of_another_form_is_no_version() {
        for name in ["", "1", "1-2", "x-2-root", "1-2-other", "1--root", "1-2-../x"] {
            assert_eq!(parse_version(name), None, "{name}");
        }
        for text in [
            "",
            "lost\n",
            "1\n",
            "1\t\nno tab\n",
            "1\t\n-\t../x\n",
            "1\t\n-\tinbox/x\n",
            "1\t\n../x\tTASKS.json\n",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_working_files_have_versions_and_the_log_has_none() {
        let has = |path: &str| has_versions(&path.parse().unwrap());
        assert!(
            ["workspace/a", "file_editor/1.txt", "TASKS.json", "terminal_session.json"].into_iter().all(has)
        );
        assert!(
            !["inbox/x", "quarantine/x", "file_versions/current", "workspaces/a", "x"].into_iter().any(has)
        );
    }
}
