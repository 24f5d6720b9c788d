//! What goes into a call of a model and what comes out of it, whatever the wire API.

use crate::llm::{client::Llm, message::Message, metrics::Usage, options::LlmOptions};
use std::{cell::RefCell, rc::Rc};

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSchema {
    /// What the model calls it by.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON Schema of the arguments, as JSON text that is sent as it is.
    pub parameters: Rc<str>,
}

/// On whose behalf a model is called.
#[derive(Clone, Default)]
pub struct CallContext {
    /// The conversation's id with dashes, by which providers find their cache again.
    pub conversation_id: Option<String>,
    /// What attempts have cost that came to nothing, an entry each. Their messages are empty.
    pub lost: Rc<RefCell<Vec<Completion>>>,
    /// An answer that was begun before and that the provider keeps. Where it is lost, a new one is asked for.
    pub background_response: Option<StartedResponse>,
    /// Told the id of each answer that a provider keeps, as soon as it is known.
    pub on_background: Option<OnBackground>,
}

/// An answer that a provider keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedResponse {
    /// The provider's id.
    pub id: String,
    /// The model that answers, as its options name it. No other one picks it up.
    pub model: String,
    /// Where it is asked, as its options say. No other server is told of the answer.
    pub base_url: Option<String>,
}

impl StartedResponse {
    /// Whether a model of these options gives it.
    pub fn is_of(&self, options: &LlmOptions) -> bool {
        self.model == options.model && self.base_url == options.base_url
    }
}

/// Is told which model answers, and the id of the answer.
pub type OnBackground = Rc<dyn Fn(&Llm, &str)>;

/// A piece of an answer, to be shown as it comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// More text.
    pub content: Option<String>,
    /// More reasoning.
    pub reasoning_content: Option<String>,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// Unique: the provider's, or made here where it gave none.
    pub response_id: String,
    /// What the model says, as an assistant's message; or what it is to be told where that cannot be read, as the
    /// user's.
    pub message: Message,
    /// Why it ended, in the provider's words.
    pub finish_reason: Option<String>,
    /// What was counted; `None` where nothing was.
    pub usage: Option<Usage>,
    /// Seconds from the request to the end of the answer; earlier attempts are not in it.
    pub latency: f64,
    /// The model as the options name it, which is what usage is counted under.
    pub model: String,
    /// Dollars, where the prices are known and not nothing.
    pub cost: Option<f64>,
    /// The model's context window, or 0 where it is not known.
    pub context_window: u32,
}
