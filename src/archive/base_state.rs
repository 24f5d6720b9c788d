//! `base_state.json` on its way in and out: whose it is, what is left of a torn one, and the form that leaves.

use super::{
    contents::QUARANTINE,
    event_text::{CUT_OFF, EMPTY, object_text},
    invalid, json, secrets, undecided,
};
use crate::{
    error::{Error, Result, shown},
    id::{ConversationId, EventId},
};
use std::borrow::Cow;

/// A base state that can be stored.
#[derive(Debug, PartialEq)]
pub struct BaseState {
    /// Whose it is.
    pub id: ConversationId,
    /// The event that the conversation stands at, if it names one.
    pub head: Option<String>,
    /// The text, byte for byte as it was read unless `warnings` say otherwise.
    pub text: String,
    /// Whether the content could not be used as it was, so that `text` is only what could be saved of it.
    pub is_rebuilt: bool,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Reads the content of the entry `entry`, which lies in the folder of `folder`, if the folder names one. Nothing is read
/// where the folder has no such file.
///
/// A content that is empty or breaks off is what a process leaves that dies while it writes; the whole fields before
/// the break are kept, and the rest falls back to the SDK's defaults. So it is where the SDK would miss something.
pub fn read(content: Option<&[u8]>, entry: &str, folder: Option<ConversationId>) -> Result<BaseState> {
    let in_entry = |error: Error| Error::new(error.code(), format!("entry {entry}: {}", error.message()));
    let mut warnings = Vec::new();
    let text = match (content.map(whole), folder) {
        (Some(Ok(text)), _) => text.to_owned(),
        (Some(Err(Flaw::Torn(rest))), Some(id)) => {
            let kept = match rest {
                "" => "is empty; all settings fall back to their defaults",
                _ => {
                    "breaks off; the settings before the break were kept, the others fall back to their defaults"
                }
            };
            warnings.push(format!("{entry} {kept}, and {QUARANTINE}"));
            saved(rest, id)
        }
        (Some(Err(Flaw::Torn(_))), None) => {
            return Err(invalid(format!(
                "entry {entry} breaks off, and no folder says whose it is; put the files into a folder named after \
                 the conversation's id in 32 hex digits"
            )));
        }
        (Some(Err(Flaw::Wrong(why))), _) => return Err(invalid(format!("entry {entry} {why}"))),
        (None, Some(id)) => {
            warnings.push(format!("there is no {entry}; all settings fall back to their defaults"));
            saved("", id)
        }
        (None, None) => return Err(invalid(format!("there is no {entry}"))),
    };
    let id = id_of(&text, entry)?;
    if let Some(folder) = folder.filter(|folder| *folder != id) {
        return Err(invalid(format!(
            "entry {entry} says it is conversation {id}, but its folder is named {}",
            folder.hex()
        )));
    }
    let mut is_rebuilt = content.is_some() && !warnings.is_empty();
    let text = match lacking(&text) {
        None => text,
        Some(what) => {
            warnings.push(format!(
                "{entry} has no {what} that can be used; a default stands in, and {QUARANTINE}"
            ));
            is_rebuilt = true;
            saved(&text, id)
        }
    };
    let (masked, places) = secrets::masked(&text).map_err(in_entry)?;
    if !places.is_empty() {
        warnings.push(format!(
            "{entry} held secrets in plain text, which are not stored; give them again where they are needed: {}",
            places.join(", ")
        ));
    }
    let head = json::members(&text).ok().and_then(|members| json::string_member(&members, "leaf_event_id"));
    Ok(BaseState { id, head, text: masked.into_owned(), is_rebuilt, warnings })
}

/// What the SDK needs and does not find.
fn lacking(text: &str) -> Option<&'static str> {
    let members = json::members(text).unwrap_or_default();
    let parts = |name| json::member(&members, name).and_then(|value| json::members(value).ok());
    match (parts("agent"), parts("workspace")) {
        (Some(agent), Some(_)) if json::member(&agent, "kind").is_some() => None,
        (Some(agent), _) if json::member(&agent, "kind").is_none() => Some("kind of agent"),
        (None, _) => Some("agent"),
        (Some(_), _) => Some("workspace"),
    }
}

enum Flaw<'a> {
    /// The text ends too early; this much of it is text.
    Torn(&'a str),
    /// It is no base state, and never was.
    Wrong(&'static str),
}

fn whole(content: &[u8]) -> std::result::Result<&str, Flaw<'_>> {
    object_text(content).map_err(|why| match why {
        EMPTY => Flaw::Torn(""),
        CUT_OFF => {
            let end = std::str::from_utf8(content).map_or_else(|error| error.valid_up_to(), str::len);
            let start = content.get(..end).unwrap_or_default();
            Flaw::Torn(std::str::from_utf8(start).unwrap_or_default())
        }
        why => Flaw::Wrong(why),
    })
}

fn id_of(text: &str, entry: &str) -> Result<ConversationId> {
    let members = json::members(text).unwrap_or_default();
    let Some(id) = json::string_member(&members, "id") else {
        return Err(invalid(format!("entry {entry} has no id")));
    };
    id.parse().map_err(|_| invalid(format!("entry {entry} has the id {}, which is no UUID", shown(&id))))
}

/// A base state of the whole members of `torn`, completed to what the SDK needs.
fn saved(torn: &str, id: ConversationId) -> String {
    let members = json::whole_members(torn);
    let object = |name: &str| json::member(&members, name).filter(|value| json::members(value).is_ok());
    let workspace =
        object("workspace").unwrap_or(r#"{"working_dir":"workspace/project","kind":"LocalWorkspace"}"#);
    let agent = match object("agent") {
        Some(agent) => with_kind(agent),
        None => r#"{"llm":{"model":"unknown"},"kind":"Agent"}"#.to_owned(),
    };
    let mut fields = vec![
        ("id".to_owned(), json::quoted(&id.to_string())),
        ("agent".to_owned(), agent),
        ("workspace".to_owned(), workspace.to_owned()),
    ];
    for (name, value) in &members {
        if !fields.iter().any(|(known, _)| known == name) {
            fields.push((name.to_string(), (*value).to_owned()));
        }
    }
    let fields: Vec<_> =
        fields.iter().map(|(name, value)| format!("{}:{value}", json::quoted(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// An agent that says what kind of agent it is.
fn with_kind(agent: &str) -> String {
    let members = json::members(agent).unwrap_or_default();
    if json::member(&members, "kind").is_some() {
        return agent.to_owned();
    }
    let mut fields = Vec::new();
    if json::member(&members, "llm").is_none() {
        fields.push((Cow::Borrowed("llm"), r#"{"model":"unknown"}"#));
    }
    fields.extend(members);
    fields.push((Cow::Borrowed("kind"), "\"Agent\""));
    let fields: Vec<_> =
        fields.iter().map(|(name, value)| format!("{}:{value}", json::quoted(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// The text with another `leaf_event_id`, if it has one.
pub fn with_head(text: &str, head: Option<&EventId>) -> String {
    let members = json::members(text).unwrap_or_default();
    let Some(value) = json::member(&members, "leaf_event_id") else { return text.to_owned() };
    let head = head.map_or_else(|| "null".to_owned(), |id| json::quoted(id.as_str()));
    json::edited(text, vec![(json::range_in(text, value), head)])
}

/// The base state as it leaves in an export. Four things are not as they are stored:
///
/// * What an import left undecided here is nobody else's affair.
/// * `execution_status` is what a conversation is that nobody runs: `paused` for `running`, `idle` for `deleting`.
///   The agent server takes a stored `running` for a crash.
/// * `persistence_dir` names a place of this conversation alone, relative to where Python is started. The SDK goes on
///   writing to the stored path after a move, also to a path of another machine; and its default is shared.
/// * Secrets in plain text are masked.
///
/// A text that is not a base state any more leaves as what can be saved of it.
pub fn portable(text: &str, id: ConversationId) -> String {
    let text = match json::members(text) {
        Ok(_) => undecided::unmarked(text),
        Err(_) => saved(text, id),
    };
    let members = json::members(&text).unwrap_or_default();
    let mut edits = Vec::new();
    let status = json::string_member(&members, "execution_status");
    let resting = match status.as_deref() {
        Some("running") => Some("paused"),
        Some("deleting") => Some("idle"),
        _ => None,
    };
    if let (Some(resting), Some(value)) = (resting, json::member(&members, "execution_status")) {
        edits.push((json::range_in(&text, value), json::quoted(resting)));
    }
    let own = json::quoted(&format!("workspace/conversations/{}", id.hex()));
    match (json::member(&members, "persistence_dir"), json::member(&members, "workspace")) {
        (Some(value), _) => {
            if !json::string_member(&members, "persistence_dir").is_some_and(|path| is_own_place(&path, id)) {
                edits.push((json::range_in(&text, value), own));
            }
        }
        (None, Some(workspace)) => {
            let end = json::range_in(&text, workspace).end;
            edits.push((end..end, format!(",\"persistence_dir\":{own}")));
        }
        (None, None) => {}
    }
    let text = json::edited(&text, edits);
    match secrets::masked(&text) {
        Ok((masked, _)) => masked.into_owned(),
        // Too deep for anybody to read: what cannot be searched for secrets does not leave.
        Err(_) => saved("", id),
    }
}

/// Whether a path is relative, does not climb, and ends in the conversation's own folder.
fn is_own_place(path: &str, id: ConversationId) -> bool {
    let is_plain = !path.contains(['\\', ':', '~']) && !path.starts_with('/');
    is_plain && path.split('/').all(|part| part != "..") && path.rsplit('/').next() == Some(id.hex().as_str())
}

#[cfg(test)]
mod tests {
    use super::{super::secrets::MASK, *};
    use crate::error::ErrorCode;

    const DASHED: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

    fn id() -> ConversationId {
        DASHED.parse().unwrap()
    }

    fn read(content: &[u8], folder: Option<ConversationId>) -> Result<BaseState> {
        super::read(Some(content), "f/base_state.json", folder)
    }

    #[test]
    fn a_sound_base_state_is_kept_byte_for_byte() {
        for spelling in [DASHED.to_owned(), id().hex(), DASHED.to_uppercase()] {
            let text = format!(
                "{{ \"x\" : 1.50, \"id\":\"{spelling}\",\"agent\":{{\"kind\":\"Agent\"}},\"workspace\":{{}} }}\n"
            );
            let found = read(text.as_bytes(), Some(id())).unwrap();
            assert_eq!(found, BaseState { id: id(), head: None, text, is_rebuilt: false, warnings: vec![] });
        }
    }

    #[test]
    fn one_that_belongs_elsewhere_is_refused_with_its_entry() {
        let other = format!("{{\"id\":\"{}\"}}", DASHED.replace('0', "1"));
        let error = read(other.as_bytes(), Some(id())).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ArchiveInvalid);
        assert!(error.message().starts_with("entry f/base_state.json says"), "{error}");
        for wrong in [&b"{}"[..], b"{\"id\":\"x\"}", b"{\"id\":7}", b"[]", b"{]", b"{\"id\":\"\xff\xff\"}"] {
            let error = read(wrong, Some(id())).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ArchiveInvalid, "{error}");
            assert!(error.message().starts_with("entry f/base_state.json"), "{error}");
        }
    }

    #[test]
    fn a_torn_one_gives_what_stands_before_the_break() {
        let whole = format!(
            "{{\"id\":\"{DASHED}\",\"agent\":{{\"llm\":{{\"model\":\"gpt\"}},\"kind\":\"Agent\"}},\"workspace\":{{\"working_dir\":\"/w\",\"kind\":\"LocalWorkspace\"}},\"tags\":{{\"title\":\"ü\"}}}}"
        );
        for end in 0..whole.len() {
            let found = read(&whole.as_bytes()[..end], Some(id())).unwrap();
            assert!(found.is_rebuilt && !found.warnings.is_empty());
            let members = json::members(&found.text).unwrap();
            let needed = ["id", "agent", "workspace"].map(|name| json::member(&members, name).is_some());
            assert_eq!(needed, [true; 3], "{}", found.text);
            assert!(read(&whole.as_bytes()[..end], None).is_err());
        }
        let saved = read(&whole.as_bytes()[..whole.len() - 3], Some(id())).unwrap().text;
        assert!(saved.contains("\"gpt\"") && saved.contains("/w"), "{saved}");
        assert!(read(&[0; 4096], Some(id())).unwrap().is_rebuilt);
    }

    #[test]
    fn plain_text_secrets_do_not_come_in() {
        let text = format!(
            "{{\"id\":\"{DASHED}\",\"agent\":{{\"llm\":{{\"api_key\":\"sk-live\"}},\"kind\":\"Agent\"}},\"workspace\":{{}}}}"
        );
        let found = read(text.as_bytes(), Some(id())).unwrap();
        assert_eq!(found.text, text.replace("sk-live", MASK));
        assert!(found.warnings[0].contains("agent.llm.api_key") && !found.warnings[0].contains("sk-live"));
    }

    #[test]
    fn the_head_can_be_moved_without_touching_the_rest() {
        let id: EventId = "bbbbbbbb".parse().unwrap();
        let text = r#"{"leaf_event_id": "aaaaaaaa" ,"x":1.0}"#;
        assert_eq!(with_head(text, Some(&id)), r#"{"leaf_event_id": "bbbbbbbb" ,"x":1.0}"#);
        assert_eq!(with_head(text, None), r#"{"leaf_event_id": null ,"x":1.0}"#);
        assert_eq!(with_head("{}", Some(&id)), "{}");
    }

    #[test]
    fn what_leaves_rests_and_points_to_a_place_of_its_own() {
        let own = format!("workspace/conversations/{}", id().hex());
        let before = |dir: &str, status: &str| {
            format!(
                "{{\"id\":\"{DASHED}\",\"workspace\":{{}},\"persistence_dir\":\"{dir}\",\"execution_status\":\"{status}\",\"n\":1.0}}"
            )
        };
        for foreign in [
            "/home/ann/x",
            "C:\\\\x",
            "../x",
            "workspace/conversations",
            "~/x",
            "",
            "/x/0f8fad5bd9cb469fa16570867728950e",
        ] {
            assert_eq!(portable(&before(foreign, "running"), id()), before(&own, "paused"), "{foreign}");
        }
        let theirs = format!("mine/{}", id().hex());
        for status in ["idle", "paused", "waiting_for_confirmation", "finished", "error", "stuck"] {
            assert_eq!(portable(&before(&theirs, status), id()), before(&theirs, status));
        }
        assert_eq!(portable(&before(&own, "deleting"), id()), before(&own, "idle"));
        assert_eq!(
            portable("{\"workspace\": {} }", id()),
            format!("{{\"workspace\": {{}},\"persistence_dir\":\"{own}\" }}")
        );
    }

    #[test]
    fn secrets_and_ruins_do_not_leave() {
        let text = portable(r#"{"agent":{"llm":{"api_key":"sk-live"}}}"#, id());
        assert!(!text.contains("sk-live"));
        for ruin in ["", "{\"api_key\":\"sk-live", "\0"] {
            let text = portable(ruin, id());
            assert!(json::members(&text).is_ok() && !text.contains("sk-live"), "{text}");
        }
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(1000), "]".repeat(1000));
        assert!(portable(&deep, id()).contains(DASHED));
    }
}
