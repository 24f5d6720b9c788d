//! One step of an agent: turns an answer of the model into events, and calls into results.
//!
//! Does not know conversations or stores.

pub mod arguments;
pub mod condenser;
pub mod critic;
mod execute;
mod partial;
mod response;
mod schema;
pub mod underway;

pub use condenser::{AgentCondenser, CondenserMember, summary_llm};
pub use execute::{execute, without_secrets};
pub use partial::{CutOff, Piece, ShownAnswer, partial_answer};
pub use response::{Call, Known, NewEvent, Reply, ReplyKind, error_event, is_answer_demand, read_response};

use crate::{
    json::{EditableObject, Json, RawJson, object},
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
    /// The directory that the tools work in; `None` if none of them works on files.
    pub working_dir: Option<Rc<str>>,
    /// The most calls that run at the same time; at least 1.
    pub tool_concurrency_limit: usize,
    /// The condenser. `None` uses the stored one with the agent's model; `Some(None)` is no condenser.
    pub condenser: Option<Option<Rc<AgentCondenser>>>,
    /// Counts the tokens of a text as the model does; without it, or where it returns `None`, they are estimated.
    pub count_tokens: Option<TokenCounter>,
    /// Rates the agent's answers.
    pub critic: Option<Rc<dyn critic::Critic>>,
    /// The MCP servers that the host gives, by name, as they are stored.
    pub mcp_config: EditableObject,
    /// The pattern of the names of tools that the agent has; without it, all.
    pub filter_tools_regex: Option<Rc<str>>,
}

/// Returns the number of tokens of a text.
pub type TokenCounter = Rc<dyn Fn(&str) -> Option<u64>>;

impl Agent {
    /// The instructions if the host gives none: those sections of the SDK's system prompt that apply to a page, in its
    /// order and in our own words. The host replaces them with its own, or extends them with a context.
    pub const DEFAULT_SYSTEM_PROMPT: &str = include_str!("prompts/system.md");

    /// The agent in `base_state.json`, in the form of the SDK's `Agent`. Of the tools only
    /// those are included that Python has classes for.
    pub fn to_sdk_json(&self) -> RawJson {
        // As in the SDK, a `finish` with a schema is an entry of `tools`.
        let has_finish = !self.tools.expects_answer();
        let default_tools: &[&str] = if has_finish { &["FinishTool", "ThinkTool"] } else { &["ThinkTool"] };
        let condenser = self.condenser.as_ref().and_then(Option::as_ref);
        let agent = object! {
            "llm": Json(&self.llm.options.to_sdk_json(None)),
            "tools": self.tool_specs(),
            "mcp_config": self.mcp_config,
            "filter_tools_regex"?: self.filter_tools_regex.as_deref(),
            "include_default_tools": default_tools,
            "agent_context"?: self.context.as_ref().map(|context| &context.stored),
            "system_prompt": &*self.system_prompt,
            "system_prompt_filename": "system_prompt.j2",
            "security_policy_filename": "security_policy.j2",
            "system_prompt_kwargs": object! { "llm_security_analyzer": true },
            "condenser"?: condenser.map(|condenser| condenser.to_sdk_json(&self.llm)),
            "tool_concurrency_limit": self.tool_concurrency_limit,
            "kind": "Agent",
        };
        agent.into()
    }

    /// The entries of the stored agent's `tools`.
    pub fn tool_specs(&self) -> Vec<RawJson> {
        self.tools.iter().filter_map(|tool| tool.record()?.spec().cloned()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The sections of the SDK's system prompt (`context/prompts/presets.py`).
    const SECTIONS: &[&str] = &[
        "SOUL",
        "ROLE",
        "MEMORY",
        "EFFICIENCY",
        "FILE_SYSTEM_GUIDELINES",
        "CODE_QUALITY",
        "VERSION_CONTROL",
        "PULL_REQUESTS",
        "PROBLEM_SOLVING_WORKFLOW",
        "SELF_DOCUMENTATION",
        "SECURITY",
        "SECURITY_RISK_ASSESSMENT",
        "EXTERNAL_SERVICES",
        "ENVIRONMENT_SETUP",
        "TROUBLESHOOTING",
        "PROCESS_MANAGEMENT",
    ];

    #[test]
    fn the_system_prompt_is_short_and_its_sections_are_in_the_order_of_the_sdk() {
        let prompt = Agent::DEFAULT_SYSTEM_PROMPT;
        // Every request contains it, and the first download too.
        assert!(prompt.len() < 2000, "{} bytes", prompt.len());
        let opened: Vec<&str> = prompt
            .lines()
            .filter_map(|line| line.strip_prefix('<')?.strip_suffix('>'))
            .filter(|name| !name.starts_with('/'))
            .collect();
        let places: Vec<usize> =
            opened.iter().filter_map(|name| SECTIONS.iter().position(|section| section == name)).collect();
        assert_eq!((places.len(), places.is_sorted()), (opened.len(), true), "{opened:?}");
        for name in opened {
            assert!(prompt.contains(&format!("\n</{name}>\n")), "{name} does not end");
        }
    }
}
