//! OpenAI Responses: body and headers of a request, and a decoder. Performs no I/O.
//!
//! Mirrors the SDK's `utils/responses_serialization.py`, `select_responses_options` and
//! `Message.from_llm_responses_output`, and LiteLLM's changes to their results. The provider stores nothing, except
//! background responses: each request contains the complete history, with reasoning encrypted for the provider.

mod call_ids;
mod carried;
mod decoder;
mod input;
mod background;
mod output;
mod request;

pub use decoder::ResponsesDecoder;

use self::background::Background;
use crate::llm::{
    error::LlmError,
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};

/// The wire API.
pub struct Responses;

impl WireApi for Responses {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let url = request.endpoint.url("/responses");
        let headers = request::request_headers(request);
        let decoder = ResponsesDecoder::of(request, Background::of(request, &url));
        let sent = match decoder.background() {
            Some(response) => WireRequest { url: response.rest, headers, body: String::new() },
            None => WireRequest { url, headers, body: request::request_body(request) },
        };
        Ok((sent, Box::new(decoder)))
    }
}
