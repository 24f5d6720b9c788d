//! The thinking options of a request.

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

/// Anthropic's minimum for a budget (platform.claude.com, "Extended thinking").
const MIN_BUDGET: u32 = 1024;

/// The thinking that is requested.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Thinking {
    /// The model decides how much, with this effort.
    Adaptive(String),
    /// At most this many tokens.
    Budget(u32),
}

impl Thinking {
    /// The decision of the SDK and LiteLLM, for an answer of at most `max_tokens`; `None` for no thinking.
    pub(super) fn of(request: &LlmRequest<'_>, max_tokens: u32) -> Option<Self> {
        let features = request.features;
        let effort = request.options.reasoning_effort();
        // Without a setting of the user, an unknown model is not asked to think, which it may not support.
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
        (budget >= MIN_BUDGET).then_some(Self::Budget(budget))
    }

    /// Whether the history allows thinking.
    ///
    /// LiteLLM does not enable thinking if the history has calls and no thinking block. In addition, a budget requires a
    /// thinking block before the calls that are being answered: "Expected `thinking` or `redacted_thinking`, but
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
        let mut open = messages.iter().skip(open_loop(messages));
        let is_signed_thought = |message: &Rc<Message>| message.thinking_blocks.iter().any(is_signed);
        matches!(self, Self::Adaptive(_))
            || is_sent && open.clone().any(is_signed_thought)
            || !open.any(has_calls)
    }

    /// The field `thinking` of the body.
    pub(super) fn json(&self) -> String {
        match self {
            // Without `display` the newer models do not return their reasoning.
            Self::Adaptive(_) => r#"{"type":"adaptive","display":"summarized"}"#.into(),
            Self::Budget(budget) => format!("{{\"type\":\"enabled\",\"budget_tokens\":{budget}}}"),
        }
    }

    /// The field `output_config` of the body.
    pub(super) fn output_config(&self) -> Option<String> {
        match self {
            Self::Adaptive(effort) => Some(format!("{{\"effort\":{}}}", quoted(effort))),
            Self::Budget(_) => None,
        }
    }
}

/// The index after the last user message, where the calls that are still being answered begin.
pub(super) fn open_loop(messages: &[Rc<Message>]) -> usize {
    messages.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1)
}

/// Whether a thinking block has a signature of Anthropic. One without comes from another model, and is refused.
pub(super) fn is_signed(block: &ThinkingBlock) -> bool {
    match block {
        ThinkingBlock::Thinking { signature, .. } => {
            signature.as_ref().is_some_and(|signature| !signature.is_empty())
        }
        ThinkingBlock::Redacted { .. } => true,
    }
}
