//! Body and headers of a request, as a function of options, messages and tools.

use crate::{
    json::{Json, ListWriter, ObjectWriter, object},
    llm::{completion::ToolSchema, provider::ReasoningEffort, tool_names::ToolNames, wire_api::LlmRequest},
};

/// The body with these messages, given in pieces. A wire API that is built on this one may add fields.
pub(in crate::llm) fn request_body(
    request: &LlmRequest<'_>,
    messages: &[&str],
    names: &ToolNames,
) -> ObjectWriter {
    let LlmRequest { options, endpoint, features, .. } = *request;
    let provider = endpoint.provider;
    let mut body = object! { "model": endpoint.model };
    body.raw_of("messages", messages);
    if let Some(limit) = features.max_output_tokens {
        body.field(provider.output_limit, &limit);
        if features.has_thinking_budget && provider.output_limit != "max_tokens" {
            body.field("max_tokens", &limit);
        }
    }
    if features.supports_sampling_params {
        body.optional("temperature", &options.temperature);
        body.optional("top_p", &options.top_p);
    }
    // By default it is sent only to servers that are known to accept it; if the host has set it, to any server.
    if sends_effort(request) {
        let effort = options.reasoning_effort();
        match provider.reasoning {
            ReasoningEffort::ThinkingSwitch => {
                let switch = if effort == "none" { "disabled" } else { "enabled" };
                body.field("thinking", &object! { "type": switch });
            }
            ReasoningEffort::Always | ReasoningEffort::UnlessKnown | ReasoningEffort::IfKnown => {
                body.field("reasoning_effort", effort);
            }
        }
    }
    if let (true, true, Some(limit)) =
        (features.has_thinking_budget, provider.takes_thinking, features.max_output_tokens)
    {
        let budget = THINKING_BUDGET.min(limit.saturating_sub(1));
        body.field("thinking", &object! { "type": "enabled", "budget_tokens": budget });
    }
    if let (true, Some(id)) = (provider.takes_cache_key && features.takes_extras, request.conversation_id) {
        body.field("prompt_cache_key", id);
    }
    if request.is_streaming {
        body.field("stream", &true);
        if provider.takes_stream_options {
            body.field("stream_options", &object! { "include_usage": true });
        }
    }
    if !request.tools.is_empty() {
        body.field("tools", &tools(request.tools, names));
    }
    body
}

fn sends_effort(request: &LlmRequest<'_>) -> bool {
    let LlmRequest { options, features, .. } = *request;
    features.supports_reasoning_effort && (features.takes_extras || options.reasoning_effort.is_some())
}

/// Whether the request switches thinking on. Whoever is told to think demands the earlier thoughts.
pub(super) fn enables_thinking(request: &LlmRequest<'_>) -> bool {
    request.endpoint.provider.reasoning == ReasoningEffort::ThinkingSwitch
        && sends_effort(request)
        && request.options.reasoning_effort() != "none"
}

/// The headers, except authorization. Only headers that the provider reads: one that is not safelisted by CORS fails the
/// request if the server does not allow it.
pub(in crate::llm) fn request_headers(request: &LlmRequest<'_>) -> Vec<(String, String)> {
    let provider = request.endpoint.provider;
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    for (name, value) in provider.headers {
        headers.push(((*name).into(), (*value).into()));
    }
    if request.features.has_thinking_budget && provider.takes_thinking {
        headers.push(("anthropic-beta".into(), "interleaved-thinking-2025-05-14".into()));
    }
    if let (true, Some(id)) = (provider.takes_session, request.conversation_id) {
        headers.push(("x-litellm-session-id".into(), id.to_owned()));
    }
    headers
}

/// The SDK's `extended_thinking_budget`.
const THINKING_BUDGET: u32 = 200_000;

fn tools(tools: &[ToolSchema], names: &ToolNames) -> ListWriter {
    let tools = tools.iter().map(|tool| {
        let function = object! {
            "name": names.sent(&tool.name),
            "description": tool.description,
            "parameters": Json(&tool.parameters),
        };
        object! { "type": "function", "function": function }
    });
    tools.collect()
}
