//! Tools: what the model may call, and what comes back.
//!
//! A tool that fails is not an error of the library: its failure is an observation that the model reads.

mod finish;
mod record;
mod schema;
mod think;

pub use finish::FinishTool;
pub use record::{arguments_of_record, record_of_call, record_of_output, record_of_tool};
pub use schema::model_parameters;
pub use think::ThinkTool;

use crate::{
    cancel::CancelToken,
    error::{Error, ErrorCode, Result, shown},
    id::{ConversationId, EventId},
    llm::message::Content,
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// Something that the model may call.
pub trait Tool {
    /// What the model is told about it.
    fn definition(&self) -> &ToolDefinition;

    /// Checks argument JSON against the tool's schema. `Err` says, to the model, what is wrong.
    fn check(&self, arguments: &str) -> std::result::Result<(), String>;

    /// Whether a call with these arguments waits for the user, whatever the policy says; `None` where the tool's author
    /// did not say, and only its hints do.
    fn needs_approval(&self, _arguments: &str) -> Option<LocalBoxFuture<'static, bool>> {
        None
    }

    /// Runs the call. The arguments have passed `check`. Dropping the future lets go of the call.
    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, std::result::Result<ToolOutput, ToolFailure>>;
}

/// Name, description and schema of a tool, with what its author says of its effects.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// What the model calls it by.
    pub name: String,
    /// What it is for, to the model.
    pub description: String,
    /// JSON Schema of the arguments, as JSON text.
    pub parameters: Rc<str>,
    /// Hints of the Model Context Protocol.
    pub annotations: ToolAnnotations,
    /// What happens to a call that was under way when the page died.
    pub replay: Replay,
    /// How calls and results are written into the log.
    pub kind: ToolKind,
}

/// How a tool's calls and results are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// As the SDK's `FinishTool`.
    Finish,
    /// As the SDK's `ThinkTool`.
    Think,
    /// As the MCP kinds, which every SDK process can read.
    Mcp,
}

/// `ToolAnnotations` of the SDK.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// A name for people.
    pub title: Option<String>,
    /// Changes nothing.
    pub read_only_hint: bool,
    /// May destroy something; `None` where the author did not say, which counts as true.
    pub destructive_hint: Option<bool>,
    /// Doing it twice is the same as doing it once.
    pub idempotent_hint: bool,
    /// Reaches beyond the page; `None` where the author did not say, which the log has as true.
    pub open_world_hint: Option<bool>,
}

/// What to do with a call of which nobody knows whether it took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Run it again: twice does no harm.
    Safe,
    /// Ask the user: the conversation waits for confirmation.
    Ask,
    /// Do not run it again: the model is told that it was interrupted.
    Never,
}

impl Replay {
    /// The default for a tool whose author did not choose: what changes nothing or can be repeated is repeated,
    /// what is said to destroy is asked about, everything else is left to the model.
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

/// One call, as a tool receives it.
#[derive(Clone)]
pub struct ToolCall {
    /// Argument JSON.
    pub arguments: Rc<str>,
    /// The provider's id of the call.
    pub tool_call_id: String,
    /// The conversation that calls.
    pub conversation: ConversationId,
    /// The id of the action: the same again if this call is ever replayed.
    pub idempotency_key: EventId,
    /// Cancelled when the call is no longer wanted.
    pub cancel: CancelToken,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub content: Vec<Content>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

impl ToolOutput {
    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], is_error: false }
    }
}

/// A call that threw: the words that the model reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailure(pub String);

/// The tools of an agent: those of the host, then `finish` and `think`.
#[derive(Clone)]
pub struct ToolRegistry(Vec<Rc<dyn Tool>>);

impl ToolRegistry {
    /// The host's tools with the two built-in ones behind them. A host may replace neither.
    ///
    /// # Errors
    /// `invalid_options` where two tools have one name, or a name that providers refuse.
    pub fn new(mut tools: Vec<Rc<dyn Tool>>) -> Result<Self> {
        tools.push(Rc::new(FinishTool::default()));
        tools.push(Rc::new(ThinkTool::default()));
        for (place, tool) in tools.iter().enumerate() {
            let name = &tool.definition().name;
            let is_sendable = (1..=64).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
            if !is_sendable {
                return Err(Error::new(
                    ErrorCode::InvalidOptions,
                    format!(
                        "tool name {} must be 1 to 64 letters, digits, underscores or dashes",
                        shown(name)
                    ),
                ));
            }
            if tools.iter().take(place).any(|other| other.definition().name == *name) {
                return Err(Error::new(
                    ErrorCode::InvalidOptions,
                    format!("there are two tools named {}; finish and think are always there", shown(name)),
                ));
            }
        }
        Ok(Self(tools))
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Rc<dyn Tool>> {
        self.0.iter().find(|tool| tool.definition().name == name)
    }

    /// All of them, in the order in which the model sees them.
    pub fn iter(&self) -> impl Iterator<Item = &Rc<dyn Tool>> {
        self.0.iter()
    }

    /// Their names, in the same order.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|tool| tool.definition().name.as_str()).collect()
    }
}
