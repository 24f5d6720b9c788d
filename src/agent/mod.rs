//! One step of an agent: turns an answer of the model into events, and calls into results.
//!
//! Does not know conversations or stores.

pub mod arguments;
mod condenser;
pub mod critic;
mod execute;
mod response;

pub use condenser::{AgentCondenser, CondenserMember, summary_llm};
pub use execute::{execute, without_secrets};
pub use response::{Call, Draft, Known, Reply, ReplyKind, error_event, read_response};

use crate::{
    json::{ObjectWriter, RawJson},
    llm::{Llm, ToolSchema},
    skills::GivenContext,
    tool::{ToolRegistry, model_parameters},
};
use std::rc::Rc;

/// A model with tools and instructions.
#[derive(Clone)]
pub struct Agent {
    /// The model.
    pub llm: Rc<Llm>,
    /// The host's tools and the built-in ones.
    pub tools: ToolRegistry,
    /// The instructions of new conversations.
    pub system_prompt: Rc<str>,
    /// The context that the host gives.
    pub context: Option<GivenContext>,
    /// The most calls that run at the same time; at least 1.
    pub tool_concurrency_limit: usize,
    /// The condenser. `None` uses the stored one with the agent's model; `Some(None)` is no condenser.
    pub condenser: Option<Option<AgentCondenser>>,
    /// Counts the tokens of a text as the model does; without it, or where it returns `None`, they are estimated.
    pub count_tokens: Option<TokenCounter>,
    /// Rates the agent's answers.
    pub critic: Option<Rc<dyn critic::Critic>>,
}

/// Returns the number of tokens of a text.
pub type TokenCounter = Rc<dyn Fn(&str) -> Option<u64>>;

impl Agent {
    /// The instructions if the host gives none.
    pub const DEFAULT_SYSTEM_PROMPT: &str = include_str!("prompts/system.md");

    /// The agent in `base_state.json`, in the form of the SDK's `Agent`. The host's tools are not included, because
    /// Python has no classes for them.
    pub fn to_sdk_json(&self) -> RawJson {
        let mut out = ObjectWriter::new();
        out.raw("llm", &self.llm.options.to_sdk_json(None));
        out.raw("tools", "[]");
        out.raw("mcp_config", "{}");
        out.raw("include_default_tools", r#"["FinishTool","ThinkTool"]"#);
        out.optional("agent_context", &self.context.as_ref().map(|context| &context.stored));
        out.field("system_prompt", &*self.system_prompt);
        out.field("system_prompt_filename", "system_prompt.j2");
        out.field("security_policy_filename", "security_policy.j2");
        out.raw("system_prompt_kwargs", r#"{"llm_security_analyzer":true}"#);
        if let Some(Some(condenser)) = &self.condenser {
            out.field("condenser", &condenser.to_sdk_json(&self.llm));
        }
        out.field("tool_concurrency_limit", &self.tool_concurrency_limit);
        out.field("kind", "Agent");
        out.into()
    }

    /// The tools in the form that is sent to the model.
    pub fn tool_schemas(&self) -> Vec<ToolSchema> {
        self.tools
            .iter()
            .map(|tool| {
                let definition = tool.definition();
                ToolSchema {
                    name: definition.name.clone(),
                    description: definition.description.clone(),
                    parameters: model_parameters(definition).into(),
                }
            })
            .collect()
    }
}
