//! OpenAI Chat Completions, the wire API that most servers speak: a body, headers, and a decoder. No I/O.
//!
//! Mirrors the SDK's `Message.to_chat_dict` and `select_chat_options`, and what LiteLLM makes of them. Further wire
//! APIs are further folders like this one.

mod decoder;
mod messages;
mod request;
mod tool_calls;
mod usage;
mod writer;
mod wtf8;

pub use decoder::{Answer, ChatDecoder, DecodeError};
pub use request::{ChatRequest, request_body, request_headers};
