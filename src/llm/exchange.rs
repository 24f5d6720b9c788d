//! One request and its response, with limits for silence and length. Failures become errors whose messages contain no
//! secrets. Never retries.

use crate::{
    host::Host,
    json::Object,
    llm::{
        completion::Delta,
        error::{LlmError, LlmFailure},
        retry::retry_after,
        secret_string::Secrets,
        sse::{SseMessage, SseParser},
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
        wire_api::{DecodeError, Decoder},
    },
};
use futures_util::future::{LocalBoxFuture, poll_fn};
use std::{
    cell::Cell,
    future::Future,
    pin::pin,
    task::{Context, Poll, ready},
    time::Duration,
};

/// The longest event of a stream, in bytes: some servers send tool arguments in one piece.
const MAX_EVENT: usize = 16 << 20;

/// The longest answer, in bytes.
const MAX_ANSWER: usize = 64 << 20;

/// How much of an error response is read, in bytes.
const MAX_ERROR: usize = 64 << 10;

/// How long the token counts are waited for after the end of the model's answer.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// One request and its response.
pub(super) struct Exchange<'a> {
    /// Called with the decoder after each event that it has processed.
    pub(super) after_push: &'a dyn Fn(&dyn Decoder),
    pub(super) host: &'a dyn Host,
    /// The longest silence of the server.
    pub(super) silence: Option<Duration>,
    pub(super) timer: Option<Timer>,
    pub(super) secrets: Secrets,
    pub(super) origin: &'a str,
    /// Advice for the case that there is no response. A browser does not report that a server refuses web pages, so the
    /// advice comes from what is known about the server.
    pub(super) advice: &'static str,
    /// Whether the server has responded to this request.
    pub(super) has_response: bool,
    /// Set when the server responds.
    pub(super) has_answered: &'a Cell<bool>,
}

/// The timer for silence. One timer is used for many waits, and is set again only when it fires, because setting one costs
/// more than processing a piece of an answer.
pub(super) struct Timer {
    limit: Duration,
    fires: LocalBoxFuture<'static, ()>,
}

/// A wait that is under way.
struct Wait {
    began: f64,
    /// Whether the timer was set during this wait, and not during an earlier one.
    is_timed: bool,
}

impl Exchange<'_> {
    /// The result of `step`, or a timeout.
    async fn within<T>(
        &mut self,
        limit: Option<Duration>,
        step: impl Future<Output = Result<T, HttpError>>,
    ) -> Result<T, LlmError> {
        let mut step = pin!(step);
        let mut wait = None;
        let result = poll_fn(|context| {
            if let Poll::Ready(result) = step.as_mut().poll(context) {
                return Poll::Ready(Ok(result));
            }
            match limit {
                Some(limit) => self.poll_silence(limit, &mut wait, context).map(|()| Err(limit)),
                None => Poll::Pending,
            }
        });
        match result.await {
            Ok(result) => result.map_err(|error| self.failure_of(error)),
            Err(limit) => {
                let message = format!("{} was silent for {} seconds", self.origin, limit.as_secs().max(1));
                Err(LlmError::with_message(LlmFailure::Timeout, None, &message))
            }
        }
    }

    /// Ready once the wait has lasted for `limit`.
    fn poll_silence(
        &mut self,
        limit: Duration,
        wait: &mut Option<Wait>,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        let host = self.host;
        let is_set = self.timer.as_ref().is_some_and(|timer| timer.limit == limit);
        let wait = wait.get_or_insert_with(|| Wait { began: host.now(), is_timed: !is_set });
        if !is_set {
            self.timer = Some(Timer { limit, fires: host.sleep(limit) });
        }
        let Some(timer) = &mut self.timer else { return Poll::Pending };
        ready!(timer.fires.as_mut().poll(context));
        if !wait.is_timed {
            wait.is_timed = true;
            let silent = Duration::from_millis((host.now() - wait.began).max(0.0) as u64);
            timer.fires = host.sleep(limit.saturating_sub(silent));
            ready!(timer.fires.as_mut().poll(context));
        }
        self.timer = None;
        Poll::Ready(())
    }

    fn failure_of(&self, error: HttpError) -> LlmError {
        let (failure, message) = match error {
            HttpError::Invalid(message) => (LlmFailure::InvalidOptions, message),
            HttpError::Offline => (LlmFailure::Offline, String::new()),
            HttpError::Network(message) if self.has_response => {
                let message = format!("{}: {message}", self.origin);
                return LlmError::broken_off(&self.secrets.redact_in(&message));
            }
            HttpError::Network(message) => {
                (LlmFailure::Network, format!("{}: {message}{}", self.origin, self.advice))
            }
        };
        LlmError::with_message(failure, None, &self.secrets.redact_in(&message))
    }

    /// Sends a request and reads the response into the decoder.
    pub(super) async fn run(
        &mut self,
        http: &dyn HttpClient,
        request: HttpRequest,
        decoder: &mut dyn Decoder,
        show: &dyn Fn(Delta),
    ) -> Result<HttpResponse, LlmError> {
        self.has_response = false;
        let mut response = self.within(self.silence, http.send(request)).await?;
        self.has_response = true;
        // The server responds, so advice about its reachability does not apply.
        self.advice = "";
        self.has_answered.set(true);
        if !(200..300).contains(&response.status) {
            return Err(self.error_response(response).await);
        }
        self.read(&mut *response.body, decoder, show).await?;
        Ok(response)
    }

    async fn error_response(&mut self, mut response: HttpResponse) -> LlmError {
        let mut body = Vec::new();
        // If the body breaks off, the error has the part that was received.
        while let Ok(Some(bytes)) = self.within(Some(END_TIMEOUT), response.body.chunk()).await {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_ERROR {
                body.truncate(MAX_ERROR);
                break;
            }
        }
        let body = String::from_utf8_lossy(&body);
        let mut error = LlmError::from_provider(Some(response.status), &body, &self.secrets);
        error.retry_after = retry_after(&response.headers, self.host.now());
        error
    }

    /// Reads an answer: events, or the one JSON object that some servers send although streaming was requested.
    async fn read(
        &mut self,
        body: &mut dyn HttpBody,
        decoder: &mut dyn Decoder,
        show: &dyn Fn(Delta),
    ) -> Result<(), LlmError> {
        let mut start = Vec::new();
        let first = loop {
            match self.within(self.silence, body.chunk()).await? {
                None => break None,
                Some(bytes) => start.extend_from_slice(&bytes),
            }
            let at = start.iter().position(|byte| !byte.is_ascii_whitespace());
            if let Some(first) = at.and_then(|at| start.get(at)) {
                break Some(*first);
            }
            if start.len() > MAX_ERROR {
                break None;
            }
        };
        match first {
            Some(b'{' | b'[' | b'<') => self.read_document(start, body, decoder, show).await,
            Some(_) => self.read_events(&start, body, decoder, show).await,
            None => Ok(()),
        }
    }

    async fn read_events(
        &mut self,
        start: &[u8],
        body: &mut dyn HttpBody,
        decoder: &mut dyn Decoder,
        show: &dyn Fn(Delta),
    ) -> Result<(), LlmError> {
        let mut parser = SseParser::new(MAX_EVENT);
        let mut chunk = Some(start.to_vec());
        let mut length = 0;
        let mut messages = Vec::new();
        while let Some(bytes) = chunk {
            length += bytes.len();
            let pushed = parser.push(&bytes, &mut messages);
            self.push_all(decoder, &mut messages, show)?;
            if pushed.is_err() || length > MAX_ANSWER {
                return Err(self.decode_error(DecodeError::Malformed("an answer that is too long".into())));
            }
            if decoder.is_done() {
                return Ok(());
            }
            let has_ended = decoder.has_ended();
            let limit = if has_ended && !decoder.went_on() { Some(END_TIMEOUT) } else { self.silence };
            chunk = match self.within(limit, body.chunk()).await {
                Ok(chunk) => chunk,
                // The answer is complete; only its token counts are missing.
                Err(_) if has_ended => return Ok(()),
                Err(error) => return Err(error),
            };
        }
        let stray = parser.stray();
        if let Some(last) = parser.finish() {
            match decoder.push(&last.event, &last.data) {
                Ok(Some(delta)) => show(delta),
                // Half a chunk at the end means that the stream was cut off, which `finish` of the decoder reports.
                Ok(None) | Err(DecodeError::Malformed(_)) => {}
                Err(error) => return Err(self.decode_error(error)),
            }
        }
        if !decoder.has_begun() && !decoder.has_ended() && !stray.trim().is_empty() {
            return Err(LlmError::from_provider(Some(200), &stray, &self.secrets));
        }
        Ok(())
    }

    async fn read_document(
        &mut self,
        mut start: Vec<u8>,
        body: &mut dyn HttpBody,
        decoder: &mut dyn Decoder,
        show: &dyn Fn(Delta),
    ) -> Result<(), LlmError> {
        while let Some(bytes) = self.within(self.silence, body.chunk()).await? {
            start.extend_from_slice(&bytes);
            if start.len() > MAX_ANSWER {
                return Err(self.decode_error(DecodeError::Malformed("an answer that is too long".into())));
            }
        }
        let text = String::from_utf8_lossy(&start);
        match text.trim_start().starts_with('{') {
            true => {
                let pushed = decoder.push("", &text).map(|delta| {
                    delta.into_iter().for_each(show);
                    (self.after_push)(decoder);
                });
                // A whole document that is no answer is an error, although its status is one of success. No other attempt
                // is answered in another way, unless the server says so.
                let is_refused = !decoder.has_begun() && !decoder.has_ended();
                let json = match pushed {
                    Ok(()) if is_refused && !has_place(&text) => &*text,
                    Err(DecodeError::Provider(_)) if is_refused => &*text,
                    pushed => return pushed.map_err(|error| self.decode_error(error)),
                };
                Err(LlmError::from_provider(Some(200), json, &self.secrets))
            }
            // The body is no JSON object: it is a web page, or an error of Gemini in a list.
            false => Err(LlmError::from_provider(Some(200), &text, &self.secrets)),
        }
    }

    /// Decodes these events. What they add is shown in as few pieces as possible, because passing on a piece costs more than
    /// decoding it; what came before a failure is shown as well.
    fn push_all(
        &self,
        decoder: &mut dyn Decoder,
        messages: &mut Vec<SseMessage>,
        show: &dyn Fn(Delta),
    ) -> Result<(), LlmError> {
        let mut last: Option<Delta> = None;
        let mut failure = None;
        for message in messages.drain(..) {
            let decoded = match &*message.event {
                "error" => Err(DecodeError::Provider(message.data)),
                event => decoder.push(event, &message.data),
            };
            match decoded {
                Ok(Some(mut delta)) => {
                    if !last.as_mut().is_some_and(|last| last.join(&mut delta)) {
                        last.replace(delta).into_iter().for_each(show);
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
            (self.after_push)(decoder);
        }
        last.into_iter().for_each(show);
        failure.map_or(Ok(()), |error| Err(self.decode_error(error)))
    }

    pub(super) fn decode_error(&self, error: DecodeError) -> LlmError {
        let (failure, message) = match error {
            DecodeError::Provider(json) => return LlmError::from_provider(None, &json, &self.secrets),
            DecodeError::Malformed(content) => {
                (LlmFailure::Unavailable, format!("it sent {}", self.secrets.redact_in(&content)))
            }
            DecodeError::CutOff => {
                let message = format!("{} ended the response before the answer was complete", self.origin);
                return LlmError::broken_off(&message);
            }
            DecodeError::Empty => (LlmFailure::NoResponse, String::new()),
            DecodeError::Filtered => (LlmFailure::ContentPolicy, String::new()),
        };
        LlmError::with_message(failure, None, &message)
    }
}

/// Whether a document has the place of an answer, of any wire API, even if nothing is there.
fn has_place(document: &str) -> bool {
    let names = ["choices", "output", "content"];
    Object::parse(document).is_some_and(|fields| names.into_iter().any(|name| fields.get(name).is_some()))
}
