//! Calls a model: chooses how it is spoken with, and tries again where that can help.
//!
//! One call of [`Llm::complete`] is one answer or one error. A failed attempt is repeated only as long as nothing of
//! its answer has been shown: what a person has read is not taken back, unless the network was lost and who waits for it
//! ([`HttpClient::wait`]) wants the answer all the same. Dropping the future aborts the exchange.

use crate::{
    host::Host,
    json::FromJson as _,
    llm::{
        completion::{CallContext, Completion, Delta, ToolSchema},
        endpoint::Endpoint,
        error::{LlmError, LlmFailure},
        exchange::Exchange,
        history::without_thoughts,
        message::Message,
        metrics::Usage,
        model_data::{ModelRow, price},
        model_features::ModelFeatures,
        options::{ApiKey, FALLBACK_ON, LlmOptions},
        provider_errors::{PROMPT_CACHE_TOO_SMALL, refuses_thoughts},
        retry::{attempts, next_delay},
        secret_string::{SecretString, Secrets},
        transport::{HttpClient, HttpRequest, HttpResponse, Wait},
        wire_api::{Answer, Api, Decoder, LlmRequest, WireApi, WireApis, WireRequest, compiled_in},
    },
};
use std::{borrow::Cow, cell::Cell, rc::Rc, time::Duration};

/// One model as the user configured it.
#[derive(Clone)]
pub struct Llm {
    /// How to reach it and what to ask of it.
    pub options: LlmOptions,
    /// The network.
    pub http: Rc<dyn HttpClient>,
    /// Time and chance.
    pub host: Rc<dyn Host>,
    /// The wire APIs that are not always there.
    pub wire_apis: Option<Rc<dyn WireApis>>,
    /// Asked one after the other where this one has failed for good. Their own fallbacks are not asked.
    pub fallbacks: Vec<Llm>,
    /// The codes of the failures after which a fallback is asked.
    pub fallback_on: Vec<String>,
}

impl Llm {
    /// A model whose options can work.
    ///
    /// # Errors
    /// `InvalidOptions`, naming what cannot. [`Llm::complete`] checks the same, for options that were changed since.
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
        })
    }

    /// Asks for the next message: this model, and where it fails for good before anything of an answer was shown, its
    /// fallbacks in their order. `on_delta` is called with each piece of text and reasoning as it comes, and with an
    /// empty one where the answer begins anew.
    ///
    /// # Errors
    /// This model's own, whatever became of the fallbacks; but a fallback's that had begun to show an answer.
    pub async fn complete(
        &self,
        messages: &[Rc<Message>],
        tools: &[ToolSchema],
        context: &CallContext,
        on_delta: &dyn Fn(Delta),
    ) -> Result<Completion, LlmError> {
        let is_shown = Cell::new(false);
        let show = |delta: Delta| {
            is_shown.set(true);
            on_delta(delta);
        };
        let mut first_error: Option<LlmError> = None;
        for (place, llm) in std::iter::once(self).chain(&self.fallbacks).enumerate() {
            let is_last = place == self.fallbacks.len();
            let error = match llm.complete_alone(messages, tools, context, &is_shown, &show, is_last).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            // What was shown is not begun again by another model.
            let is_final =
                is_shown.get() || first_error.is_none() && !self.falls_back_on(error.failure.code().as_str());
            if is_final {
                return Err(error);
            }
            first_error.get_or_insert(error);
        }
        Err(first_error.unwrap_or_else(|| LlmError::new(LlmFailure::NoResponse, "")))
    }

    fn falls_back_on(&self, code: &str) -> bool {
        self.fallback_on.iter().any(|named| named == code)
    }

    /// Asks this model, as often as its options allow. `is_last` says that nobody else can be asked.
    async fn complete_alone(
        &self,
        messages: &[Rc<Message>],
        tools: &[ToolSchema],
        context: &CallContext,
        is_shown: &Cell<bool>,
        show: &dyn Fn(Delta),
        is_last: bool,
    ) -> Result<Completion, LlmError> {
        let mut options = self.options.clone();
        options.check()?;
        let kept =
            context.background_response.as_ref().filter(|kept| options.background() && kept.is_of(&options));
        options.background_response = kept.map(|kept| kept.id.clone());
        let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())?;
        let mut features = ModelFeatures::of(&options, &endpoint, &ModelRow::of(&options).await?);
        let api = Api::of(&options, &endpoint, &features);
        let wire_api = self.wire_api(api).await?;
        let mut messages = Cow::Borrowed(messages);
        let mut attempt = 1;
        loop {
            let request = LlmRequest {
                options: &options,
                endpoint: &endpoint,
                features: &features,
                messages: &messages,
                tools,
                conversation_id: context.conversation_id.as_deref(),
                is_streaming: options.stream.unwrap_or(true),
            };
            let error = match self.attempt(api, &*wire_api, &request, context, is_shown, show).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            let was_shown = is_shown.get();
            // What a provider keeps has been asked for again already.
            if was_shown && (options.background() || !error.is_of_the_network()) {
                return Err(error);
            }
            // Nothing more is to be had of it: a lost connection is made again elsewhere.
            if options.background_response.take().is_some() {
                continue;
            }
            if features.supports_prompt_cache
                && error.message.to_ascii_lowercase().contains(PROMPT_CACHE_TOO_SMALL)
            {
                options.caching_prompt = Some(false);
                features = ModelFeatures::of(&options, &endpoint, &features.row);
                continue;
            }
            if refuses_thoughts(&error)
                && let Some(rest) = without_thoughts(&messages)
            {
                messages = Cow::Owned(rest);
                continue;
            }
            if !error.is_retryable() || attempt >= attempts(&options) {
                return Err(error);
            }
            // As the SDK does: at temperature 0 the model would say nothing again.
            if error.failure == LlmFailure::NoResponse && options.temperature == Some(0.0) {
                options.temperature = Some(1.0);
            }
            let delay = next_delay(&options, attempt, error.retry_after);
            let is_last = is_last || !self.falls_back_on(error.code().as_str());
            let url = endpoint.url("/models");
            if !self.wait(&Wait { attempt, delay, is_shown: was_shown, is_last, url, error: &error }).await {
                return Err(error);
            }
            if was_shown {
                show(Delta::default());
                is_shown.set(false);
            }
            attempt += 1;
        }
    }

    /// Waits until another attempt is worth making; returns whether it is to be made.
    async fn wait(&self, wait: &Wait<'_>) -> bool {
        match self.http.wait(wait) {
            Some(waited) => waited.await,
            None if wait.is_shown => false,
            None => {
                self.host.sleep(wait.delay).await;
                true
            }
        }
    }

    pub(super) async fn wire_api(&self, api: Api) -> Result<Rc<dyn WireApi>, LlmError> {
        match (compiled_in(api), &self.wire_apis) {
            (Some(api), _) => Ok(api),
            (None, Some(apis)) => apis.load(api).await,
            (None, None) => Err(LlmError::new(
                LlmFailure::InvalidOptions,
                format!("this build does not speak {}; set apiMode to \"chat\"", api.as_str()),
            )),
        }
    }

    async fn attempt(
        &self,
        api: Api,
        wire_api: &dyn WireApi,
        request: &LlmRequest<'_>,
        context: &CallContext,
        is_shown: &Cell<bool>,
        show: &dyn Fn(Delta),
    ) -> Result<Completion, LlmError> {
        let key = self.key().await?;
        let (sent, mut decoder) = wire_api.begin(request)?;
        let mut http_request = with_key(sent, api, key.as_ref(), request);
        let is_told = Cell::new(!request.options.background());
        let tell = |decoder: &dyn Decoder| {
            if let (false, Some(tell)) = (is_told.get(), &context.on_background)
                && let Some(kept) = decoder.background()
            {
                is_told.set(true);
                tell(self, &kept.id);
            }
        };
        let mut exchange = Exchange {
            host: &*self.host,
            tell: &tell,
            silence: request.options.timeout(),
            timer: None,
            secrets: Secrets::of_request(key.as_ref(), &request.options.headers),
            origin: request.endpoint.origin(),
            advice: request.endpoint.page_advice(),
        };
        let started = self.host.now();
        let mut in_vain = 0;
        let heard = loop {
            let url = http_request.url.clone();
            let heard = exchange.hear(&*self.http, http_request.clone(), &mut *decoder, show).await;
            let is_kept = request.options.background() && !decoder.is_done();
            let kept = if is_kept { decoder.background() } else { None };
            let (Some(kept), true) = (kept, heard.as_ref().err().is_none_or(LlmError::is_retryable)) else {
                break heard;
            };
            // The provider works on: what is left comes over another connection. One that works in silence is asked
            // again and again.
            let is_silent = heard.is_ok() && !request.is_streaming;
            in_vain = if is_silent || kept.rest != url { 0 } else { in_vain + 1 };
            let delay = Duration::from_secs(1 << in_vain.min(5));
            let goes_on = in_vain < attempts(request.options)
                && match &heard {
                    Err(error) => {
                        let url = kept.rest.clone();
                        let attempt = in_vain + 1;
                        self.wait(&Wait { attempt, delay, is_shown: false, is_last: true, url, error }).await
                    }
                    Ok(_) => {
                        self.host.sleep(delay).await;
                        true
                    }
                };
            if !goes_on {
                // It is worked on all the same, and nobody is to pay for it twice.
                is_shown.set(true);
                break heard;
            }
            http_request = HttpRequest { url: kept.rest, body: "".into(), ..http_request };
        };
        let usage = decoder.usage();
        let new_id = &mut || self.host.random_uuid().simple().to_string();
        let (response, answer) = match heard {
            Ok(response) => {
                (Some(response), decoder.finish(new_id).map_err(|error| exchange.decode_error(error)))
            }
            Err(error) => (None, Err(error)),
        };
        let (answer, error) = match answer {
            Ok(answer) => (answer, None),
            Err(error) => (Answer::nothing(usage), Some(error)),
        };
        let completion = self.completion(request, answer, response.as_ref(), started);
        let Some(error) = error else { return Ok(completion) };
        if completion.usage.is_some() {
            context.lost.borrow_mut().push(completion);
        }
        Err(error)
    }

    pub(super) async fn key(&self) -> Result<Option<SecretString>, LlmError> {
        let key = match &self.options.api_key {
            ApiKey::None => {
                let kept = &self.options.stored_key;
                let key = kept.key.borrow().clone();
                if key.is_none() && kept.token.borrow().is_some() {
                    return Err(LlmError::with_message(LlmFailure::KeyLocked, None, ""));
                }
                return Ok(key);
            }
            ApiKey::Value(key) => key.clone(),
            ApiKey::Function(give) => {
                let key = give("", "").await.map_err(|words| LlmError::new(LlmFailure::Auth, words))?;
                SecretString::new(&key)
            }
        };
        Ok(Some(key).filter(|key| !key.is_empty()))
    }

    fn completion(
        &self,
        request: &LlmRequest<'_>,
        answer: Answer,
        response: Option<&HttpResponse>,
        started: f64,
    ) -> Completion {
        Completion {
            response_id: unique_id(answer.id.trim(), &*self.host),
            message: answer.message,
            finish_reason: answer.finish_reason,
            usage: answer.usage,
            latency: ((self.host.now() - started) / 1000.0).max(0.0),
            model: request.options.model.clone(),
            cost: cost(request, answer.usage, response),
            context_window: request.features.max_input_tokens.unwrap_or(0),
        }
    }
}

/// The provider's id, made longer where it may come again. Two answers with one id would be read as one: Ollama's
/// ids have three digits, and some servers count from 1 at every start.
fn unique_id(id: &str, host: &dyn Host) -> String {
    const ENOUGH: usize = 16;
    let start = if id.is_empty() { "chatcmpl" } else { id };
    let random = id.strip_prefix("chatcmpl-").unwrap_or(id);
    match random.bytes().filter(u8::is_ascii_alphanumeric).count() {
        ENOUGH.. => id.to_owned(),
        _ => format!("{start}-{}", host.random_uuid().simple()),
    }
}

/// What an answer cost: as a LiteLLM proxy says, by the user's prices, or by those that are known of the model.
fn cost(request: &LlmRequest<'_>, usage: Option<Usage>, response: Option<&HttpResponse>) -> Option<f64> {
    let told =
        response.and_then(|response| response.header("x-litellm-response-cost")).and_then(f64::from_json);
    let options = request.options;
    let counted = || match (options.input_cost_per_token, options.output_cost_per_token) {
        (Some(input), Some(output)) => Some(price(usage?, [input, output, input, input], None)),
        _ => request.features.row.cost(usage?),
    };
    told.or_else(counted).filter(|cost| cost.is_finite() && *cost > 0.0)
}

/// The request with the key and the user's own headers.
pub(super) fn with_key(
    sent: WireRequest,
    api: Api,
    key: Option<&SecretString>,
    request: &LlmRequest<'_>,
) -> HttpRequest {
    let WireRequest { url, mut headers, body } = sent;
    if let Some(key) = key {
        let (name, start) = api.key_header(request.endpoint);
        set_header(&mut headers, name, &format!("{start}{}", key.expose()));
    }
    for (name, value) in &request.options.headers {
        set_header(&mut headers, name, value);
    }
    HttpRequest { url, headers, body: body.into() }
}

fn set_header(headers: &mut Vec<(String, String)>, name: &str, value: &str) {
    headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    headers.push((name.to_owned(), value.to_owned()));
}
