//! `base_state.json`: what a conversation is beside its events.
//!
//! The text is kept as it came. A field that is set changes its own value and nothing else, so whatever another
//! writer has put there survives, known or not; a new field is placed where the SDK would put it. Mirrors
//! `conversation/state.py`.
//!
//! Keys do not belong here in the clear: the SDK writes asterisks in their place when it has no cipher.

use crate::{
    context::branch::Leaf,
    error::{Error, ErrorCode, Result, shown},
    event::{
        RawJson,
        json::{EditableObject, ObjectWriter},
    },
    id::{ConversationId, EventId},
    json::{FromJson, RawObject, ToJson, string_enum},
};
use std::rc::Rc;

/// The fields in the SDK's order.
const FIELDS: &[&str] = &[
    "id",
    "agent",
    "workspace",
    "persistence_dir",
    "max_iterations",
    "stuck_detection",
    "execution_status",
    "confirmation_policy",
    "security_analyzer",
    "activated_knowledge_skills",
    "activated_path_rules",
    "invoked_skills",
    "blocked_actions",
    "blocked_messages",
    "last_user_message_id",
    "leaf_event_id",
    "head_is_empty",
    "stats",
    "secret_registry",
    "tags",
    "agent_state",
    "hook_config",
];

/// Names and values that belong to the user.
pub type Tags = Vec<(String, String)>;

/// What the conversation is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionStatus {
    /// Waiting for a message.
    #[default]
    Idle,
    /// Working.
    Running,
    /// Stopped by the user.
    Paused,
    /// Waiting for the user to allow an action.
    WaitingForConfirmation,
    /// Done.
    Finished,
    /// Stopped by a failure.
    Error,
    /// Stopped because it went in circles.
    Stuck,
    /// Going away.
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

/// The text of a `base_state.json`, field by field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseState {
    id: ConversationId,
    fields: EditableObject,
}

impl BaseState {
    /// A state of a conversation without events. `agent` and `workspace` are objects as the SDK writes them.
    /// `persistence_dir` is left out: the SDK would go on writing to the place it names.
    pub fn new(id: ConversationId, agent: &RawJson, workspace: &RawJson) -> Self {
        let mut out = ObjectWriter::new();
        out.field("id", &id.to_string());
        out.field("agent", agent);
        out.field("workspace", workspace);
        for (name, value) in FRESH {
            out.raw(name, value);
        }
        // What an object writer wrote is an object.
        Self { id, fields: EditableObject::parse(&out.finish()).unwrap_or_default() }
    }

    /// The state in this text. Fails if it is not a JSON object with the conversation's id.
    pub fn parse(text: &str) -> Result<Self> {
        let refuse = |what: String| {
            Error::new(
                ErrorCode::StoreCorrupt,
                format!("base_state.json {what}; import the conversation again from a copy that is whole"),
            )
        };
        let fields = EditableObject::parse(text).ok_or_else(|| refuse("is not a JSON object".into()))?;
        let id = fields.read::<String>("id").ok_or_else(|| refuse("has no id".into()))?;
        let id = id.parse().map_err(|_| refuse(format!("has the id {}, which is not a UUID", shown(&id))))?;
        Ok(Self { id, fields })
    }

    /// The text.
    pub fn json(&self) -> Rc<str> {
        self.fields.text().into()
    }

    /// Whose state it is.
    pub fn id(&self) -> ConversationId {
        self.id
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<RawJson> {
        self.fields.read(name)
    }

    /// Sets a field, or removes it.
    pub fn set_field(&mut self, name: &str, value: Option<&RawJson>) {
        match value {
            Some(value) => self.fields.set(name, value, FIELDS),
            None => self.fields.remove(name),
        }
    }

    fn set<T: ToJson + ?Sized>(&mut self, name: &str, value: Option<&T>) {
        self.set_field(name, value.map(RawJson::of).as_ref());
    }

    /// What the conversation is doing; idle if the text says something that this version does not know.
    pub fn execution_status(&self) -> ExecutionStatus {
        self.fields.read("execution_status").unwrap_or_default()
    }

    /// Sets the status.
    pub fn set_execution_status(&mut self, status: ExecutionStatus) {
        self.set("execution_status", Some(status.as_str()));
    }

    /// Where the conversation stands in its tree. An id that no event can have counts as unset.
    pub fn leaf(&self) -> Leaf {
        let id = self.fields.read::<String>("leaf_event_id");
        Leaf::stored(id.as_deref(), self.fields.read("head_is_empty"))
    }

    /// Moves HEAD to an event, or before the first one.
    pub fn set_head(&mut self, head: Option<&EventId>) {
        self.set("leaf_event_id", head.map(EventId::as_str));
        self.set("head_is_empty", Some(&head.is_none()));
    }

    /// The user's last message.
    pub fn last_user_message_id(&self) -> Option<EventId> {
        self.fields.read::<String>("last_user_message_id")?.parse().ok()
    }

    /// Sets the user's last message.
    pub fn set_last_user_message_id(&mut self, id: Option<&EventId>) {
        self.set("last_user_message_id", id.map(EventId::as_str));
    }

    /// How many steps a run may take.
    pub fn max_iterations(&self) -> u64 {
        self.fields.read("max_iterations").filter(|limit| *limit > 0).unwrap_or(500)
    }

    /// Sets how many steps a run may take, at least one.
    pub fn set_max_iterations(&mut self, limit: u64) {
        self.set("max_iterations", Some(&limit.max(1)));
    }

    /// Whether the conversation watches out for going in circles.
    pub fn stuck_detection(&self) -> bool {
        self.fields.read("stuck_detection").unwrap_or(true)
    }

    /// Sets whether the conversation watches out for going in circles.
    pub fn set_stuck_detection(&mut self, is_on: bool) {
        self.set("stuck_detection", Some(&is_on));
    }

    /// What the models have used, as the text of an object: the same one until somebody sets it.
    pub fn stats(&self) -> Option<&Rc<str>> {
        self.fields.shared("stats")
    }

    /// Sets what the models have used.
    pub fn set_stats(&mut self, stats: Rc<str>) {
        self.fields.set_shared("stats", stats, FIELDS);
    }

    /// Sets what is stored of a secret, or removes it. The caller writes no value in the clear.
    pub fn set_secret_source(&mut self, name: &str, source: Option<&RawJson>) {
        let mut registry = self.object("secret_registry");
        let sources = registry.get("secret_sources").and_then(EditableObject::parse);
        let mut sources = sources.unwrap_or_default();
        match source {
            Some(source) => sources.set(name, source, &[]),
            None => sources.remove(name),
        }
        registry.set("secret_sources", &sources.to_raw(), &[]);
        self.set_field("secret_registry", Some(&registry.to_raw()));
    }

    /// The tags; `title` is the conversation's title.
    pub fn tags(&self) -> Tags {
        let object = self.fields.get("tags").and_then(|tags| RawObject::parse(tags).ok());
        let object = object.unwrap_or_default();
        let tags = object.iter().map(|(name, value)| Some((name.to_owned(), String::from_json(value)?)));
        tags.collect::<Option<Tags>>().unwrap_or_default()
    }

    /// Sets all tags; those that stay keep their places. Fails for a name that is not of lower case letters and
    /// digits, and for a value that is too long: the SDK refuses the whole conversation for either.
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
            if !tags.iter().any(|(kept, _)| *kept == name) {
                object.remove(&name);
            }
        }
        for (name, value) in tags {
            object.set(name, &RawJson::of(value), &[]);
        }
        self.set_field("tags", Some(&object.to_raw()));
        Ok(())
    }

    /// The object in a field, or one without fields.
    fn object(&self, name: &str) -> EditableObject {
        self.fields.get(name).and_then(EditableObject::parse).unwrap_or_default()
    }

    /// The agent, as the SDK writes it.
    pub fn agent(&self) -> Option<RawJson> {
        self.field("agent")
    }

    /// Replaces the agent.
    pub fn set_agent(&mut self, agent: &RawJson) {
        self.set_field("agent", Some(agent));
    }

    /// The agent's model settings, as the SDK writes them.
    pub fn agent_llm(&self) -> Option<RawJson> {
        self.agent()?.field("llm")
    }

    /// Replaces the agent's model settings and nothing else of the agent, unless there is none: then it is one of the
    /// SDK's, which reads no agent that does not say what it is. The caller writes no key into them.
    pub fn set_agent_llm(&mut self, llm: &RawJson) {
        let mut agent = self.object("agent");
        agent.set("llm", llm, &["llm"]);
        if agent.get("kind").is_none() {
            agent.set("kind", &RawJson::of("Agent"), &[]);
        }
        self.set_field("agent", Some(&agent.to_raw()));
    }

    /// The workspace, as the SDK writes it.
    pub fn workspace(&self) -> Option<RawJson> {
        self.field("workspace")
    }

    /// Where Python keeps the conversation.
    pub fn persistence_dir(&self) -> Option<String> {
        self.fields.read("persistence_dir")
    }

    /// Sets or removes where Python keeps the conversation.
    pub fn set_persistence_dir(&mut self, directory: Option<&str>) {
        self.set("persistence_dir", directory);
    }

    /// When an action needs the user's consent, as an object of the SDK's policies.
    pub fn confirmation_policy(&self) -> Option<RawJson> {
        self.field("confirmation_policy")
    }

    /// Sets when an action needs the user's consent.
    pub fn set_confirmation_policy(&mut self, policy: &RawJson) {
        self.set_field("confirmation_policy", Some(policy));
    }

    /// What the agent has to remember between steps, as an object.
    pub fn agent_state(&self) -> Option<RawJson> {
        self.field("agent_state")
    }

    /// One thing that the agent has to remember.
    pub fn in_agent_state<T: FromJson>(&self, name: &str) -> Option<T> {
        self.agent_state()?.field(name)
    }

    /// Sets one thing that the agent has to remember, or removes it.
    pub fn set_in_agent_state(&mut self, name: &str, value: Option<&RawJson>) {
        let mut object = self.object("agent_state");
        match value {
            Some(value) => object.set(name, value, &[]),
            None => object.remove(name),
        }
        self.set_field("agent_state", Some(&object.to_raw()));
    }

    /// Sets what the agent has to remember between steps.
    pub fn set_agent_state(&mut self, agent_state: &RawJson) {
        self.set_field("agent_state", Some(agent_state));
    }
}

/// The most characters a tag's value may have.
const MAX_TAG_LENGTH: usize = 256;

fn is_tag(name: &str, value: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && value.chars().count() <= MAX_TAG_LENGTH
}

/// What a conversation begins with, apart from who, what and where.
const FRESH: &[(&str, &str)] = &[
    ("max_iterations", "500"),
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
