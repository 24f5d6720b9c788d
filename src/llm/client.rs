//! A model with its configuration, and what a page loads of the code that asks it: its wire API and [`Requests`].

use crate::{
    host::Host,
    llm::{
        completion::{CallContext, Completion, Delta, StartedResponse, ToolSchema},
        endpoint::Endpoint,
        error::{LlmError, LlmFailure},
        message::Message,
        model_data::ModelRow,
        model_features::ModelFeatures,
        options::{FALLBACK_ON, LlmOptions},
        transport::HttpClient,
        wire_api::{Api, WireApi, WireApis, compiled_in},
    },
};
use futures_util::future::{LocalBoxFuture, join};
use std::{cell::Cell, rc::Rc};

/// The code that asks models, which a page loads with a wire API.
pub trait Requests {
    /// See [`Llm::complete`].
    fn complete<'a>(
        &'a self,
        llm: &'a Llm,
        messages: &'a [Rc<Message>],
        tools: &'a [ToolSchema],
        context: &'a CallContext,
        on_delta: &'a dyn Fn(Delta),
    ) -> LocalBoxFuture<'a, Result<Completion, LlmError>>;

    /// See [`Llm::cancel_answer`].
    fn cancel_answer<'a>(&'a self, llm: &'a Llm, id: &'a str) -> LocalBoxFuture<'a, Result<(), LlmError>>;
}

/// One model with its configuration.
#[derive(Clone)]
pub struct Llm {
    /// The options of the model and its server.
    pub options: LlmOptions,
    /// The HTTP client.
    pub http: Rc<dyn HttpClient>,
    /// Clock and random numbers.
    pub host: Rc<dyn Host>,
    /// The wire APIs and [`Requests`], which are loaded when they are needed.
    pub wire_apis: Option<Rc<dyn WireApis>>,
    /// Models that are asked one after the other if this one has finally failed. Their own fallbacks are not used.
    pub fallbacks: Vec<Llm>,
    /// The codes of the failures after which a fallback is asked.
    pub fallback_on: Vec<String>,
    /// Whether the server has ever answered this page, so that it does not refuse it.
    pub has_answered: Rc<Cell<bool>>,
}

impl Llm {
    /// A model whose options are valid.
    ///
    /// # Errors
    /// `InvalidOptions`, naming the invalid option. [`Llm::complete`] checks the same, for options that have changed.
    pub fn new(options: LlmOptions, http: Rc<dyn HttpClient>, host: Rc<dyn Host>) -> Result<Self, LlmError> {
        options.check()?;
        Endpoint::resolve(&options.model, options.base_url.as_deref())?;
        Ok(Self {
            options,
            http,
            host,
            wire_apis: None,
            fallbacks: Vec::new(),
            fallback_on: FALLBACK_ON.iter().copied().map(str::to_owned).collect(),
            has_answered: Rc::default(),
        })
    }

    /// Requests the next message from this model, and if it finally fails before a part of an answer was shown, from its
    /// fallbacks in their order. `on_delta` is called with each piece of text and reasoning as it arrives, and with an
    /// empty one if the answer begins anew.
    ///
    /// # Errors
    /// The error of this model, also if all fallbacks have failed; or that of a fallback that had begun to show an answer.
    pub async fn complete(
        &self,
        messages: &[Rc<Message>],
        tools: &[ToolSchema],
        context: &CallContext,
        on_delta: &dyn Fn(Delta),
    ) -> Result<Completion, LlmError> {
        self.requests().await?.complete(self, messages, tools, context, on_delta).await
    }

    /// Asks the provider to cancel a background response.
    ///
    /// # Errors
    /// If the request fails.
    pub async fn cancel_answer(&self, id: &str) -> Result<(), LlmError> {
        self.requests().await?.cancel_answer(self, id).await
    }

    /// The background response of this model with this id.
    pub fn started_response(&self, id: &str) -> StartedResponse {
        let LlmOptions { model, base_url, .. } = &self.options;
        StartedResponse { id: id.to_owned(), model: model.clone(), base_url: base_url.clone() }
    }

    /// Loads what a request needs before the first one is made, which may be when there is no network. A failure is left to
    /// the request.
    pub async fn load_ahead(&self) {
        let _ = join(self.prepare(&self.options), self.requests()).await;
    }

    /// Everything that a request with these options needs beside its content.
    pub(super) async fn prepare(
        &self,
        options: &LlmOptions,
    ) -> Result<(Endpoint, ModelFeatures, Api, Rc<dyn WireApi>), LlmError> {
        let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())?;
        let features = ModelFeatures::of(options, &endpoint, &ModelRow::of(options).await?);
        let api = Api::of(options, &endpoint, &features);
        let wire_api = self.wire_api(api).await?;
        Ok((endpoint, features, api, wire_api))
    }

    async fn wire_api(&self, api: Api) -> Result<Rc<dyn WireApi>, LlmError> {
        match (compiled_in(api), &self.wire_apis) {
            (Some(api), _) => Ok(api),
            (None, Some(apis)) => apis.load(api).await,
            (None, None) => Err(not_included(api.as_str())),
        }
    }

    async fn requests(&self) -> Result<Rc<dyn Requests>, LlmError> {
        match (compiled_in_requests(), &self.wire_apis) {
            (Some(requests), _) => Ok(requests),
            (None, Some(apis)) => apis.load_requests().await,
            (None, None) => Err(not_included("requests")),
        }
    }
}

fn not_included(part: &str) -> LlmError {
    LlmError::new(LlmFailure::InvalidOptions, format!("this build does not include {part} for models"))
}

#[cfg(not(target_arch = "wasm32"))]
fn compiled_in_requests() -> Option<Rc<dyn Requests>> {
    Some(Rc::new(super::requests::HttpRequests))
}

#[cfg(target_arch = "wasm32")]
fn compiled_in_requests() -> Option<Rc<dyn Requests>> {
    None
}
