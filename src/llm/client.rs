//! A model with its configuration. What asks it is in other files of the wasm: [`requests`] and the wire APIs.

use crate::{
    host::Host,
    llm::{
        completion::{CallContext, Completion, Delta, StartedResponse, ToolSchema},
        endpoint::Endpoint,
        error::LlmError,
        message::Message,
        model_data::ModelRow,
        model_features::ModelFeatures,
        options::{FALLBACK_ON, LlmOptions},
        requests,
        transport::HttpClient,
        wire_api::{Api, WireApi, load},
    },
    wasm_file::LoadFile,
};
use futures_util::future::join;
use std::{cell::Cell, rc::Rc};

/// The file of the wasm with what asks models.
const RUN: &str = "run";

/// One model with its configuration.
#[derive(Clone)]
pub struct Llm {
    /// The options of the model and its server.
    pub options: LlmOptions,
    /// The HTTP client.
    pub http: Rc<dyn HttpClient>,
    /// Clock and random numbers.
    pub host: Rc<dyn Host>,
    /// Loads the files of the wasm that a request needs, before it is made, and may wait for the network.
    pub load_file: Option<LoadFile>,
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
            load_file: None,
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
        self.load(RUN).await?;
        requests::complete(self, messages, tools, context, on_delta).await
    }

    /// Asks the provider to cancel a background response.
    ///
    /// # Errors
    /// If the request fails.
    pub async fn cancel_answer(&self, id: &str) -> Result<(), LlmError> {
        self.load(RUN).await?;
        requests::cancel_answer(self, id).await
    }

    /// The background response of this model with this id.
    pub fn started_response(&self, id: &str) -> StartedResponse {
        let LlmOptions { model, base_url, .. } = &self.options;
        StartedResponse { id: id.to_owned(), model: model.clone(), base_url: base_url.clone() }
    }

    /// Loads what a request needs before the first one is made, which may be when there is no network. A failure is left to
    /// the request.
    pub async fn load_ahead(&self) {
        let _ = join(self.prepare(&self.options), self.load(RUN)).await;
    }

    /// Everything that a request with these options needs beside its content.
    pub(super) async fn prepare(
        &self,
        options: &LlmOptions,
    ) -> Result<(Endpoint, ModelFeatures, Api, Rc<dyn WireApi>), LlmError> {
        let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())?;
        let features = ModelFeatures::of(options, &endpoint, &ModelRow::of(options).await?);
        let api = Api::of(options, &endpoint, &features);
        self.load(if api == Api::TextTools { "agent" } else { RUN }).await?;
        let wire_api = load(api).await?;
        Ok((endpoint, features, api, wire_api))
    }

    async fn load(&self, file: &'static str) -> Result<(), LlmError> {
        match &self.load_file {
            Some(load) => Ok(load(file).await?),
            None => Ok(()),
        }
    }
}
