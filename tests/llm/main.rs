//! Calls of models: requests compared with those of the real SDK, streams in every server's format, and failures.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its fixture has failed")]

mod anthropic_answers;
mod anthropic_calls;
mod anthropic_requests;
mod anthropic_turns;
mod beside;
mod calls;
mod captured;
mod chat_history;
mod chat_requests;
mod fallbacks;
mod failures;
mod files;
mod refusals;
mod responses_history;
mod responses_requests;
mod sent_back;
mod background;
mod request_text;
mod models;
mod options;
mod paused;
mod scripted_http;
mod silence;
mod streams;
mod tagged;
mod text_tools;
mod waiting;
