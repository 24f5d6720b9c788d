//! The wire APIs in a page: Chat Completions is in the main file, each other one is a chunk.

use super::chunks;
use crate::{
    error::ErrorCode,
    llm::{
        LlmError, LlmFailure,
        chat_completions::ChatCompletions,
        wire_api::{Api, WireApi, WireApis},
    },
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// Loads the chunk of a wire API.
pub struct ChunkWireApis;

impl WireApis for ChunkWireApis {
    fn load(&self, api: Api) -> LocalBoxFuture<'static, Result<Rc<dyn WireApi>, LlmError>> {
        Box::pin(async move {
            let loaded = match api {
                Api::Chat => Ok(Rc::new(ChatCompletions) as Rc<dyn WireApi>),
                Api::Responses => chunks::responses().await,
                Api::Anthropic => chunks::anthropic().await,
                Api::TextTools => chunks::text_tools().await,
            };
            loaded.map_err(|error| {
                let failure = match error.code() {
                    ErrorCode::Network => LlmFailure::Network,
                    ErrorCode::WasmBlocked => LlmFailure::WasmBlocked,
                    _ => LlmFailure::InvalidOptions,
                };
                LlmError::new(failure, error.message())
            })
        })
    }
}
