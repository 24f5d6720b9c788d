//! The thinking options of a request.

use crate::{
    json::{ObjectWriter, object},
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
    /// LiteLLM does not enable thinking if the history has calls and no thinking block. In addition, a budget requires that
    /// the turn of the assistant that goes on begins with a thinking block: "Expected `thinking` or `redacted_thinking`, but
    /// found `tool_use`" (github.com/BerriAI/litellm/issues/14194). After a change of the model it does not.
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
        let thinks = |message: &Rc<Message>| message.thinking_blocks.iter().any(is_signed);
        // Between its calls Claude may leave thinking out. Calls of another model are not known to be accepted there.
        let is_claudes = |message: &Rc<Message>| {
            let mut calls = message.tool_calls.iter().flatten();
            thinks(message) || calls.all(|call| call.id.starts_with("toolu_"))
        };
        matches!(self, Self::Adaptive(_))
            || is_sent && open.first().is_some_and(thinks) && open.iter().all(is_claudes)
            || !open.iter().any(has_calls)
    }

    /// The field `thinking` of the body.
    pub(super) fn json(&self) -> ObjectWriter {
        match self {
            // Without `display` the newer models do not return their reasoning.
            Self::Adaptive(_) => object! { "type": "adaptive", "display": "summarized" },
            Self::Budget(budget) => object! { "type": "enabled", "budget_tokens": budget },
        }
    }

    /// The field `output_config` of the body.
    pub(super) fn output_config(&self) -> Option<ObjectWriter> {
        match self {
            Self::Adaptive(effort) => Some(object! { "effort": effort }),
            Self::Budget(_) => None,
        }
    }
}

/// The index of the message that begins the turn of the assistant that goes on with the answer. To the API a turn ends with
/// an answer without calls: what the user, a hook or a critic says after the results of calls is sent in one message with
/// these results, and ends nothing.
pub(super) fn open_loop(messages: &[Rc<Message>]) -> usize {
    let mut open = messages.len();
    loop {
        let before = messages.get(..open).unwrap_or_default();
        let is_assistants = |message: &Rc<Message>| message.role == Role::Assistant;
        let end = before.iter().rposition(is_assistants).map_or(0, |at| at + 1);
        let start =
            before.iter().take(end).rposition(|message| !is_assistants(message)).map_or(0, |at| at + 1);
        let answer = messages.get(start..end).unwrap_or_default();
        let has_calls =
            |message: &Rc<Message>| message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
        // The last message can be the assistant's, which is then continued.
        let goes_on = !answer.is_empty() && (end == messages.len() || answer.iter().any(has_calls));
        if !goes_on {
            return open;
        }
        open = start;
    }
}

/// Whether the server takes thoughts that Anthropic has not signed: those of another server that speaks its API.
pub(super) fn takes_unsigned(request: &LlmRequest<'_>) -> bool {
    request.endpoint.is_user_server && !request.features.is_claude
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
