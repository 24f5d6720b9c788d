//! OpenAI Responses: a body, headers, and a decoder. No I/O.
//!
//! Mirrors the SDK's `utils/responses_serialization.py`, `select_responses_options` and
//! `Message.from_llm_responses_output`, and what LiteLLM makes of them. Nothing is kept by the provider, unless it works
//! on the answer by itself: each request holds the whole history, with the reasoning in it encrypted for the provider
//! alone.

mod call_ids;
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
        let decoder = ResponsesDecoder::of(Background::of(request, &url));
        let sent = match decoder.background() {
            Some(kept) => WireRequest { url: kept.rest, headers, body: String::new() },
            None => WireRequest { url, headers, body: request::request_body(request) },
        };
        Ok((sent, Box::new(decoder)))
    }
}
