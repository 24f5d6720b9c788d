//! The wire APIs in a page: each is a chunk, because a page needs it only for a request, and most pages need one of them.
//! They share the chunk that sends their requests.

use super::chunks;
use crate::{
    error::{Error, ErrorCode, Result},
    llm::{
        LlmError, LlmFailure, Requests,
        wire_api::{Api, WireApi, WireApis},
    },
};
use futures_util::future::LocalBoxFuture;
use js_sys::Function;
use std::rc::Rc;

/// Loads the chunk of a wire API, with a function of the model that may wait for the network.
pub struct ChunkWireApis(pub Option<Function>);

impl WireApis for ChunkWireApis {
    fn load(&self, api: Api) -> LocalBoxFuture<'static, std::result::Result<Rc<dyn WireApi>, LlmError>> {
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
            loaded.map_err(failure)
        })
    }

    fn load_requests(&self) -> LocalBoxFuture<'static, std::result::Result<Rc<dyn Requests>, LlmError>> {
        let load = self.0.clone();
        Box::pin(async move {
            let loaded: Result<_> = async {
                chunks::load_with(load, "requests").await?;
                Ok(chunks::requests().await?.requests())
            }
            .await;
            loaded.map_err(failure)
        })
    }
}

fn failure(error: Error) -> LlmError {
    let failure = match error.code() {
        ErrorCode::Network => LlmFailure::Network,
        ErrorCode::WasmBlocked => LlmFailure::WasmBlocked,
        _ => LlmFailure::InvalidOptions,
    };
    LlmError::new(failure, error.message())
}
