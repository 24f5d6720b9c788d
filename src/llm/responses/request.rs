//! Body and headers of a request, as a function of options, messages and tools: the SDK's `select_responses_options`.

use super::input::Input;
use crate::{
    json::{Json, ListWriter, object},
    llm::{
        completion::ToolSchema,
        model_features::supports_prompt_cache_retention,
        tool_names::{OPENAI_LIMIT, ToolNames},
        wire_api::LlmRequest,
    },
};

/// The provider's minimum for the limit of output tokens.
const MIN_OUTPUT: u32 = 16;

/// The body, as JSON.
pub(super) fn request_body(request: &LlmRequest<'_>) -> String {
    let LlmRequest { options, endpoint, features, .. } = *request;
    let names = ToolNames::of(request, OPENAI_LIMIT);
    let input = Input::of(request, &names);
    let mut body = object! { "model": endpoint.model, "input": Json(&input.items) };
    let reasons = features.supports_reasoning_effort;
    if reasons && options.enable_encrypted_reasoning() {
        body.raw("include", "[\"reasoning.encrypted_content\"]");
    }
    if !input.instructions.is_empty() {
        body.field("instructions", &input.instructions);
    }
    body.optional("max_output_tokens", &features.max_output_tokens.map(|limit| limit.max(MIN_OUTPUT)));
    if reasons {
        let effort = options.reasoning_effort();
        body.field("reasoning", &object! { "effort": effort, "summary"?: options.reasoning_summary });
    }
    // The provider must store a background response.
    body.field("store", &options.background());
    body.optional("background", &options.background().then_some(true));
    body.optional("stream", &request.is_streaming.then_some(true));
    if features.supports_sampling_params {
        body.optional("temperature", &options.temperature);
        body.optional("top_p", &options.top_p);
    }
    body.field("tool_choice", "auto");
    if !request.tools.is_empty() {
        body.field("tools", &tools(request.tools, &names));
    }
    let retention = options.prompt_cache_retention().filter(|_| supports_prompt_cache_retention(options));
    body.optional("prompt_cache_retention", &retention);
    body.optional("prompt_cache_key", &request.conversation_id);
    body.finish()
}

/// The headers, except authorization. Only headers that the provider reads: one that is not safelisted by CORS fails the
/// request if the server does not allow it.
pub(super) fn request_headers(request: &LlmRequest<'_>) -> Vec<(String, String)> {
    let provider = request.endpoint.provider;
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    for (name, value) in provider.headers {
        headers.push(((*name).into(), (*value).into()));
    }
    if let (true, Some(id)) = (provider.takes_session, request.conversation_id) {
        headers.push(("x-litellm-session-id".into(), id.to_owned()));
    }
    headers
}

fn tools(tools: &[ToolSchema], names: &ToolNames) -> ListWriter {
    let tools = tools.iter().map(|tool| {
        object! {
            "type": "function",
            "name": names.sent(&tool.name),
            "description": tool.description,
            "parameters": Json(&tool.parameters),
            "strict": false,
        }
    });
    tools.collect()
}
