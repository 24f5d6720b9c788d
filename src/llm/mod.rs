//! Calls of language models: requests and answers, one folder per wire API.
//!
//! Independent of events and conversations. Performs no I/O of its own: requests go through [`transport::HttpClient`],
//! time and random numbers come from [`crate::host::Host`]. A provider is a row of [`provider`], a model a row of
//! [`model_data`] with the families of [`model_features`]; nothing else depends on a name.

pub mod anthropic;
pub mod attachment;
mod background;
pub mod beside;
mod carried;
pub mod chat_completions;
mod client;
pub mod completion;
pub mod endpoint;
mod error;
mod exchange;
pub mod files;
mod history;
mod images;
mod learned;
pub mod message;
pub mod metrics;
pub mod model_data;
pub mod model_features;
pub mod option_table;
pub mod options;
mod persisted;
pub mod provider;
mod provider_errors;
pub mod request_text;
mod requests;
pub mod responses;
pub mod retry;
pub mod secret_string;
mod settled_calls;
pub mod sse;
mod tagged;
mod text_pieces;
pub mod text_tools;
mod tool_names;
mod tool_text;
pub mod transport;
pub mod usage;
pub mod wire_api;

pub use client::Llm;
pub use completion::{CallContext, Completion, Delta, StartedResponse, ToolCallDelta, ToolSchema};
pub use error::{LlmError, LlmFailure};
pub use learned::Learned;
pub use options::{ApiKey, ApiMode, LlmOptions, TextFunction};
pub use secret_string::SecretString;
pub use transport::HttpClient;
