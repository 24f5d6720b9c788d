//! Whether and how much a model is asked to think.

use crate::{
    json::quoted,
    llm::{
        message::{Message, Role, ThinkingBlock},
        provider::ReasoningEffort,
        wire_api::LlmRequest,
    },
};
use std::rc::Rc;

/// The SDK's `extended_thinking_budget`.
const BUDGET: u32 = 200_000;

/// What Anthropic asks a budget to be at least (platform.claude.com, "Extended thinking").
const SMALLEST_BUDGET: u32 = 1024;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Thinking {
    /// As much as the model finds right, with this effort.
    Adaptive(String),
    /// At most so many tokens.
    Budget(u32),
}

impl Thinking {
    /// As the SDK and LiteLLM decide it, for an answer of at most `max_tokens`; `None` where the model is not to think.
    pub(super) fn of(request: &LlmRequest<'_>, max_tokens: u32) -> Option<Self> {
        let features = request.features;
        let effort = request.options.reasoning_effort();
        // A model that nobody knows is not asked for what it may not have, unless the user says so.
        let is_unknown = request.endpoint.provider.reasoning != ReasoningEffort::IfKnown
            && features.max_input_tokens.is_none()
            && request.options.reasoning_effort.is_none();
        let has_effort = features.supports_reasoning_effort && !is_unknown && effort != "none";
        if has_effort && features.supports_adaptive_thinking {
            return Some(Self::Adaptive(if effort == "minimal" { "low" } else { effort }.into()));
        }
        let wanted = if features.has_thinking_budget {
            BUDGET
        } else if has_effort {
            // LiteLLM's constants.
            match effort {
                "minimal" | "low" => 1024,
                "medium" => 2048,
                "xhigh" => 8192,
                "max" => 16_384,
                _ => 4096,
            }
        } else {
            return None;
        };
        // The API refuses a budget that does not leave room for the answer; LiteLLM sends it.
        let budget = wanted.min(max_tokens.saturating_sub(1));
        (budget >= SMALLEST_BUDGET).then_some(Self::Budget(budget))
    }

    /// Whether the history allows it.
    ///
    /// LiteLLM does not ask for thinking if calls were made and no thought was ever kept. Beyond that, a budget asks
    /// for a thought in front of the calls that are being answered: "Expected `thinking` or `redacted_thinking`, but
    /// found `tool_use`" (github.com/BerriAI/litellm/issues/14194). After a change of the model there is none.
    pub(super) fn fits(&self, request: &LlmRequest<'_>) -> bool {
        let messages = request.messages;
        let is_sent = !request.features.force_string_serializer;
        let has_calls =
            |message: &Rc<Message>| message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
        let has_thoughts =
            |message: &Rc<Message>| message.role == Role::Assistant && !message.thinking_blocks.is_empty();
        if messages.iter().any(has_calls) && !(is_sent && messages.iter().any(has_thoughts)) {
            return false;
        }
        let open = messages.get(open_loop(messages)..).unwrap_or_default();
        let is_thought = is_sent && open.iter().any(|message| message.thinking_blocks.iter().any(is_signed));
        matches!(self, Self::Adaptive(_)) || is_thought || !open.iter().any(has_calls)
    }

    /// `thinking` of the body.
    pub(super) fn json(&self) -> String {
        match self {
            // Without a display the newer models keep their thoughts to themselves.
            Self::Adaptive(_) => r#"{"type":"adaptive","display":"summarized"}"#.into(),
            Self::Budget(budget) => format!("{{\"type\":\"enabled\",\"budget_tokens\":{budget}}}"),
        }
    }

    /// `output_config` of the body.
    pub(super) fn output_config(&self) -> Option<String> {
        match self {
            Self::Adaptive(effort) => Some(format!("{{\"effort\":{}}}", quoted(effort))),
            Self::Budget(_) => None,
        }
    }
}

/// Where the calls begin that are still being answered: behind the last that a user said.
pub(super) fn open_loop(messages: &[Rc<Message>]) -> usize {
    messages.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1)
}

/// Whether Anthropic can tell that a thought is its own. One without a signature comes from another model, and is
/// refused.
pub(super) fn is_signed(block: &ThinkingBlock) -> bool {
    match block {
        ThinkingBlock::Thinking { signature, .. } => signature.as_ref().is_some_and(|it| !it.is_empty()),
        ThinkingBlock::Redacted { .. } => true,
    }
}
