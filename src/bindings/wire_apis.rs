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
use js_sys::Function;
use std::rc::Rc;

/// Loads the chunk of a wire API, with a function of the model that may wait for the network.
pub struct ChunkWireApis(pub Option<Function>);

impl WireApis for ChunkWireApis {
    fn load(&self, api: Api) -> LocalBoxFuture<'static, Result<Rc<dyn WireApi>, LlmError>> {
        let load = self.0.clone();
        Box::pin(async move {
            // The chunks have the names of the wire APIs.
            let loaded = match chunks::load_with(load, api.as_str()).await {
                Err(error) => Err(error),
                Ok(()) => match api {
                    Api::Chat => chunks::chat().await,
                    Api::Responses => chunks::responses().await,
                    Api::Anthropic => chunks::anthropic().await,
                    Api::TextTools => chunks::text_tools().await,
                },
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
