//! Body and headers of a request, as a function of options, messages and tools.

use super::{thinking::Thinking, turns::history};
use crate::{
    json::{ListWriter, object},
    llm::{completion::ToolSchema, error::LlmError, tool_names::ToolNames, wire_api::LlmRequest},
};

/// LiteLLM's limit for unknown models. The API requires a limit.
const OUTPUT_LIMIT: u32 = 4096;

/// LiteLLM's tool for a request without tools whose history has calls, which the API would refuse.
const NO_TOOL: &str = r#"[{"name":"dummy_tool","input_schema":{"type":"object","properties":{}},"type":"custom","description":"This is a dummy tool call"}]"#;

/// The fields that LiteLLM sends from the top level of a tool's schema, where the API refuses alternatives; and
/// `definitions`, which LiteLLM resolves and the API accepts.
const SCHEMA_FIELDS: &[&str] =
    &["type", "properties", "additionalProperties", "required", "$defs", "strict", "definitions"];

/// The body, as JSON.
///
/// # Errors
/// `InvalidOptions` if the parameters of a tool are not a JSON object.
pub(super) fn request_body(request: &LlmRequest<'_>, names: &ToolNames) -> Result<String, LlmError> {
    let LlmRequest { options, endpoint, features, .. } = *request;
    let max_tokens = features.max_output_tokens.unwrap_or(OUTPUT_LIMIT);
    let wanted = Thinking::of(request, max_tokens);
    let thinking = wanted.as_ref().filter(|thinking| thinking.fits(request));
    let history = history(request, names, thinking.is_some());
    let mut body = object! {
        "model": endpoint.model,
        "max_tokens": max_tokens,
        "system"?: history.system,
        "messages": history.messages,
    };
    if !request.tools.is_empty() {
        body.field("tools", &tools(request.tools, names)?);
    } else if history.has_calls {
        body.raw("tools", NO_TOOL);
    }
    body.optional("thinking", &thinking.map(Thinking::json));
    body.optional("output_config", &wanted.as_ref().and_then(Thinking::output_config));
    if features.supports_sampling_params {
        body.optional("temperature", &options.temperature);
        body.optional("top_p", &options.top_p);
    }
    body.optional("stream", &request.is_streaming.then_some(true));
    Ok(body.finish())
}

/// The headers, except the one with the key.
pub(super) fn request_headers(request: &LlmRequest<'_>) -> Vec<(String, String)> {
    let mut headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("anthropic-version".to_owned(), "2023-06-01".to_owned()),
    ];
    for (name, value) in request.endpoint.provider.headers {
        headers.push(((*name).into(), (*value).into()));
    }
    if request.features.has_thinking_budget {
        headers.push(("anthropic-beta".into(), "interleaved-thinking-2025-05-14".into()));
    }
    headers
}

fn tools(tools: &[ToolSchema], names: &ToolNames) -> Result<ListWriter, LlmError> {
    let tools = tools.iter().map(|tool| {
        let mut schema = tool.schema()?;
        schema.retain(&|name, _| SCHEMA_FIELDS.contains(&name));
        schema.set("type", "\"object\"");
        if schema.get("properties").is_none() {
            schema.set("properties", "{}");
        }
        Ok(object! {
            "name": names.sent(&tool.name),
            "description": tool.description,
            "input_schema": schema,
            "type": "custom",
        })
    });
    tools.collect()
}
