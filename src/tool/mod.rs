//! Tools, their calls and their results.
//!
//! The failure of a tool is not an error of the library, but an event that the model reads.

mod finish;
mod record;
mod schema;
mod think;

pub use finish::{AnswerSchema, FinishTool};
pub use record::{Record, arguments_of_record, record_of_call, record_of_output, record_of_tool};
pub use schema::model_parameters;
pub use think::ThinkTool;

use crate::{
    cancel::CancelToken,
    error::{Error, ErrorCode, Result, shown},
    id::{ConversationId, EventId, StorePath},
    json::EditableObject,
    llm::message::Content,
};
use futures_util::future::LocalBoxFuture;
use std::{cell::RefCell, rc::Rc};

/// A tool that the model can call.
pub trait Tool {
    /// The name, description and schema.
    fn definition(&self) -> &ToolDefinition;

    /// Validates argument JSON against the tool's schema. `Err` describes the mistake for the model.
    fn check(&self, arguments: &str) -> std::result::Result<(), String>;

    /// Whether a call with these arguments needs approval under any policy. `None` if the tool does not decide this
    /// itself, so that its annotations do.
    fn needs_approval(&self, _arguments: &str) -> Option<LocalBoxFuture<'static, bool>> {
        None
    }

    /// Runs a call whose arguments have passed `check`. Dropping the future abandons the call.
    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, std::result::Result<ToolOutput, ToolFailure>>;

    /// Whether calls may change files of the conversation. Such calls are executed one after the other, each after the
    /// result of the previous one is stored.
    fn changes_files(&self) -> bool {
        false
    }

    /// The stored form, for a tool of [`ToolKind::Sdk`].
    fn record(&self) -> Option<&dyn Record> {
        None
    }
}

/// The definition of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The name by which the model calls it.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of the arguments, as JSON text.
    pub parameters: Rc<str>,
    /// Hints about the effects, as in the Model Context Protocol.
    pub annotations: ToolAnnotations,
    /// The treatment of calls that were under way when the page died.
    pub replay: Replay,
    /// The form in which calls and results are stored.
    pub kind: ToolKind,
}

/// The form in which a tool's calls and results are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// The classes of the SDK's `FinishTool`.
    Finish,
    /// The classes of the SDK's `ThinkTool`.
    Think,
    /// The MCP classes, which every SDK process can read.
    Mcp,
    /// Other classes of the SDK, which [`Tool::record`] writes.
    Sdk,
}

/// Hints about the effects of a tool (`ToolAnnotations` of the SDK).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// A name for people.
    pub title: Option<String>,
    /// The tool changes nothing.
    pub read_only_hint: bool,
    /// The tool may destroy something. If `None`, the log records `true`.
    pub destructive_hint: Option<bool>,
    /// Repeating a call with the same arguments has no further effect.
    pub idempotent_hint: bool,
    /// The tool acts outside the page. If `None`, the log records `true`.
    pub open_world_hint: Option<bool>,
}

/// The treatment of a call that may have taken effect when the page died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Run it again, because a repetition does no harm.
    Safe,
    /// Ask the user: the conversation waits for confirmation.
    Ask,
    /// Do not run it again: an error tells the model that it was interrupted.
    Never,
}

impl Replay {
    /// The default for a tool with these hints: read-only and idempotent tools are repeated, destructive ones are asked
    /// about, all others are not repeated.
    pub fn for_annotations(annotations: &ToolAnnotations) -> Self {
        if annotations.read_only_hint || annotations.idempotent_hint {
            Self::Safe
        } else if annotations.destructive_hint == Some(true) {
            Self::Ask
        } else {
            Self::Never
        }
    }
}

/// The input of one call.
#[derive(Clone)]
pub struct ToolCall {
    /// The arguments, as JSON text.
    pub arguments: Rc<str>,
    /// The provider's id of the call.
    pub tool_call_id: String,
    /// The conversation that the call belongs to.
    pub conversation: ConversationId,
    /// The id of the action, which is the same if the call is replayed.
    pub idempotency_key: EventId,
    /// Cancelled when the result is not needed any more.
    pub cancel: CancelToken,
}

/// The output of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// The content for the model.
    pub content: Vec<Content>,
    /// Whether the tool reports a failure.
    pub is_error: bool,
    /// The observation's own fields, for a tool of [`ToolKind::Sdk`] that has some.
    pub fields: EditableObject,
    /// Files that are stored together with the result.
    pub files: Vec<FileChange>,
    /// Whether there is no result, because the call waits for a decision of the user. It runs again after that.
    pub waits: bool,
}

impl ToolOutput {
    /// A successful output of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }
}

/// A change of a further file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path.
    pub path: StorePath,
    /// The new content, or `None` to remove the file.
    pub content: Option<Vec<u8>>,
    /// Whether it is a file of the conversation above whose files this one works on.
    pub is_owners: bool,
}

impl FileChange {
    /// A change of a file of the conversation itself.
    pub fn new(path: StorePath, content: Option<Vec<u8>>) -> Self {
        Self { path, content, is_owners: false }
    }
}

/// The failure of a call that threw, with the message for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailure(pub String);

/// The tools of an agent: those of the host, then `finish` and `think`, then those of MCP servers.
#[derive(Clone)]
pub struct ToolRegistry {
    fixed: Vec<Rc<dyn Tool>>,
    /// The tools of servers as they were last listed.
    remote: RefCell<Vec<Rc<dyn Tool>>>,
    /// Waits for servers whose tools are about to be listed.
    listed: Option<WaitForTools>,
}

/// Resolves when the tools of servers are as up to date as a request to the model should wait for.
pub type WaitForTools = Rc<dyn Fn() -> LocalBoxFuture<'static, ()>>;

impl ToolRegistry {
    /// A registry of the host's tools, followed by the two built-in ones, which the host cannot replace.
    ///
    /// # Errors
    /// `invalid_options` if two tools have the same name, or if a name or a schema is not valid.
    pub fn new(tools: Vec<Rc<dyn Tool>>) -> Result<Self> {
        Self::with_finish(tools, FinishTool::default())
    }

    /// As [`ToolRegistry::new`], with this tool that ends a task.
    pub fn with_finish(mut tools: Vec<Rc<dyn Tool>>, finish: FinishTool) -> Result<Self> {
        tools.push(Rc::new(finish));
        tools.push(Rc::new(ThinkTool::default()));
        for (place, tool) in tools.iter().enumerate() {
            let ToolDefinition { name, parameters, .. } = tool.definition();
            if !is_sendable(name) {
                return Err(Error::new(
                    ErrorCode::InvalidOptions,
                    format!(
                        "tool name {} must be 1 to 64 letters, digits, underscores or dashes",
                        shown(name)
                    ),
                ));
            }
            if EditableObject::compact(parameters).is_none() {
                return Err(Error::new(
                    ErrorCode::InvalidOptions,
                    format!("the parameters of tool {} must be a JSON Schema object", shown(name)),
                ));
            }
            if tools.iter().take(place).any(|other| other.definition().name == *name) {
                return Err(Error::new(
                    ErrorCode::InvalidOptions,
                    format!("two tools have the name {}; finish and think are built in", shown(name)),
                ));
            }
        }
        Ok(Self { fixed: tools, remote: RefCell::default(), listed: None })
    }

    /// Adds a built-in tool after the others.
    ///
    /// # Errors
    /// `invalid_options` if the host has a tool of that name.
    pub fn add(&mut self, tool: Rc<dyn Tool>) -> Result<()> {
        let name = &tool.definition().name;
        if self.fixed.iter().any(|other| other.definition().name == *name) {
            let text = format!("the tool {} is built in; give your own tool another name", shown(name));
            return Err(Error::new(ErrorCode::InvalidOptions, text));
        }
        self.fixed.push(tool);
        Ok(())
    }

    /// Replaces the tools of servers. Those that cannot be sent to a model, or whose names are taken, are left out: what a
    /// server lists must not end a conversation.
    pub fn set_remote(&self, tools: Vec<Rc<dyn Tool>>) {
        let mut accepted: Vec<Rc<dyn Tool>> = Vec::new();
        for tool in tools {
            let ToolDefinition { name, parameters, .. } = tool.definition();
            let is_taken = self.fixed.iter().chain(&accepted).any(|other| other.definition().name == *name);
            if is_sendable(name) && !is_taken && EditableObject::compact(parameters).is_some() {
                accepted.push(tool);
            }
        }
        self.remote.replace(accepted);
    }

    /// Whether a task ends with a structured answer.
    pub fn expects_answer(&self) -> bool {
        self.get("finish").is_some_and(|finish| finish.record().is_some())
    }

    /// Sets what [`Self::listed`] waits for.
    pub fn wait_for(&mut self, listed: WaitForTools) {
        self.listed = Some(listed);
    }

    /// Waits for servers whose tools are about to be listed.
    pub async fn listed(&self) {
        if let Some(listed) = &self.listed {
            listed().await;
        }
    }

    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<Rc<dyn Tool>> {
        self.iter().find(|tool| tool.definition().name == name)
    }

    /// All tools of this moment, in the order in which the model sees them.
    pub fn iter(&self) -> impl Iterator<Item = Rc<dyn Tool>> + use<> {
        let mut tools = self.fixed.clone();
        tools.extend_from_slice(&self.remote.borrow());
        tools.into_iter()
    }

    /// The names of all tools, in the same order.
    pub fn names(&self) -> Vec<String> {
        self.iter().map(|tool| tool.definition().name.clone()).collect()
    }
}

/// Whether providers accept this name of a tool.
fn is_sendable(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
