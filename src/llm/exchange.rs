//! One request and what comes back to it: waits no longer than it may, reads no more than fits, and turns whatever goes
//! wrong into an error whose words hold no secret. Never tries again.

use crate::{
    host::Host,
    llm::{
        completion::Delta,
        error::{LlmError, LlmFailure},
        retry::retry_after,
        secret_string::Secrets,
        sse::SseParser,
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
        wire_api::{DecodeError, Decoder},
    },
};
use futures_util::future::{LocalBoxFuture, poll_fn};
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, ready},
    time::Duration,
};

/// One event of a stream may be this long: tool arguments come in one piece from some servers.
const LONGEST_EVENT: usize = 16 << 20;

/// A whole answer may be this long.
const LONGEST_ANSWER: usize = 64 << 20;

/// So much of an error is read.
const LONGEST_ERROR: usize = 64 << 10;

/// What comes after the model has ended is only the count of tokens; a server that keeps silent then has none.
const GRACE: Duration = Duration::from_secs(5);

/// One request and its answer.
pub(super) struct Exchange<'a> {
    /// Looks at the decoder whenever it has taken something in.
    pub(super) tell: &'a dyn Fn(&dyn Decoder),
    pub(super) host: &'a dyn Host,
    pub(super) silence: Option<Duration>,
    pub(super) timer: Option<Timer>,
    pub(super) secrets: Secrets,
    pub(super) origin: &'a str,
    /// What to do if no response comes. A browser does not say that a server would not have it; what is known of the
    /// server, does.
    pub(super) advice: &'static str,
}

/// What ends a silence. One timer lasts for many waits, and is set again only when it rings: to set one costs more than to
/// take in a piece of an answer.
pub(super) struct Timer {
    limit: Duration,
    rings: LocalBoxFuture<'static, ()>,
}

/// A wait that is under way.
struct Wait {
    began: f64,
    /// Whether the timer was set in it, and ends it; or else for an earlier one.
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
                return Poll::Ready(Some(result));
            }
            match limit {
                Some(limit) => self.poll_silence(limit, &mut wait, context).map(|()| None),
                None => Poll::Pending,
            }
        });
        let Some(result) = result.await else {
            let limit = limit.unwrap_or_default();
            let words = format!("{} was silent for {} seconds", self.origin, limit.as_secs().max(1));
            return Err(LlmError::with_message(LlmFailure::Timeout, None, &words));
        };
        result.map_err(|error| self.failure_of(error))
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
            self.timer = Some(Timer { limit, rings: host.sleep(limit) });
        }
        let Some(timer) = &mut self.timer else { return Poll::Pending };
        ready!(timer.rings.as_mut().poll(context));
        if !wait.is_timed {
            wait.is_timed = true;
            let silent = Duration::from_millis((host.now() - wait.began).max(0.0) as u64);
            timer.rings = host.sleep(limit.saturating_sub(silent));
            ready!(timer.rings.as_mut().poll(context));
        }
        self.timer = None;
        Poll::Ready(())
    }

    fn failure_of(&self, error: HttpError) -> LlmError {
        let (failure, words) = match error {
            HttpError::Invalid(words) => (LlmFailure::InvalidOptions, words),
            HttpError::Offline => (LlmFailure::Offline, String::new()),
            HttpError::Network(words) => {
                (LlmFailure::Network, format!("{}: {words}{}", self.origin, self.advice))
            }
        };
        LlmError::with_message(failure, None, &self.secrets.redact_in(&words))
    }

    /// Sends a request and reads what comes back to it.
    pub(super) async fn hear(
        &mut self,
        http: &dyn HttpClient,
        request: HttpRequest,
        decoder: &mut dyn Decoder,
        show: &dyn Fn(Delta),
    ) -> Result<HttpResponse, LlmError> {
        let mut response = self.within(self.silence, http.send(request)).await?;
        // It can be reached from here.
        self.advice = "";
        if !(200..300).contains(&response.status) {
            return Err(self.refusal(response).await);
        }
        self.read(&mut *response.body, decoder, show).await?;
        Ok(response)
    }

    async fn refusal(&mut self, mut response: HttpResponse) -> LlmError {
        let mut body = Vec::new();
        // What is lost of an error's words is no second error.
        while let Ok(Some(bytes)) = self.within(Some(GRACE), response.body.chunk()).await {
            body.extend_from_slice(&bytes);
            if body.len() > LONGEST_ERROR {
                body.truncate(LONGEST_ERROR);
                break;
            }
        }
        let body = String::from_utf8_lossy(&body);
        let mut error = LlmError::from_provider(Some(response.status), &body, &self.secrets);
        error.retry_after = retry_after(&response.headers, self.host.now());
        error
    }

    /// Reads an answer: events, or the one JSON object that some servers send although they were asked to stream.
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
            if start.len() > LONGEST_ERROR {
                break None;
            }
        };
        match first {
            Some(b'{' | b'[' | b'<') => self.read_whole(start, body, decoder, show).await,
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
        let mut parser = SseParser::new(LONGEST_EVENT);
        let mut chunk = Some(start.to_vec());
        let mut length = 0;
        let mut messages = Vec::new();
        while let Some(bytes) = chunk {
            length += bytes.len();
            let pushed = parser.push(&bytes, &mut messages);
            for message in messages.drain(..) {
                if message.event == "error" {
                    return Err(self.decode_error(DecodeError::Provider(message.data)));
                }
                self.push(decoder, &message.event, &message.data, show)?;
            }
            if pushed.is_err() || length > LONGEST_ANSWER {
                return Err(self.decode_error(DecodeError::Garbage("an answer without an end".into())));
            }
            if decoder.is_done() {
                return Ok(());
            }
            let has_ended = decoder.has_ended();
            let limit = if has_ended { Some(GRACE) } else { self.silence };
            chunk = match self.within(limit, body.chunk()).await {
                Ok(chunk) => chunk,
                // The answer is whole; only its count is missing.
                Err(_) if has_ended => return Ok(()),
                Err(error) => return Err(error),
            };
        }
        if let Some(last) = parser.finish() {
            match decoder.push(&last.event, &last.data) {
                Ok(Some(delta)) => show(delta),
                // Half a chunk at the end is a stream that was cut off, which the decoder tells by itself.
                Ok(None) | Err(DecodeError::Garbage(_)) => {}
                Err(error) => return Err(self.decode_error(error)),
            }
        }
        Ok(())
    }

    async fn read_whole(
        &mut self,
        mut start: Vec<u8>,
        body: &mut dyn HttpBody,
        decoder: &mut dyn Decoder,
        show: &dyn Fn(Delta),
    ) -> Result<(), LlmError> {
        while let Some(bytes) = self.within(self.silence, body.chunk()).await? {
            start.extend_from_slice(&bytes);
            if start.len() > LONGEST_ANSWER {
                return Err(self.decode_error(DecodeError::Garbage("an answer without an end".into())));
            }
        }
        let text = String::from_utf8_lossy(&start);
        match text.trim_start().starts_with('{') {
            true => self.push(decoder, "", &text, show),
            // A web page, or Gemini's error in a list.
            false => Err(LlmError::from_provider(Some(200), &text, &self.secrets)),
        }
    }

    fn push(
        &self,
        decoder: &mut dyn Decoder,
        event: &str,
        data: &str,
        show: &dyn Fn(Delta),
    ) -> Result<(), LlmError> {
        match decoder.push(event, data) {
            Ok(Some(delta)) => show(delta),
            Ok(None) => {}
            Err(error) => return Err(self.decode_error(error)),
        }
        (self.tell)(decoder);
        Ok(())
    }

    pub(super) fn decode_error(&self, error: DecodeError) -> LlmError {
        let (failure, words) = match error {
            DecodeError::Provider(json) => return LlmError::from_provider(None, &json, &self.secrets),
            DecodeError::Garbage(what) => {
                (LlmFailure::Unavailable, format!("it sent {}", self.secrets.redact_in(&what)))
            }
            DecodeError::CutOff => {
                (LlmFailure::Network, format!("{} ended the answer in the middle", self.origin))
            }
            DecodeError::Empty => (LlmFailure::NoResponse, String::new()),
            DecodeError::Filtered => (LlmFailure::ContentPolicy, String::new()),
        };
        LlmError::with_message(failure, None, &words)
    }
}
