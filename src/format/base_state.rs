//! `base_state.json`: everything about a conversation that is not an event. Mirrors `conversation/state.py`.
//!
//! The text stays as it was read. Setting a field changes the value of that field and nothing else, so that fields of
//! other programs survive. A new field is added where the SDK would write it.
//!
//! API keys must not be written in clear text: the SDK masks them when it has no cipher.

use super::{
    agent_state::{HEAD_MOVE, TAG_TIMES},
    fields::{AGENT_FIELDS, STATE_FIELDS},
    import_mark::IMPORT,
    layout,
    tree::Leaf,
};
use crate::{
    error::{Error, ErrorCode, Result, shown},
    id::{ConversationId, EventId},
    json::{EditableObject, FromJson, RawJson, ToJson, object, quoted, string_enum, well_formed},
};
use std::rc::Rc;

/// The field for [`BaseState::beginning`]. An export leaves it out, and an import writes its own.
pub const BEGINNING: &str = "threadkeep_beginning";

/// The names and values of a conversation's tags.
pub type Tags = Vec<(String, String)>;

/// The execution status of a conversation, see `docs/errors.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionStatus {
    /// No run; a message starts one.
    #[default]
    Idle,
    /// A run is active.
    Running,
    /// The user paused the run.
    Paused,
    /// Actions wait for the user's approval.
    WaitingForConfirmation,
    /// The agent finished its task.
    Finished,
    /// A failure ended the run.
    Error,
    /// The stuck detector ended the run.
    Stuck,
    /// The conversation is being deleted.
    Deleting,
}

string_enum!(ExecutionStatus {
    Idle = "idle",
    Running = "running",
    Paused = "paused",
    WaitingForConfirmation = "waiting_for_confirmation",
    Finished = "finished",
    Error = "error",
    Stuck = "stuck",
    Deleting = "deleting",
});

/// The workspace of a new conversation. A page has no directory, but the SDK requires a name.
pub const WORKSPACE: &str = r#"{"working_dir":"workspace/project","kind":"LocalWorkspace"}"#;

/// The text of a `base_state.json`, field by field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseState {
    id: ConversationId,
    fields: EditableObject,
}

impl BaseState {
    /// The state of a new conversation. `agent` is an object as the SDK writes it. `persistence_dir` is left out: the
    /// SDK would continue to write to that directory.
    pub fn new(id: ConversationId, agent: &RawJson) -> Self {
        let mut state = Self::minimal(id, agent.as_str(), WORKSPACE);
        state.set_max_iterations(MAX_ITERATIONS.into());
        for (name, value) in DEFAULTS {
            state.fields.set(name, value);
        }
        state
    }

    /// A state with only the fields that the SDK requires. `agent` and `workspace` are JSON objects.
    pub fn minimal(id: ConversationId, agent: &str, workspace: &str) -> Self {
        let mut fields = EditableObject::default();
        fields.set("id", &id.to_string().to_json_text());
        fields.set("agent", agent);
        fields.set("workspace", workspace);
        Self { id, fields }
    }

    /// The state in this text.
    ///
    /// # Errors
    /// `store_corrupt` if the text is not a JSON object with the id of a conversation.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |why: String| {
            Error::new(
                ErrorCode::StoreCorrupt,
                format!("base_state.json {why}; import the conversation again from a copy that is whole"),
            )
        };
        Self::read(text).map_err(invalid)
    }

    /// As [`BaseState::parse`]; the error is a predicate without a subject.
    pub fn read(text: &str) -> std::result::Result<Self, String> {
        let fields = EditableObject::parse(text).ok_or("is not a JSON object")?;
        let id = fields.read::<String>("id").ok_or("has no id")?;
        let id = id.parse().map_err(|_| format!("has the id {}, which is not a UUID", shown(&id)))?;
        Ok(Self { id, fields })
    }

    /// The state in this text, which is stored for the conversation `id`; the id in the text is not checked. `None` if
    /// the text is not a JSON object.
    pub fn of(id: ConversationId, text: &str) -> Option<Self> {
        Some(Self { id, fields: EditableObject::parse(text)? })
    }

    /// The text.
    pub fn json(&self) -> Rc<str> {
        self.fields.text().into()
    }

    /// The id of the conversation.
    pub fn id(&self) -> ConversationId {
        self.id
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<RawJson> {
        self.fields.read(name)
    }

    /// Tells of each field that has another value in `other`, with that value; `None` if it is missing there.
    pub fn differences(&self, other: &Self, tell: &mut dyn FnMut(&str, Option<&str>)) {
        for (name, value) in other.fields.iter() {
            if self.fields.get(name) != Some(value) {
                tell(name, Some(value));
            }
        }
        for (name, _) in self.fields.iter() {
            if other.fields.get(name).is_none() {
                tell(name, None);
            }
        }
    }

    /// Sets a field, or removes it.
    pub fn set_field(&mut self, name: &str, value: Option<&RawJson>) {
        match value {
            Some(value) => self.fields.set_in_order(name, value.as_str().into(), STATE_FIELDS),
            None => drop(self.fields.remove(name)),
        }
    }

    /// Adds a field at the end, unless there is a field of this name.
    pub fn append_field(&mut self, name: &str, json: &str) {
        if self.fields.get(name).is_none() {
            self.fields.set(name, json);
        }
    }

    fn set<T: ToJson + ?Sized>(&mut self, name: &str, value: Option<&T>) {
        self.set_field(name, value.map(RawJson::of).as_ref());
    }

    /// The execution status; idle if this version does not know the stored one.
    pub fn execution_status(&self) -> ExecutionStatus {
        self.fields.read("execution_status").unwrap_or_default()
    }

    /// Sets the status.
    pub fn set_execution_status(&mut self, status: ExecutionStatus) {
        self.set("execution_status", Some(status.as_str()));
    }

    /// The position of HEAD. An id that no event can have counts as unset.
    pub fn leaf(&self) -> Leaf {
        match self.leaf_event_id().and_then(|id| id.parse().ok()) {
            Some(id) => Leaf::Event(id),
            None if self.fields.read("head_is_empty") == Some(true) => Leaf::Empty,
            None => Leaf::Unset,
        }
    }

    /// The id that is stored as HEAD, which need not be one that an event can have.
    pub fn leaf_event_id(&self) -> Option<String> {
        self.fields.read("leaf_event_id")
    }

    /// Moves HEAD.
    pub fn set_leaf(&mut self, leaf: &Leaf) {
        let id = match leaf {
            Leaf::Event(id) => Some(id.as_str()),
            Leaf::Empty | Leaf::Unset => None,
        };
        self.set("leaf_event_id", id);
        self.set("head_is_empty", Some(&(*leaf == Leaf::Empty)));
    }

    /// Notes that HEAD was moved to this event while the log had this length, or removes the note.
    pub fn note_head_move(&mut self, moved: Option<(&EventId, u64)>) {
        if moved.is_none() && self.in_agent_state::<RawJson>(HEAD_MOVE).is_none() {
            return;
        }
        let note = moved.map(|(head, length)| object! { "head": head.as_str(), "length": length }.into());
        self.set_in_agent_state(HEAD_MOVE, note.as_ref());
    }

    /// The length of the log when HEAD was moved to this event, if it was.
    pub fn length_at_head_move(&self, head: &EventId) -> Option<u64> {
        let note: EditableObject = self.in_agent_state(HEAD_MOVE)?;
        note.read("length").filter(|_| note.read::<String>("head").as_deref() == Some(head.as_str()))
    }

    /// The event of the user's last message.
    pub fn last_user_message_id(&self) -> Option<EventId> {
        self.fields.read::<String>("last_user_message_id")?.parse().ok()
    }

    /// Sets the event of the user's last message.
    pub fn set_last_user_message_id(&mut self, id: Option<&EventId>) {
        self.set("last_user_message_id", id.map(EventId::as_str));
    }

    /// The maximum number of steps of a run.
    pub fn max_iterations(&self) -> u64 {
        self.fields.read("max_iterations").filter(|limit| *limit > 0).unwrap_or(MAX_ITERATIONS.into())
    }

    /// Sets the directory of a local workspace, as the tools see it. Another kind of workspace does not change.
    pub fn set_working_dir(&mut self, directory: &str) {
        let mut workspace = self.object("workspace");
        if workspace.read::<String>("kind").as_deref() == Some("LocalWorkspace") {
            workspace.set("working_dir", &quoted(directory));
            self.set("workspace", Some(&workspace));
        }
    }

    /// Sets the maximum number of steps of a run, at least one.
    pub fn set_max_iterations(&mut self, limit: u64) {
        self.set("max_iterations", Some(&limit.max(1)));
    }

    /// Whether a run stops when the agent repeats itself.
    pub fn stuck_detection(&self) -> bool {
        self.fields.read("stuck_detection").unwrap_or(true)
    }

    /// Sets whether a run stops when the agent repeats itself.
    pub fn set_stuck_detection(&mut self, is_on: bool) {
        self.set("stuck_detection", Some(&is_on));
    }

    /// The usage of the models as the text of an object. The result is the same allocation until it is set.
    pub fn stats(&self) -> Option<&Rc<str>> {
        self.fields.shared("stats")
    }

    /// Sets the usage of the models.
    pub fn set_stats(&mut self, stats: Rc<str>) {
        self.fields.set_in_order("stats", stats, STATE_FIELDS);
    }

    /// Sets the stored form of a secret, or removes it. The caller must not store a value in clear text.
    pub fn set_secret_source(&mut self, name: &str, source: Option<&RawJson>) {
        let mut registry = self.object("secret_registry");
        let sources = registry.get("secret_sources").and_then(EditableObject::parse);
        let mut sources = sources.unwrap_or_default();
        match source {
            Some(source) => sources.set(name, source.as_str()),
            None => drop(sources.remove(name)),
        }
        registry.set("secret_sources", &sources.text());
        self.set("secret_registry", Some(&registry));
    }

    /// The tags; none if one of the values is not a string.
    pub fn tags(&self) -> Tags {
        let object: EditableObject = self.fields.read("tags").unwrap_or_default();
        let tags = object.iter().map(|(name, value)| Some((name.to_owned(), String::from_json(value)?)));
        tags.collect::<Option<Tags>>().unwrap_or_default()
    }

    /// The title that lists and views show: the tag, or else the beginning of the first message of the user.
    pub fn shown_title(&self) -> Option<String> {
        self.title().or_else(|| self.beginning())
    }

    /// The beginning of the first message of the user, see `context/beginning.rs`.
    pub fn beginning(&self) -> Option<String> {
        self.fields.read(BEGINNING)
    }

    /// Sets the beginning of the first message of the user. It is the first field.
    pub fn set_beginning(&mut self, beginning: &str) {
        self.fields.set_first(BEGINNING, &quoted(beginning));
    }

    /// The conversation's title, which is a tag.
    pub fn title(&self) -> Option<String> {
        self.field("tags")?.field("title")
    }

    /// Sets the title, of at most `MAX_TAG_LENGTH` code points.
    pub fn set_title(&mut self, title: &str) {
        let mut tags = self.tags();
        tags.retain(|(name, _)| name != "title");
        tags.push(("title".to_owned(), title.to_owned()));
        // A title that is longer is left out, as every tag is.
        let _ = self.set_tags(&tags);
    }

    /// Replaces all tags. A tag that existed before keeps its place.
    ///
    /// # Errors
    /// `invalid_options` for a name that is not made of lower case letters and digits, and for a value that is longer
    /// than [`MAX_TAG_LENGTH`]: the SDK refuses the complete conversation because of either.
    pub fn set_tags(&mut self, tags: &[(String, String)]) -> Result<()> {
        if let Some((name, _)) = tags.iter().find(|(name, value)| !is_tag(name, value)) {
            return Err(Error::new(
                ErrorCode::InvalidOptions,
                format!(
                    "tag {} cannot be stored; use lower case letters and digits for its name and at most \
                     {MAX_TAG_LENGTH} characters for its value",
                    shown(name)
                ),
            ));
        }
        let mut object = self.object("tags");
        for (name, _) in self.tags() {
            if !tags.iter().any(|(new, _)| *new == name) {
                object.remove(&name);
            }
        }
        for (name, value) in tags {
            object.set(name, &value.to_json_text());
        }
        self.set("tags", Some(&object));
        Ok(())
    }

    /// Changes the tags that this object names, of which `null` removes one; if it `replaces` them, the others are removed as well.
    /// Notes when: at `now`, in milliseconds since the Unix epoch, or, if that is not later than a change that is known, right
    /// after it. So a change is later than what it replaces, also by a clock that is behind that of another device.
    ///
    /// # Errors
    /// `invalid_options` for a value that is no string, and those of [`BaseState::set_tags`]. Nothing is changed then.
    pub fn change_tags(&mut self, changes: &EditableObject, replaces: bool, now: f64) -> Result<()> {
        let before = self.tags();
        let mut tags = if replaces { Tags::new() } else { before.clone() };
        for (name, value) in changes.iter() {
            let text = String::from_json(value);
            if text.is_none() && value != "null" {
                let text = format!("tag {} is no text; give a text, or null to remove it", shown(name));
                return Err(Error::new(ErrorCode::InvalidOptions, text));
            }
            tags.retain(|(tag, _)| tag != name);
            tags.extend(text.map(|text| (name.to_owned(), text)));
        }
        self.set_tags(&tags)?;
        let mut times: EditableObject = self.in_agent_state(TAG_TIMES).unwrap_or_default();
        let latest = times.iter().filter_map(|(_, time)| time.parse::<u64>().ok()).max();
        let time = latest.map_or(0, |latest| latest.saturating_add(1)).max(now as u64).to_json_text();
        for (one, other) in [(&before, &tags), (&tags, &before)] {
            for tag in one.iter().filter(|tag| !other.contains(tag)) {
                times.set(&tag.0, &time);
            }
        }
        if !times.is_empty() {
            self.set_in_agent_state(TAG_TIMES, Some(&RawJson::of(&times)));
        }
        Ok(())
    }

    /// Whether nothing else differs in `agent_state` than the times of [`BaseState::change_tags`].
    pub fn is_equal_but_for_tag_times(&self, other: &Self) -> bool {
        let rest = |state: &Self| {
            let mut rest = state.object("agent_state");
            rest.remove(TAG_TIMES);
            rest
        };
        rest(self) == rest(other)
    }

    /// The object in a field; an empty one if there is none. Halves of characters, for which Python refuses the file, are
    /// replaced: a name that is only half a character would be no name of a field, and all others would be lost with it.
    fn object(&self, name: &str) -> EditableObject {
        self.fields.get(name).and_then(|text| EditableObject::parse(&well_formed(text))).unwrap_or_default()
    }

    /// The agent, as the SDK writes it.
    pub fn agent(&self) -> Option<RawJson> {
        self.field("agent")
    }

    /// The agent's model settings, as the SDK writes them.
    pub fn agent_llm(&self) -> Option<RawJson> {
        self.agent()?.field("llm")
    }

    /// The context of the agent: its skills, and texts for prompts.
    pub fn agent_context(&self) -> Option<RawJson> {
        self.agent()?.field("agent_context")
    }

    /// Sets the context of the agent.
    pub fn set_agent_context(&mut self, context: &RawJson) {
        self.set_in_agent("agent_context", Some(context));
    }

    /// Replaces the agent's model settings and nothing else of the agent. An agent without a kind gets the SDK's default
    /// kind, because the SDK refuses one without. The caller must not store a key in clear text.
    pub fn set_agent_llm(&mut self, llm: &RawJson) {
        let mut agent = self.object("agent");
        agent.set_first("llm", llm.as_str());
        if agent.get("kind").is_none() {
            agent.set("kind", AGENT_KIND);
        }
        self.set("agent", Some(&agent));
    }

    /// Sets a field of the agent at its place in the SDK's order, or removes it.
    pub fn set_in_agent(&mut self, name: &str, value: Option<&RawJson>) {
        let mut agent = self.object("agent");
        match value {
            Some(value) => agent.set_in_order(name, value.as_str().into(), AGENT_FIELDS),
            None => drop(agent.remove(name)),
        }
        self.set("agent", Some(&agent));
    }

    /// The directory in which the SDK stores the conversation.
    pub fn persistence_dir(&self) -> Option<String> {
        self.fields.read("persistence_dir")
    }

    /// The conversations whose sub-agents have started this one, the nearest first; none for other conversations.
    pub fn ancestors(&self) -> Vec<ConversationId> {
        self.persistence_dir().map(|path| layout::ancestors(&path, self.id)).unwrap_or_default()
    }

    /// Sets the directory in which the SDK stores the conversation.
    pub fn set_persistence_dir(&mut self, directory: &str) {
        self.set("persistence_dir", Some(directory));
    }

    /// Notes what the host has not decided about an import, see `import_mark.rs`. It is the first field.
    pub fn set_import_mark(&mut self, mark: &RawJson) {
        self.fields.set_first(IMPORT, mark.as_str());
    }

    /// The policy for which actions the user has to approve, as the SDK writes it.
    pub fn confirmation_policy(&self) -> Option<RawJson> {
        self.field("confirmation_policy")
    }

    /// Sets the policy for which actions the user has to approve.
    pub fn set_confirmation_policy(&mut self, policy: &RawJson) {
        self.set_field("confirmation_policy", Some(policy));
    }

    /// The `agent_state`, an object. The names that threadkeep uses are in `agent_state.rs`.
    pub fn agent_state(&self) -> Option<RawJson> {
        RawJson::parse(&well_formed(self.fields.get("agent_state")?))
    }

    /// A field of `agent_state`.
    pub fn in_agent_state<T: FromJson>(&self, name: &str) -> Option<T> {
        self.agent_state()?.field(name)
    }

    /// Sets a field of `agent_state`, or removes it.
    pub fn set_in_agent_state(&mut self, name: &str, value: Option<&RawJson>) {
        let mut object = self.object("agent_state");
        match value {
            Some(value) => object.set(name, value.as_str()),
            None => drop(object.remove(name)),
        }
        self.set("agent_state", Some(&object));
    }
}

/// The maximum length of a tag's value, in characters.
pub const MAX_TAG_LENGTH: usize = 256;

fn is_tag(name: &str, value: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && value.chars().count() <= MAX_TAG_LENGTH
}

/// The kind of an agent that does not name its kind, as JSON.
pub const AGENT_KIND: &str = "\"Agent\"";

/// The SDK's default for the maximum number of steps of a run.
pub const MAX_ITERATIONS: u32 = 500;

/// The other fields of a new conversation with the SDK's default values.
const DEFAULTS: &[(&str, &str)] = &[
    ("stuck_detection", "true"),
    ("execution_status", "\"idle\""),
    ("confirmation_policy", "{\"kind\":\"NeverConfirm\"}"),
    ("activated_knowledge_skills", "[]"),
    ("activated_path_rules", "[]"),
    ("invoked_skills", "[]"),
    ("blocked_actions", "{}"),
    ("blocked_messages", "{}"),
    ("head_is_empty", "false"),
    ("stats", "{\"usage_to_metrics\":{}}"),
    ("secret_registry", "{\"secret_sources\":{}}"),
    ("tags", "{}"),
    ("agent_state", "{}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_in_a_name_of_agent_state_loses_no_other_field() {
        let fields = r#"{"\ud83d":1,"a\ud83d\ude00":[1.50],"allowed_tools":["ls"]}"#;
        let text = format!(r#"{{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","agent_state":{fields}}}"#);
        let mut state = BaseState::parse(&text).unwrap();
        assert_eq!(state.in_agent_state::<Vec<String>>("allowed_tools"), Some(vec!["ls".to_owned()]));
        assert_eq!(&*state.json(), text, "reading changes nothing");
        state.set_in_agent_state("waiting", Some(&RawJson::of(&true)));
        let kept = "{\"\u{fffd}\":1,\"a\\ud83d\\ude00\":[1.50],\"allowed_tools\":[\"ls\"],\"waiting\":true}";
        assert_eq!(state.agent_state().unwrap().as_str(), kept);
    }

    #[test]
    fn a_change_of_tags_is_later_than_those_before_also_by_a_slow_clock() {
        let mut state = BaseState::parse(
            r#"{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","tags":{"title":"A","kept":"K","gone":"G"},
                "agent_state":{"tag_times":{"title":7000,"other":9000}}}"#,
        )
        .unwrap();
        let changes = EditableObject::parse(r#"{"title":"B","gone":null,"new":"N","never":null}"#).unwrap();
        state.change_tags(&changes, false, 8000.5).unwrap();
        let tags = [("title", "B"), ("kept", "K"), ("new", "N")];
        assert_eq!(state.tags(), tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let times: EditableObject = state.in_agent_state(TAG_TIMES).unwrap();
        for (name, time) in [("title", Some(9001)), ("gone", Some(9001)), ("new", Some(9001)), ("kept", None)]
        {
            assert_eq!(times.read::<u64>(name), time, "{name}");
        }
        let before = state.json();
        state.change_tags(&changes, false, 20_000.0).unwrap();
        assert_eq!(state.json(), before, "the same again changes nothing");
        for wrong in [r#"{"title":"C","count":1}"#, r#"{"title":"C","Upper":"x"}"#] {
            let error =
                state.change_tags(&EditableObject::parse(wrong).unwrap(), false, 20_000.0).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOptions);
            assert_eq!(state.json(), before, "a change that is refused changes nothing");
        }
    }

    #[test]
    fn head_is_one_fact_in_two_fields() {
        let text = r#"{"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "leaf_event_id" : "aaaaaaaa" ,"head_is_empty":false}"#;
        let mut state = BaseState::parse(text).unwrap();
        assert_eq!(state.leaf(), Leaf::Event("aaaaaaaa".parse().unwrap()));
        let moved = Leaf::Event("bbbbbbbb".parse().unwrap());
        state.set_leaf(&moved);
        assert_eq!((&*state.json(), state.leaf()), (&*text.replace("aaaaaaaa", "bbbbbbbb"), moved));
        for (leaf, is_empty) in [(Leaf::Empty, true), (Leaf::Unset, false)] {
            state.set_leaf(&leaf);
            assert_eq!((state.leaf(), state.leaf_event_id()), (leaf, None));
            assert!(state.json().ends_with(&format!(",\"head_is_empty\":{is_empty}}}")), "{}", state.json());
        }
    }

    #[test]
    fn an_id_that_no_event_can_have_is_no_head() {
        let state = BaseState::of(
            "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap(),
            r#"{"leaf_event_id":"x"}"#,
        );
        let state = state.unwrap();
        assert_eq!((state.leaf(), state.leaf_event_id().as_deref()), (Leaf::Unset, Some("x")));
    }
}
