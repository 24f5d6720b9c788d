//! The network as the core sees it.

use crate::llm::error::LlmError;
use futures_util::future::LocalBoxFuture;
use std::{rc::Rc, time::Duration};

/// A request: a POST, or a GET where it has no body.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// Absolute, or relative to the page.
    pub url: String,
    /// Names and values; a value may hold a secret, so requests are never logged.
    pub headers: Vec<(String, String)>,
    /// JSON text, or nothing.
    pub body: Rc<str>,
}

/// Sends requests. Dropping any of its futures, or the body, aborts the exchange.
pub trait HttpClient {
    /// Resolves when the response's headers are there, whatever the status.
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;

    /// Waits until another attempt is worth making, and says whether it is to be made. Without this the clock decides,
    /// and nothing of which a part was shown is asked for again.
    fn wait(&self, _wait: &Wait<'_>) -> Option<LocalBoxFuture<'static, bool>> {
        None
    }
}

/// What is waited for.
#[derive(Clone, Debug)]
pub struct Wait<'a> {
    /// How many attempts have failed.
    pub attempt: u32,
    /// How long to wait before the next one.
    pub delay: Duration,
    /// Whether a part of the answer has been shown.
    pub is_shown: bool,
    /// Whether nobody else can answer.
    pub is_last: bool,
    /// An address of the server, by which to find out whether it can be reached.
    pub url: String,
    /// Why the last attempt failed.
    pub error: &'a LlmError,
}

/// A response whose body is still coming.
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Names in lower case. A browser shows only those that CORS exposes.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Box<dyn HttpBody>,
}

impl HttpResponse {
    /// The first header of this name, which is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// A body, chunk by chunk. Dropping it cancels the exchange.
pub trait HttpBody {
    /// The next bytes; `None` at the end.
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>>;
}

/// Why no response, or not all of it, could be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpError {
    /// A URL or header that cannot be sent; says which, never the value of a header.
    Invalid(String),
    /// The browser says that it is offline.
    Offline,
    /// Anything else: refused, reset, blocked by CORS; in the platform's words.
    Network(String),
}
