//! Chat Completions for models without native tool calling: tools are described and called in text.
//!
//! The form of a call is the SDK's (`llm/mixins/fn_call_converter.py`, `non_native_fc.py`), because models were trained
//! with it. The sentences around it are this library's: `prompts/`, `functions.rs`. Requests and answers are those of
//! [`super::chat_completions`]; this module changes the messages of a request and finds the call in an answer. The log
//! contains calls and results as for any other model.

mod call;
mod decoder;
mod example;
mod functions;
mod messages;
mod python;
mod reading;
mod writing;

use crate::llm::{
    chat_completions::{ChatCompletions, request::request_body, request::request_headers},
    error::LlmError,
    model_features::{ModelFeatures, TextToolFeatures},
    tool_names::ToolNames,
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};
use decoder::TextToolsDecoder;

/// Chat Completions without calls: tools are described in the prompt and called in text.
pub struct TextTools;

impl WireApi for TextTools {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        // As in the SDK: a model without native tool calling may not accept lists of parts either.
        let reads_lists = request.features.supports_prompt_cache || request.features.supports_vision;
        let force_string_serializer = request.features.force_string_serializer || !reads_lists;
        let features = &ModelFeatures { force_string_serializer, ..request.features.clone() };
        let request = LlmRequest { features, ..*request };
        if request.tools.is_empty() {
            return ChatCompletions.begin(&request);
        }
        for tool in request.tools {
            tool.schema()?;
        }
        let model = TextToolFeatures::of(request.options);
        let messages = messages::messages_json(&request, model.wants_example);
        let mut body =
            request_body(&LlmRequest { tools: &[], ..request }, &[&messages], &ToolNames::default());
        if model.supports_stop_words {
            body.raw("stop", "[\"</function\"]");
        }
        let sent = WireRequest {
            url: request.endpoint.url("/chat/completions"),
            headers: request_headers(&request),
            body: body.finish(),
        };
        Ok((sent, Box::new(TextToolsDecoder::new(&request))))
    }
}
