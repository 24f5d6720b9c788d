//! The wire APIs in a page: they are in a chunk with the code that sends their requests, because a page needs them only for a
//! request; tools in text are in the agent's.

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
            let file = if api == Api::TextTools { "agent" } else { "run" };
            let loaded = match chunks::load_with(load, file).await {
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
                chunks::load_with(load, "run").await?;
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
