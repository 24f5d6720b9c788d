//! `base_state.json` in an archive: reading one that may be damaged, and the form in which it is exported.

use super::{
    contents::QUARANTINE,
    event_text::{CUT_OFF, EMPTY, object_text},
    invalid,
    mending::{BYTE_ORDER_MARK, MARKED},
    merged_state, secrets,
};
use crate::{
    error::{Error, Result, shown},
    format::{
        base_state::{AGENT_KIND, BEGINNING, BaseState, ExecutionStatus, MAX_TAG_LENGTH, WORKSPACE},
        import_mark::{BEFORE, IMPORT},
        layout,
        server_mark::SERVER,
    },
    host::{self, Host},
    id::ConversationId,
    json::{EditableObject, Json, Object, complete_members, object},
    security::Guard,
};

/// A base state that can be stored.
#[derive(Debug, PartialEq)]
pub struct ReadBaseState {
    /// The state, with every byte of the file unless `warnings` report a change.
    pub state: BaseState,
    /// Whether the file could not be used as it was. `state` is what could be recovered from it.
    pub is_rebuilt: bool,
    /// Messages for the user.
    pub warnings: Vec<String>,
}

/// The model settings of an agent that has none.
const UNKNOWN_LLM: &str = r#"{"model":"unknown"}"#;

/// Reads the content of the entry `entry`. `folder` is the id that the folder of the entry is named after, if it is named
/// after one. `content` is `None` if the folder has no such file.
///
/// A process that dies while it writes leaves an empty or incomplete file. Its complete fields are used, and the SDK's
/// defaults for the others. The same is done if a field is missing without which the SDK refuses the file.
///
/// The `is_download` of the OpenHands app has `meta.json` in its place.
pub fn read(
    content: Option<&[u8]>,
    entry: &str,
    folder: Option<ConversationId>,
    is_download: bool,
    host: &dyn Host,
) -> Result<ReadBaseState> {
    let in_entry = |error: Error| Error::new(error.code(), format!("entry {entry}: {}", error.message()));
    let mut warnings = Vec::new();
    let unmarked = content.and_then(|content| content.strip_prefix(BYTE_ORDER_MARK));
    if unmarked.is_some() {
        warnings.push(format!("{entry} {MARKED}; it was removed, and {QUARANTINE}"));
    }
    let meta;
    let mut text = unmarked.or(content);
    if let (Some(content), true) = (text, is_download) {
        meta =
            state_of_download(content, host).map_err(|why| invalid(format!("entry {entry} {why}")))?.json();
        text = Some(meta.as_bytes());
    }
    let state = match (text.map(complete), folder) {
        (Some(Ok(text)), _) => {
            BaseState::read(text).map_err(|why| invalid(format!("entry {entry} {why}")))?
        }
        (Some(Err(Flaw::Incomplete(rest))), Some(id)) => {
            let consequence = match rest {
                "" => "is empty; all settings fall back to their defaults",
                _ => {
                    "breaks off; the settings before the break were kept, the others fall back to their defaults"
                }
            };
            warnings.push(format!("{entry} {consequence}, and {QUARANTINE}"));
            recovered(rest, id)
        }
        (Some(Err(Flaw::Incomplete(_))), None) => {
            return Err(invalid(format!(
                "entry {entry} breaks off, and no folder says whose it is; put the files into a folder named after \
                 the conversation's id in 32 hex digits"
            )));
        }
        (Some(Err(Flaw::Wrong(why))), _) => return Err(invalid(format!("entry {entry} {why}"))),
        (None, Some(id)) => {
            warnings.push(format!("there is no {entry}; all settings fall back to their defaults"));
            recovered("", id)
        }
        (None, None) => return Err(invalid(format!("there is no {entry}"))),
    };
    let id = state.id();
    if let Some(folder) = folder.filter(|folder| *folder != id) {
        return Err(invalid(format!(
            "entry {entry} says it is conversation {id}, but its folder is named {}",
            folder.hex()
        )));
    }
    let mut is_rebuilt = content.is_some() && !warnings.is_empty();
    let state = match missing_field(&state.json()) {
        None => state,
        Some(what) => {
            warnings.push(format!(
                "{entry} has no {what} that can be used; a default stands in, and {QUARANTINE}"
            ));
            is_rebuilt = true;
            recovered(&state.json(), id)
        }
    };
    let text = state.json();
    let (masked, places) = secrets::masked(&text).map_err(in_entry)?;
    let state = match places.is_empty() {
        true => state,
        false => {
            warnings.push(format!(
                "{entry} held secrets in plain text, which are not stored; give them again where they are needed: {}",
                places.join(", ")
            ));
            // The unmasked state must not be stored.
            BaseState::of(id, &masked).unwrap_or_else(|| recovered("", id))
        }
    };
    Ok(ReadBaseState { state, is_rebuilt, warnings })
}

/// The base state of a download, from what its `meta.json` says of it: whose it is, its title and its model.
fn state_of_download(content: &[u8], host: &dyn Host) -> std::result::Result<BaseState, String> {
    let fields = Object::parse(object_text(content)?).unwrap_or_default();
    let id = fields.read::<String>("id").ok_or("has no id")?;
    let id = id.parse().map_err(|_| format!("has the id {}, which is not a UUID", shown(&id)))?;
    let model = fields.read::<String>("llm_model").map(|model| object! { "model": model }.finish());
    let llm = model.as_deref().unwrap_or(UNKNOWN_LLM);
    let agent = object! { "llm": Json(llm), "kind": Json(AGENT_KIND) };
    let mut state = BaseState::minimal(id, &agent.finish(), WORKSPACE);
    if let Some(title) = fields.read::<String>("title").filter(|title| !title.trim().is_empty()) {
        state.set_title(host::beginning(host, &title, MAX_TAG_LENGTH));
    }
    Ok(state)
}

/// The first field that the SDK requires and that is missing or not an object.
fn missing_field(text: &str) -> Option<&'static str> {
    let fields = Object::parse(text).unwrap_or_default();
    let object = |name| fields.get(name).and_then(Object::parse);
    match (object("agent"), object("workspace")) {
        (None, _) => Some("agent"),
        (Some(agent), _) if agent.get("kind").is_none() => Some("kind of agent"),
        (Some(_), None) => Some("workspace"),
        (Some(_), Some(_)) => None,
    }
}

/// Why a file is not a base state.
enum Flaw<'a> {
    /// The text ends too early. This much of it is valid UTF-8.
    Incomplete(&'a str),
    /// The file never was a base state.
    Wrong(&'static str),
}

fn complete(content: &[u8]) -> std::result::Result<&str, Flaw<'_>> {
    object_text(content).map_err(|why| match why {
        EMPTY => Flaw::Incomplete(""),
        CUT_OFF => {
            let end = std::str::from_utf8(content).map_or_else(|error| error.valid_up_to(), str::len);
            let start = content.get(..end).unwrap_or_default();
            Flaw::Incomplete(std::str::from_utf8(start).unwrap_or_default())
        }
        why => Flaw::Wrong(why),
    })
}

/// A base state of the complete fields at the beginning of `text`, with defaults for what the SDK requires.
fn recovered(text: &str, id: ConversationId) -> BaseState {
    let fields = complete_members(text);
    let object = |name: &str| {
        let (_, value) = fields.iter().rev().find(|(field, _)| field == name)?;
        EditableObject::parse(value)
    };
    let mut agent = object("agent").unwrap_or_default();
    if agent.get("kind").is_none() {
        if agent.get("llm").is_none() {
            agent.set_first("llm", UNKNOWN_LLM);
        }
        agent.set("kind", AGENT_KIND);
    }
    let workspace = object("workspace").map_or_else(|| WORKSPACE.to_owned(), |workspace| workspace.text());
    let mut state = BaseState::minimal(id, &agent.text(), &workspace);
    for (name, value) in &fields {
        state.append_field(name, value);
    }
    state
}

/// The base state as it is exported. It differs from the stored one in five things:
///
/// * Of an import that nobody has opened since, the policy and the analyzer are at least as strict as those before it, which are
///   in the note that is left out.
/// * The library's own fields are left out: the note about what the host has not decided after an import, the beginning of the first
///   message, and the mark of a copy.
/// * `execution_status` is that of a conversation without a run: `paused` for `running`, `idle` for `deleting`. The agent
///   server takes a stored `running` for a crash.
/// * `persistence_dir` is a directory of this conversation alone, relative to where Python is started. The SDK continues
///   to write to the stored directory, even to one of another machine, and its default is shared by all conversations.
/// * Secrets in plain text are masked.
///
/// Of a text that is not a base state, what can be recovered is exported.
pub fn portable(text: &str, id: ConversationId) -> String {
    let mut state = BaseState::of(id, text).unwrap_or_else(|| recovered(text, id));
    let before = state.field(IMPORT).and_then(|note| note.field::<EditableObject>(BEFORE));
    if let Some(before) = before {
        let guard = Guard::stored(before.read("confirmation_policy"), before.read("security_analyzer"));
        merged_state::and_guard(&mut state, guard);
    }
    state.set_field(IMPORT, None);
    state.set_field(SERVER, None);
    state.set_field(BEGINNING, None);
    match state.execution_status() {
        ExecutionStatus::Running => state.set_execution_status(ExecutionStatus::Paused),
        ExecutionStatus::Deleting => state.set_execution_status(ExecutionStatus::Idle),
        _ => {}
    }
    if !state.persistence_dir().is_some_and(|path| is_own_directory(&path, id)) {
        let ancestors = state.ancestors();
        state.set_persistence_dir(&layout::nested_persistence_dir(&ancestors, id));
    }
    match secrets::masked(&state.json()) {
        Ok((masked, _)) => masked.into_owned(),
        // The text is nested too deeply to be searched for secrets, so nothing of it is exported.
        Err(_) => recovered("", id).json().to_string(),
    }
}

/// Whether a path is relative, has no `..`, and ends in a folder named after the conversation.
fn is_own_directory(path: &str, id: ConversationId) -> bool {
    let is_plain = !path.contains(['\\', ':', '~']) && !path.starts_with('/');
    is_plain && path.split('/').all(|part| part != "..") && path.rsplit('/').next() == Some(id.hex().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error::ErrorCode, format::secrets::MASK, host::tests::Accents};

    const DASHED: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

    fn id() -> ConversationId {
        DASHED.parse().unwrap()
    }

    fn read(content: &[u8], folder: Option<ConversationId>) -> Result<ReadBaseState> {
        super::read(Some(content), "f/base_state.json", folder, false, &Accents)
    }

    #[test]
    fn a_valid_base_state_keeps_every_byte() {
        for spelling in [DASHED.to_owned(), id().hex(), DASHED.to_uppercase()] {
            let text = format!(
                "{{ \"x\" : 1.50, \"id\":\"{spelling}\",\"agent\":{{\"kind\":\"Agent\"}},\"workspace\":{{}} }}\n"
            );
            let found = read(text.as_bytes(), Some(id())).unwrap();
            assert_eq!(&*found.state.json(), text);
            assert_eq!((found.state.id(), found.is_rebuilt, found.warnings), (id(), false, vec![]));
        }
    }

    #[test]
    fn a_base_state_of_another_conversation_is_refused_by_entry() {
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
    fn an_incomplete_base_state_gives_its_complete_fields() {
        let complete = format!(
            "{{\"id\":\"{DASHED}\",\"agent\":{{\"llm\":{{\"model\":\"gpt\"}},\"kind\":\"Agent\"}},\"workspace\":{{\"working_dir\":\"/w\",\"kind\":\"LocalWorkspace\"}},\"tags\":{{\"title\":\"ü\"}}}}"
        );
        for end in 0..complete.len() {
            let found = read(&complete.as_bytes()[..end], Some(id())).unwrap();
            assert!(found.is_rebuilt && !found.warnings.is_empty());
            let text = found.state.json();
            let fields = Object::parse(&text).unwrap();
            let required = ["id", "agent", "workspace"].map(|name| fields.get(name).is_some());
            assert_eq!(required, [true; 3], "{text}");
            assert!(read(&complete.as_bytes()[..end], None).is_err());
        }
        let recovered = read(&complete.as_bytes()[..complete.len() - 3], Some(id())).unwrap().state.json();
        assert!(recovered.contains("\"gpt\"") && recovered.contains("/w"), "{recovered}");
        assert!(read(&[0; 4096], Some(id())).unwrap().is_rebuilt);
    }

    #[test]
    fn secrets_in_plain_text_are_masked() {
        let text = format!(
            "{{\"id\":\"{DASHED}\",\"agent\":{{\"llm\":{{\"api_key\":\"sk-live\"}},\"kind\":\"Agent\"}},\"workspace\":{{}}}}"
        );
        let found = read(text.as_bytes(), Some(id())).unwrap();
        assert_eq!(&*found.state.json(), text.replace("sk-live", MASK));
        assert!(found.warnings[0].contains("agent.llm.api_key") && !found.warnings[0].contains("sk-live"));
    }

    #[test]
    fn an_exported_state_has_no_run_and_a_directory_of_its_own() {
        let own = format!("workspace/conversations/{}", id().hex());
        let before = |dir: &str, status: &str| {
            format!(
                "{{\"id\":\"{DASHED}\",\"workspace\":{{}},\"persistence_dir\":\"{dir}\",\"execution_status\":\"{status}\",\"n\":1.0}}"
            )
        };
        for other in [
            "/home/ann/x",
            "C:\\\\x",
            "../x",
            "workspace/conversations",
            "~/x",
            "",
            "/x/0f8fad5bd9cb469fa16570867728950e",
        ] {
            assert_eq!(portable(&before(other, "running"), id()), before(&own, "paused"), "{other}");
        }
        let relative = format!("mine/{}", id().hex());
        for status in ["idle", "paused", "waiting_for_confirmation", "finished", "error", "stuck"] {
            assert_eq!(portable(&before(&relative, status), id()), before(&relative, status));
        }
        assert_eq!(portable(&before(&own, "deleting"), id()), before(&own, "idle"));
        assert_eq!(
            portable("{\"workspace\": {} }", id()),
            format!("{{\"workspace\": {{}},\"persistence_dir\":\"{own}\" }}")
        );
    }

    #[test]
    fn secrets_and_damaged_text_are_not_exported() {
        let text = portable(r#"{"agent":{"llm":{"api_key":"sk-live"}}}"#, id());
        assert!(!text.contains("sk-live"));
        for damaged in ["", "{\"api_key\":\"sk-live", "\0"] {
            let text = portable(damaged, id());
            assert!(Object::parse(&text).is_some() && !text.contains("sk-live"), "{text}");
        }
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(1000), "]".repeat(1000));
        assert!(portable(&deep, id()).contains(DASHED));
    }
}
