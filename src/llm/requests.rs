//! Asks a model, and again where that can help.
//!
//! One call of [`Llm::complete`] is one answer or one error. A failed attempt is repeated only as long as nothing of
//! its answer has been shown, because a shown text is not taken back; except that after a loss of the network the caller
//! may decide in [`HttpClient::wait`](super::transport::HttpClient::wait) to begin the answer anew. Dropping the future aborts the exchange.

use crate::{
    host::Host,
    json::{EditableObject, FromJson as _},
    llm::{
        client::Llm,
        completion::{CallContext, Completion, Delta, ToolSchema},
        endpoint::Endpoint,
        error::{LlmError, LlmFailure},
        exchange::Exchange,
        files::{FileInput, with_files},
        history::{alternating, without_item_ids, without_thoughts},
        message::Message,
        metrics::Usage,
        model_data::price,
        model_features::ModelFeatures,
        options::{ApiKey, LlmOptions},
        provider_errors::{PROMPT_CACHE_TOO_SMALL, refuses_thoughts},
        retry::{attempts, next_delay},
        secret_string::{SecretString, Secrets},
        tagged::untag,
        transport::{HttpRequest, HttpResponse, Wait},
        wire_api::{Answer, Api, Decoder, LlmRequest, WireApi, WireRequest},
    },
};
use std::{borrow::Cow, cell::Cell, rc::Rc, time::Duration};
use wasm_file::wasm_file;

/// See [`Llm::complete`].
#[wasm_file(run)]
pub(super) async fn complete<'a>(
    llm: &'a Llm,
    messages: &'a [Rc<Message>],
    tools: &'a [ToolSchema],
    context: &'a CallContext,
    on_delta: &'a dyn Fn(Delta),
) -> Result<Completion, LlmError> {
    llm.complete_with_fallbacks(messages, tools, context, on_delta).await
}

/// See [`Llm::cancel_answer`].
#[wasm_file(run)]
pub(super) async fn cancel_answer<'a>(llm: &'a Llm, id: &'a str) -> Result<(), LlmError> {
    llm.request_cancellation(id).await
}

impl Llm {
    async fn complete_with_fallbacks(
        &self,
        messages: &[Rc<Message>],
        tools: &[ToolSchema],
        context: &CallContext,
        on_delta: &dyn Fn(Delta),
    ) -> Result<Completion, LlmError> {
        let shown = Shown { on_delta, is_text: Cell::new(false), are_calls: Cell::new(false) };
        let mut first_error: Option<LlmError> = None;
        for (position, llm) in std::iter::once(self).chain(&self.fallbacks).enumerate() {
            let is_last = position == self.fallbacks.len();
            let error = match llm.complete_alone(messages, tools, context, &shown, is_last).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            // An answer that was partly shown is not replaced by one of another model.
            let is_final = shown.is_text.get()
                || first_error.is_none() && !self.falls_back_on(error.failure.code().as_str());
            if is_final {
                return Err(error);
            }
            first_error.get_or_insert(error);
        }
        Err(first_error.unwrap_or_else(|| LlmError::new(LlmFailure::NoResponse, "")))
    }

    fn falls_back_on(&self, code: &str) -> bool {
        self.fallback_on.iter().any(|listed| listed == code)
    }

    /// Asks this model, as often as its options allow. `is_last` is whether no other model can be asked.
    async fn complete_alone(
        &self,
        messages: &[Rc<Message>],
        tools: &[ToolSchema],
        context: &CallContext,
        shown: &Shown<'_>,
        is_last: bool,
    ) -> Result<Completion, LlmError> {
        let mut options = self.options.clone();
        options.check()?;
        let started = context.background_response.as_ref();
        let started = started.filter(|started| options.background() && started.is_of(&options));
        options.background_response = started.map(|started| started.id.clone());
        let (endpoint, mut features, api, wire_api) = self.prepare(&options).await?;
        let input = FileInput::of(api, &endpoint, &features);
        let files = context.files.as_deref();
        let originals = messages;
        let mut messages = adapted(with_files(originals, files, &input).await, &options);
        let mut attempt = 1;
        let mut may_be_refused = false;
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
            let error = match self.attempt(api, &*wire_api, &request, context, shown).await {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            let was_shown = shown.is_text.get();
            if !was_shown && options.learned.takes_refusal(&error) {
                messages = adapted(with_files(originals, files, &input).await, &options);
                continue;
            }
            // A background response has been requested again already.
            if was_shown && (options.background() || !error.is_of_the_network()) {
                return Err(error);
            }
            if refuses_files(&error) && files.is_some_and(|files| files.refuse(&messages, objection(&error)))
            {
                messages = adapted(with_files(originals, files, &input).await, &options);
                continue;
            }
            if leaves_out_refused(&error, &endpoint, &mut options, &mut features, &mut messages) {
                continue;
            }
            let is_last_attempt = attempt >= attempts(&options);
            let url = endpoint.url("/models");
            let mut is_down = false;
            if error.failure == LlmFailure::Network && !self.has_answered.get() {
                let origin = self.http.refused_origin(&url).await;
                is_down = origin.is_empty();
                if !is_down && (may_be_refused || is_last_attempt) {
                    return Err(endpoint.refusal(&origin));
                }
                // The network may have changed at that moment, so one more request decides.
                if !is_down {
                    may_be_refused = true;
                    attempt += 1;
                    continue;
                }
            }
            if !error.is_retryable() || is_last_attempt {
                return Err(error);
            }
            // As in the SDK: at temperature 0 the model would send an empty answer again.
            if error.failure == LlmFailure::NoResponse && options.temperature == Some(0.0) {
                options.temperature = Some(1.0);
            }
            let delay = next_delay(&options, attempt, error.retry_after);
            let is_last = is_last || !self.falls_back_on(error.code().as_str());
            let wait = Wait { attempt, delay, is_shown: was_shown, is_last, is_down, url, error: &error };
            if !self.wait(&wait).await {
                return Err(error);
            }
            shown.forget();
            attempt += 1;
        }
    }

    /// Waits before the next attempt; returns whether to make it.
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

    async fn attempt(
        &self,
        api: Api,
        wire_api: &dyn WireApi,
        request: &LlmRequest<'_>,
        context: &CallContext,
        shown: &Shown<'_>,
    ) -> Result<Completion, LlmError> {
        // Calls alone do not end the attempts: nobody has read them as an answer.
        if shown.are_calls.get() {
            shown.forget();
        }
        let show = &|delta| shown.push(delta);
        let key = self.key().await?;
        let (sent, mut decoder) = wire_api.begin(request)?;
        let mut http_request = with_key(sent, api, key.as_ref(), request);
        let is_reported = Cell::new(!request.options.background());
        let after_push = |decoder: &dyn Decoder| {
            if let (false, Some(on_background)) = (is_reported.get(), &context.on_background)
                && let Some(response) = decoder.background()
            {
                is_reported.set(true);
                on_background(self, &response.id);
            }
        };
        let mut exchange = Exchange {
            host: &*self.host,
            after_push: &after_push,
            silence: request.options.timeout(),
            timer: None,
            secrets: Secrets::of_request(key.as_ref(), &request.options.headers),
            origin: request.endpoint.origin(),
            advice: request.endpoint.page_advice(),
            has_response: false,
            has_answered: &self.has_answered,
        };
        let started = self.host.now();
        let mut failed_reconnects = 0;
        let mut pauses = 0;
        let body = http_request.body.clone();
        let outcome = loop {
            let url = http_request.url.clone();
            let outcome = exchange.run(&*self.http, http_request.clone(), &mut *decoder, show).await;
            if outcome.is_ok()
                && pauses < MAX_PAUSES
                && let Some(body) = decoder.take_pause().and_then(|answer| with_answer(&body, &answer))
            {
                pauses += 1;
                http_request = HttpRequest { body: body.into(), ..http_request };
                continue;
            }
            let is_unfinished = request.options.background() && !decoder.is_done();
            let response = if is_unfinished { decoder.background() } else { None };
            let can_continue = outcome.as_ref().err().is_none_or(LlmError::is_retryable);
            let (Some(response), true) = (response, can_continue) else {
                break outcome;
            };
            // The provider continues the answer: the rest is requested over another connection. Without streaming the
            // provider is polled.
            let is_polling = outcome.is_ok() && !request.is_streaming;
            failed_reconnects = if is_polling || response.rest != url { 0 } else { failed_reconnects + 1 };
            let delay = Duration::from_secs(1 << failed_reconnects.min(5));
            let continues = failed_reconnects < attempts(request.options)
                && match &outcome {
                    Err(error) => {
                        let url = response.rest.clone();
                        let attempt = failed_reconnects + 1;
                        let wait = Wait {
                            attempt,
                            delay,
                            is_shown: false,
                            is_last: true,
                            is_down: false,
                            url,
                            error,
                        };
                        self.wait(&wait).await
                    }
                    Ok(_) => {
                        self.host.sleep(delay).await;
                        true
                    }
                };
            if !continues {
                // The provider still produces and bills the answer, so it must not be requested again.
                shown.is_text.set(true);
                break outcome;
            }
            http_request = HttpRequest { url: response.rest, body: "".into(), ..http_request };
        };
        let usage = decoder.usage();
        let new_id = &mut || self.host.random_uuid().simple().to_string();
        let (response, answer) = match outcome {
            Ok(response) => {
                (Some(response), decoder.finish(new_id).map_err(|error| exchange.decode_error(error)))
            }
            Err(error) => (None, Err(error)),
        };
        let (answer, error) = match answer {
            Ok(mut answer) => {
                let is_native = request.options.native_tool_calling != Some(false);
                let tools = request.tools.iter().filter(|_| is_native).map(|tool| tool.name.as_str());
                untag(&mut answer.message, &tools.collect::<Vec<_>>(), new_id);
                (answer, None)
            }
            Err(error) => (Answer::empty(usage), Some(error)),
        };
        let reasoning_field = answer.reasoning_field;
        let completion = self.completion(request, answer, response.as_ref(), started);
        let Some(error) = error else {
            let learned = &request.options.learned;
            learned.reasoning_field.set(reasoning_field.or(learned.reasoning_field.get()));
            return Ok(completion);
        };
        if completion.usage.is_some() {
            context.lost.borrow_mut().push(completion);
        }
        Err(error)
    }

    pub(super) async fn key(&self) -> Result<Option<SecretString>, LlmError> {
        let key = match &self.options.api_key {
            ApiKey::None => {
                let stored = &self.options.stored_key;
                let key = stored.key.borrow().clone();
                if key.is_none() && stored.token.borrow().is_some() {
                    return Err(LlmError::with_message(LlmFailure::KeyLocked, None, ""));
                }
                return Ok(key);
            }
            ApiKey::Value(key) => key.clone(),
            ApiKey::Function(api_key) => {
                let key =
                    api_key("", "").await.map_err(|message| LlmError::new(LlmFailure::Auth, message))?;
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

/// How often an answer that its provider pauses is asked for again.
const MAX_PAUSES: u32 = 20;

/// The body of a request with the answer so far behind its messages.
fn with_answer(body: &str, answer: &str) -> Option<String> {
    let mut fields = EditableObject::compact(body)?;
    let messages = fields.get("messages")?.strip_suffix(']')?;
    let separator = if messages.trim_end().ends_with('[') { "" } else { "," };
    let messages = [messages, separator, answer, "]"].concat();
    fields.set("messages", &messages);
    Some(fields.text())
}

/// Passes on the pieces of an answer, and knows whether there were any.
struct Shown<'a> {
    on_delta: &'a dyn Fn(Delta),
    /// Whether text or reasoning was shown.
    is_text: Cell<bool>,
    /// Whether a part of a call was shown.
    are_calls: Cell<bool>,
}

impl Shown<'_> {
    fn push(&self, delta: Delta) {
        self.is_text.set(self.is_text.get() || delta.content.is_some() || delta.reasoning_content.is_some());
        self.are_calls.set(self.are_calls.get() || !delta.tool_calls.is_empty());
        (self.on_delta)(delta);
    }

    /// Says that the answer begins anew, if a part of it was shown.
    fn forget(&self) {
        if self.is_text.take() | self.are_calls.take() {
            (self.on_delta)(Delta::default());
        }
    }
}

/// The messages in the form that the server is known to want.
fn adapted<'a>(messages: Cow<'a, [Rc<Message>]>, options: &LlmOptions) -> Cow<'a, [Rc<Message>]> {
    let messages =
        if options.learned.alternates.get() { Cow::Owned(alternating(&messages)) } else { messages };
    if options.learned.refuses_item_ids.get() { Cow::Owned(without_item_ids(&messages)) } else { messages }
}

/// Whether files in the request may be the reason: a PDF that the provider cannot read, or a request that is too large.
fn refuses_files(error: &LlmError) -> bool {
    matches!(error.status, Some(400 | 413 | 415 | 422))
        && matches!(error.failure, LlmFailure::BadRequest | LlmFailure::ContextWindow)
}

fn objection(error: &LlmError) -> &str {
    error.provider_message.as_deref().unwrap_or("it said no reason")
}

/// Leaves out of the next request what this error refuses: a background response that is lost, caching of a prompt that is
/// too small for it, or thoughts. Returns whether there was such a thing.
fn leaves_out_refused(
    error: &LlmError,
    endpoint: &Endpoint,
    options: &mut LlmOptions,
    features: &mut ModelFeatures,
    messages: &mut Cow<'_, [Rc<Message>]>,
) -> bool {
    // A lost connection to the response is handled in `attempt`.
    if options.background_response.take().is_some() {
        return true;
    }
    if features.supports_prompt_cache && error.message.to_ascii_lowercase().contains(PROMPT_CACHE_TOO_SMALL) {
        options.caching_prompt = Some(false);
        *features = ModelFeatures::of(options, endpoint, &features.row);
        return true;
    }
    if refuses_thoughts(error)
        && let Some(stripped) = without_thoughts(messages)
    {
        *messages = Cow::Owned(stripped);
        return true;
    }
    false
}

/// The provider's id, made longer if it may not be unique. Two answers with one id would be taken for one: Ollama's
/// ids have three digits, and some servers count from 1 at every start.
fn unique_id(id: &str, host: &dyn Host) -> String {
    const UNIQUE_LENGTH: usize = 16;
    let start = if id.is_empty() { "chatcmpl" } else { id };
    let random = id.strip_prefix("chatcmpl-").unwrap_or(id);
    match random.bytes().filter(u8::is_ascii_alphanumeric).count() {
        UNIQUE_LENGTH.. => id.to_owned(),
        _ => format!("{start}-{}", host.random_uuid().simple()),
    }
}

/// The cost of an answer: as a LiteLLM proxy reports it, by the user's prices, or by those of the model data.
fn cost(request: &LlmRequest<'_>, usage: Option<Usage>, response: Option<&HttpResponse>) -> Option<f64> {
    let reported =
        response.and_then(|response| response.header("x-litellm-response-cost")).and_then(f64::from_json);
    let options = request.options;
    let counted = || match (options.input_cost_per_token, options.output_cost_per_token) {
        (Some(input), Some(output)) => Some(price(usage?, [input, output, input, input], None)),
        _ => request.features.row.cost(usage?),
    };
    reported.or_else(counted).filter(|cost| cost.is_finite() && *cost > 0.0)
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
