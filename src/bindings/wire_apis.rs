//! The wire APIs in a page: each is a chunk, because a page needs it only for a request, and most pages need one of them.

use super::chunks;
use crate::{
    error::ErrorCode,
    llm::{
        LlmError, LlmFailure,
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
                Api::Chat => chunks::chat().await,
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
