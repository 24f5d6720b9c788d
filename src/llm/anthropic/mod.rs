//! Anthropic Messages: a body, headers, and a decoder. No I/O.
//!
//! Mirrors what LiteLLM makes of the SDK's requests for `anthropic/…` models, and what the SDK stores of the answers.
//! Where the provider would refuse what those two send, the request is put in order instead; each such place says so.

mod decoder;
mod history;
mod messages;
mod names;
mod request;
mod thinking;
mod usage;

pub use decoder::AnthropicDecoder;

use crate::llm::{
    error::LlmError,
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};
use names::ToolNames;

/// The wire API.
pub struct AnthropicMessages;

impl WireApi for AnthropicMessages {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let names = ToolNames::of(request);
        let sent = WireRequest {
            url: request.endpoint.url("/v1/messages"),
            headers: request::request_headers(request),
            body: request::request_body(request, &names),
        };
        Ok((sent, Box::new(AnthropicDecoder::new(names))))
    }
}
