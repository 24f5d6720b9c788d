//! Anthropic Messages: body and headers of a request, and a decoder. Performs no I/O.
//!
//! Mirrors the requests that LiteLLM makes for the SDK's `anthropic/…` models, and the messages that the SDK stores.
//! Where the provider would refuse such a request, it is corrected instead; a comment at each such place says so.

mod carried;
mod decoder;
mod turns;
mod messages;
mod request;
mod thinking;
mod usage;

pub use decoder::AnthropicDecoder;

use crate::llm::{
    carried::Origin,
    error::LlmError,
    tool_names::{ANTHROPIC_LIMIT, ToolNames},
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};

/// The wire API.
pub struct AnthropicMessages;

impl WireApi for AnthropicMessages {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let names = ToolNames::of(request, ANTHROPIC_LIMIT);
        let sent = WireRequest {
            url: request.endpoint.url("/v1/messages"),
            headers: request::request_headers(request),
            body: request::request_body(request, &names)?,
        };
        Ok((sent, Box::new(AnthropicDecoder::new(names, Origin::of(request.endpoint)))))
    }
}
