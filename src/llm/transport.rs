//! The HTTP client that the core uses, as a trait.

use crate::llm::error::LlmError;
use futures_util::future::LocalBoxFuture;
use std::{future::ready, rc::Rc, time::Duration};

/// A request: a POST, or a GET if the body is empty.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// Absolute, or relative to the page.
    pub url: String,
    /// Names and values; a value may hold a secret, so requests are never logged.
    pub headers: Vec<(String, String)>,
    /// JSON text, or empty.
    pub body: Rc<str>,
}

/// An HTTP client. Dropping any of its futures, or the body, aborts the exchange.
pub trait HttpClient {
    /// Resolves when the headers of the response have arrived, whatever the status.
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;

    /// Waits before the next attempt, and resolves to whether to make it. With `None` the caller waits for the delay, and
    /// does not repeat an answer that was partly shown.
    fn wait(&self, _wait: &Wait<'_>) -> Option<LocalBoxFuture<'static, bool>> {
        None
    }

    /// Tells a server that refuses this page from one that is down, which `send` cannot: the origin of the page if the
    /// server answers a request whose answer pages may not read; empty if it does not, or if no server can refuse the page.
    fn refused_origin(&self, _url: &str) -> LocalBoxFuture<'static, String> {
        Box::pin(ready(String::new()))
    }
}

/// The next attempt that is waited for.
#[derive(Clone, Debug)]
pub struct Wait<'a> {
    /// The number of failed attempts.
    pub attempt: u32,
    /// The delay before the next attempt.
    pub delay: Duration,
    /// Whether a part of the answer has been shown.
    pub is_shown: bool,
    /// Whether no other model can answer.
    pub is_last: bool,
    /// Whether the server is known not to answer.
    pub is_down: bool,
    /// A URL of the server, for testing whether it can be reached.
    pub url: String,
    /// The error of the last attempt.
    pub error: &'a LlmError,
}

/// A response whose body is still being received.
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values. A browser has only those that CORS exposes.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Box<dyn HttpBody>,
}

impl HttpResponse {
    /// The first header with this name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// A body, chunk by chunk. Dropping it cancels the exchange.
pub trait HttpBody {
    /// The next bytes; `None` at the end.
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>>;
}

/// The reason why a response is missing or incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpError {
    /// A URL or header that cannot be sent. The text names it, without the value of a header.
    Invalid(String),
    /// The browser reports that it is offline.
    Offline,
    /// Anything else: refused, reset, blocked by CORS; with the message of the platform.
    Network(String),
}
