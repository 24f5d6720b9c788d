//! The input and the result of a call of a model, independent of the wire API.

use crate::{
    json::EditableObject,
    llm::{
        client::Llm,
        error::{LlmError, LlmFailure},
        files::Files,
        message::Message,
        metrics::Usage,
        options::LlmOptions,
    },
};
use std::{cell::RefCell, rc::Rc};

/// The description of a tool for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSchema {
    /// The name by which the model calls it.
    pub name: String,
    /// The purpose of the tool.
    pub description: String,
    /// JSON Schema of the arguments, as JSON text that is sent as it is.
    pub parameters: Rc<str>,
}

impl ToolSchema {
    /// The parameters as an object.
    ///
    /// # Errors
    /// `InvalidOptions` if they are not a JSON object.
    pub(super) fn schema(&self) -> Result<EditableObject, LlmError> {
        EditableObject::compact(&self.parameters).ok_or_else(|| {
            let message = format!("the parameters of tool {} must be a JSON object", self.name);
            LlmError::new(LlmFailure::InvalidOptions, message)
        })
    }
}

/// The context of a call: the conversation, and the state that outlives single attempts.
#[derive(Clone, Default)]
pub struct CallContext {
    /// The conversation's id with dashes, which providers use as a cache key.
    pub conversation_id: Option<String>,
    /// The cost of failed attempts, an entry each. Their messages are empty.
    pub lost: Rc<RefCell<Vec<Completion>>>,
    /// A background response that was begun before. If it is lost, a new one is requested.
    pub background_response: Option<StartedResponse>,
    /// Called with the id of each background response, as soon as it is known.
    pub on_background: Option<OnBackground>,
    /// The files of the messages, if they can be read.
    pub files: Option<Rc<Files>>,
}

/// A background response that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedResponse {
    /// The provider's id.
    pub id: String,
    /// The model, as its options name it. Only this model continues the response.
    pub model: String,
    /// The base URL of its options. Only this server is asked for the response.
    pub base_url: Option<String>,
}

impl StartedResponse {
    /// Whether the response comes from a model with these options.
    pub fn is_of(&self, options: &LlmOptions) -> bool {
        self.model == options.model && self.base_url == options.base_url
    }
}

/// A callback with the model and the id of its background response.
pub type OnBackground = Rc<dyn Fn(&Llm, &str)>;

/// A piece of an answer, to be shown as it arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// More text.
    pub content: Option<String>,
    /// More reasoning.
    pub reasoning_content: Option<String>,
    /// More of calls that the model is writing.
    pub tool_calls: Vec<ToolCallDelta>,
}

impl Delta {
    /// The piece, if there is anything in it to show.
    pub(super) fn non_empty(self) -> Option<Self> {
        Some(self).filter(|delta| *delta != Self::default())
    }

    /// Adds what comes after this piece, of whatever kind.
    pub(super) fn append(&mut self, mut later: Self) {
        let texts =
            [(&mut self.content, later.content), (&mut self.reasoning_content, later.reasoning_content)];
        for (sum, more) in texts {
            if let Some(more) = more {
                sum.get_or_insert_default().push_str(&more);
            }
        }
        self.tool_calls.append(&mut later.tool_calls);
    }

    /// Adds a piece that continues this one: more text of the same kind, or more of the arguments of the same call. Returns
    /// whether it does.
    pub(super) fn join(&mut self, next: &mut Self) -> bool {
        // A call begins with its name.
        let is_rest = next.tool_calls.iter().all(|call| call.name.is_none());
        match (self.only_text(), next.only_text()) {
            (Some((kind, text)), Some((same, more))) if is_rest && kind == same => {
                text.push_str(more);
                true
            }
            _ => false,
        }
    }

    /// The text of a piece that has one text only, and a number for what it is a part of.
    fn only_text(&mut self) -> Option<(usize, &mut String)> {
        match (&mut self.content, &mut self.reasoning_content, self.tool_calls.as_mut_slice()) {
            (Some(text), None, []) => Some((0, text)),
            (None, Some(text), []) => Some((1, text)),
            (None, None, [call]) => Some((2 + call.index, &mut call.arguments)),
            _ => None,
        }
    }
}

/// A piece of a call that the model is writing. All pieces with one index together are the call; an answer that arrives in one
/// piece has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCallDelta {
    /// The number of the call in the answer, from 0, in the order in which calls are begun.
    pub index: usize,
    /// With the first piece: the provider's id of the call, if it has sent one.
    pub id: Option<String>,
    /// With the first piece: the name of the tool.
    pub name: Option<String>,
    /// More of the arguments' JSON text.
    pub arguments: String,
}

impl ToolCallDelta {
    /// The first piece of a call, without arguments.
    pub(super) fn begin(index: usize, id: &str, name: &str) -> Self {
        let id = Some(id.to_owned()).filter(|id| !id.is_empty());
        Self { index, id, name: Some(name.to_owned()), arguments: String::new() }
    }
}

/// A complete answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// A unique id: the provider's, or one made here if it sent none.
    pub response_id: String,
    /// The assistant message; or, if a call in the answer cannot be read, a user message that tells the model so.
    pub message: Message,
    /// The finish reason, as the provider names it.
    pub finish_reason: Option<String>,
    /// The token counts, if the provider sent any.
    pub usage: Option<Usage>,
    /// Seconds from the request to the end of the answer, without earlier attempts.
    pub latency: f64,
    /// The model as its options name it, under which usage is counted.
    pub model: String,
    /// The cost in dollars, if the prices are known and it is not zero.
    pub cost: Option<f64>,
    /// The model's context window in tokens, or 0 if it is unknown.
    pub context_window: u32,
}
