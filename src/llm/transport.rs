//! The network as the core sees it.

use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

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
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;
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
