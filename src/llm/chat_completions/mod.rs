//! OpenAI Chat Completions, the wire API that most servers speak: a body, headers, and a decoder. No I/O.
//!
//! Mirrors the SDK's `Message.to_chat_dict` and `select_chat_options`, and what LiteLLM makes of them.

mod decoder;
pub(super) mod messages;
pub(super) mod request;
mod tool_calls;

pub use decoder::ChatDecoder;

use crate::llm::{
    error::LlmError,
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};

/// The wire API.
pub struct ChatCompletions;

impl WireApi for ChatCompletions {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let sent = WireRequest {
            url: request.endpoint.url("/chat/completions"),
            headers: request::request_headers(request),
            body: request::request_body(request, &messages::messages_json(request)).end(),
        };
        Ok((sent, Box::new(ChatDecoder::default())))
    }
}
