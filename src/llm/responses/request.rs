//! Body and headers of a request, as a function of options, messages and tools: the SDK's `select_responses_options`.

use super::input::Input;
use crate::{
    json::{ListWriter, ObjectWriter, ToJson as _, quoted},
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
    let mut body = ObjectWriter::new();
    body.raw("model", &quoted(&endpoint.model));
    body.raw("input", &input.items);
    let reasons = features.supports_reasoning_effort;
    if reasons && options.enable_encrypted_reasoning() {
        body.raw("include", "[\"reasoning.encrypted_content\"]");
    }
    if !input.instructions.is_empty() {
        body.raw("instructions", &quoted(&input.instructions));
    }
    if let Some(limit) = features.max_output_tokens {
        body.raw("max_output_tokens", &limit.max(MIN_OUTPUT).to_string());
    }
    if reasons {
        let mut reasoning = ObjectWriter::new();
        reasoning.raw("effort", &quoted(options.reasoning_effort()));
        if let Some(summary) = &options.reasoning_summary {
            reasoning.raw("summary", &quoted(summary));
        }
        body.raw("reasoning", &reasoning.finish());
    }
    // The provider must store a background response.
    body.raw("store", if options.background() { "true" } else { "false" });
    if options.background() {
        body.raw("background", "true");
    }
    if request.is_streaming {
        body.raw("stream", "true");
    }
    if features.supports_sampling_params {
        for (name, value) in [("temperature", options.temperature), ("top_p", options.top_p)] {
            if let Some(value) = value {
                body.raw(name, &value.to_json_text());
            }
        }
    }
    body.raw("tool_choice", "\"auto\"");
    if !request.tools.is_empty() {
        body.raw("tools", &tools_json(request.tools, &names));
    }
    if let Some(retention) = options.prompt_cache_retention()
        && supports_prompt_cache_retention(options)
    {
        body.raw("prompt_cache_retention", &quoted(retention));
    }
    if let Some(id) = request.conversation_id {
        body.raw("prompt_cache_key", &quoted(id));
    }
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

fn tools_json(tools: &[ToolSchema], names: &ToolNames) -> String {
    let mut list = ListWriter::new();
    for tool in tools {
        let mut item = ObjectWriter::new();
        item.raw("type", "\"function\"");
        item.raw("name", &quoted(names.sent(&tool.name)));
        item.raw("description", &quoted(&tool.description));
        item.raw("parameters", &tool.parameters);
        item.raw("strict", "false");
        list.item(&item.finish());
    }
    list.finish()
}
