//! HTTP requests through `fetch`: the global one, or a function of the host.
//!
//! gloo-net only builds the request. Its `send` traps if `fetch` rejects with something that is not an `Error` or resolves
//! to something that is not a `Response` of this realm, and its `header` traps on a character that a header cannot
//! contain; a trap leaves the promise unsettled for ever. Therefore headers are checked first, only the `AbortSignal` of
//! this module is passed to `fetch`, and nothing is assumed about the value that it returns.
//!
//! Redirects are errors: a request, its key included, goes to the URL that the user has set and nowhere else.

use super::leaving::Watch;
use crate::{
    error::shown,
    llm::transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse, Wait},
};
use futures_util::future::LocalBoxFuture;
use gloo_net::http::Method;
use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, RequestRedirect};

#[wasm_bindgen]
extern "C" {
    /// The global `fetch`, of a page, a worker or Node.
    #[wasm_bindgen(catch, js_name = fetch)]
    fn global_fetch(request: &web_sys::Request) -> Result<JsValue, JsValue>;

    /// `Array.from`, which may throw for an object of the host.
    #[wasm_bindgen(catch, js_namespace = Array, js_name = from)]
    fn array_from(iterable: &JsValue) -> Result<Array, JsValue>;

    /// `Object.entries`, which may throw too.
    #[wasm_bindgen(catch, js_namespace = Object, js_name = entries)]
    fn entries(object: &JsValue) -> Result<Array, JsValue>;

    /// The reader of `js/llm/body.ts` for the body of a response: all bytes received since the last piece are one piece.
    type Pieces;
    #[wasm_bindgen(method, catch)]
    fn next(this: &Pieces) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn cancel(this: &Pieces) -> Result<(), JsValue>;
}

/// An HTTP client that uses `fetch`.
#[derive(Clone)]
pub struct FetchClient {
    /// Called instead of the global `fetch`, as `fetch(url, init)`: a relay, a test double, or a model in the page. It
    /// returns or promises a response.
    pub given: Option<Function>,
    /// Makes the reader of a body: called with the response and the `AbortController` of the exchange.
    pub read: Function,
    /// Waits before the next attempt: called with the fields of a [`Wait`], promises whether to make another attempt.
    pub wait: Option<Function>,
    /// Called with a URL of the server, promises [`HttpClient::refused_origin`].
    pub refused_origin: Option<Function>,
    /// Called at the beginning and the end of an exchange with its `AbortController` and whether it is over. It may abort a
    /// dead exchange. If it returns a function at the beginning, that is called with the URL and the body of the request.
    pub watch: Option<Function>,
}

impl HttpClient for FetchClient {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        let FetchClient { given, read, watch, .. } = self.clone();
        Box::pin(async move {
            let mut exchange = Exchange::new(watch, &request)?;
            let fetched = match given {
                Some(fetch) => exchange.call(&fetch, &request)?,
                None => global_fetch(&exchange.request(&request)?).map_err(|error| network(&error))?,
            };
            // A function of the host may return its response without a promise.
            let response = exchange.settled(&Promise::resolve(&fetched)).await?;
            let status = field(&response, "status").and_then(|status| status.as_f64());
            let Some(status) = status.filter(|status| (100.0..600.0).contains(status)) else {
                exchange.is_over = true;
                return Err(HttpError::Network("fetch did not return a response".into()));
            };
            let headers = headers_of(&response);
            let pieces = read.call2(&JsValue::UNDEFINED, &response, &exchange.controller);
            let pieces = pieces.map_err(|error| network(&error))?.unchecked_into();
            Ok(HttpResponse { status: status as u16, headers, body: Box::new(Body { pieces, exchange }) })
        })
    }

    fn wait(&self, wait: &Wait<'_>) -> Option<LocalBoxFuture<'static, bool>> {
        let arguments = Array::of5(
            &wait.attempt.into(),
            &wait.delay.as_secs_f64().into(),
            &wait.error.code().as_str().into(),
            &(&*wait.error.message).into(),
            &(&*wait.url).into(),
        );
        arguments.push(&wait.is_shown.into());
        arguments.push(&wait.is_last.into());
        arguments.push(&wait.is_down.into());
        let waited = self.wait.as_ref()?.apply(&JsValue::UNDEFINED, &arguments);
        Some(Box::pin(async move {
            match waited {
                Ok(waited) => {
                    JsFuture::from(Promise::resolve(&waited)).await.is_ok_and(|again| again.is_truthy())
                }
                Err(_) => false,
            }
        }))
    }

    fn refused_origin(&self, url: &str) -> LocalBoxFuture<'static, String> {
        let asked = self.refused_origin.as_ref().map(|ask| ask.call1(&JsValue::UNDEFINED, &url.into()));
        Box::pin(async move {
            let Some(Ok(asked)) = asked else { return String::new() };
            let origin = JsFuture::from(Promise::resolve(&asked)).await;
            origin.ok().and_then(|origin| origin.as_string()).unwrap_or_default()
        })
    }
}

/// One request and its response, aborted when it is dropped before it is over.
struct Exchange {
    controller: AbortController,
    page: Watch,
    watch: Option<Function>,
    is_over: bool,
}

impl Exchange {
    fn new(watch: Option<Function>, request: &HttpRequest) -> Result<Self, HttpError> {
        let controller = AbortController::new().map_err(|error| network(&error))?;
        let exchange = Self { controller, page: Watch::begin(), watch, is_over: false };
        let observe = exchange.notify(false).and_then(|returned| returned.dyn_into::<Function>().ok());
        if let Some(observe) = observe {
            // Without headers: they contain the key. An error of the observer does not affect the exchange.
            let _ = observe.call2(&JsValue::UNDEFINED, &(&*request.url).into(), &(&*request.body).into());
        }
        Ok(exchange)
    }

    /// Notifies the watcher that the exchange begins or is over. Returns its result; an error of it does not affect the
    /// exchange.
    fn notify(&self, is_over: bool) -> Option<JsValue> {
        self.watch.as_ref()?.call2(&JsValue::UNDEFINED, &self.controller, &is_over.into()).ok()
    }

    /// The result of a promise of the network. While the page is being left, a failure is not returned.
    async fn settled(&self, promise: &Promise) -> Result<JsValue, HttpError> {
        match JsFuture::from(promise.clone()).await {
            Ok(value) => Ok(value),
            Err(error) => {
                self.page.outlast().await;
                Err(network(&error))
            }
        }
    }

    fn request(&self, request: &HttpRequest) -> Result<web_sys::Request, HttpError> {
        // The message of the browser would quote the URL, which may contain secrets.
        let invalid =
            |_| HttpError::Invalid("the base URL is not a URL that fetch can use here; check baseUrl".into());
        let headers = gloo_net::http::Headers::from_raw(checked_headers(request)?);
        let has_body = !request.body.is_empty();
        let builder = gloo_net::http::RequestBuilder::new(&request.url)
            .method(if has_body { Method::POST } else { Method::GET })
            .headers(headers)
            .redirect(RequestRedirect::Error)
            .abort_signal(Some(&self.controller.signal()));
        let built = if has_body { builder.body(&*request.body) } else { builder.build() };
        let built = built.map_err(invalid)?;
        Ok(built.into())
    }

    /// Calls the host's function with the arguments of `fetch`, as plain objects.
    fn call(&self, fetch: &Function, request: &HttpRequest) -> Result<JsValue, HttpError> {
        checked_headers(request)?;
        let headers = Object::new();
        let init = Object::new();
        // Setting a property of a plain object cannot fail.
        let set = |object: &Object, name: &str, value: &JsValue| {
            let _ = Reflect::set(object, &name.into(), value);
        };
        for (name, value) in &request.headers {
            set(&headers, name, &value.into());
        }
        set(&init, "method", &if request.body.is_empty() { "GET" } else { "POST" }.into());
        set(&init, "headers", &headers);
        if !request.body.is_empty() {
            set(&init, "body", &(&*request.body).into());
        }
        set(&init, "redirect", &"error".into());
        set(&init, "signal", &self.controller.signal());
        fetch.call2(&JsValue::UNDEFINED, &(&*request.url).into(), &init).map_err(|error| network(&error))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.notify(true);
        if !self.is_over {
            // Without a reason: some browsers reject with the reason itself, which then is not an `Error`.
            self.controller.abort();
        }
    }
}

/// The headers as a `Headers` object, which accepts only valid ones.
fn checked_headers(request: &HttpRequest) -> Result<Headers, HttpError> {
    let headers = Headers::new().map_err(|error| network(&error))?;
    for (name, value) in &request.headers {
        // The message of the browser would quote the value.
        headers.set(name, value).map_err(|_| {
            HttpError::Invalid(format!(
                "header {} has characters that a header cannot contain; check its value",
                shown(name)
            ))
        })?;
    }
    Ok(headers)
}

fn headers_of(response: &JsValue) -> Vec<(String, String)> {
    let Some(headers) = field(response, "headers") else {
        return Vec::new();
    };
    // A test double's plain object has no pairs of its own.
    let pairs = array_from(&headers).ok().filter(|pairs| pairs.length() > 0);
    let pairs = pairs.or_else(|| entries(&headers).ok()).unwrap_or_default();
    let mut texts = Vec::new();
    for pair in pairs {
        let Some(pair) = pair.dyn_ref::<Array>() else { continue };
        if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string()) {
            texts.push((name.to_ascii_lowercase(), value));
        }
    }
    texts
}

/// A body that is being received.
struct Body {
    pieces: Pieces,
    exchange: Exchange,
}

impl Body {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        if self.exchange.is_over {
            return Ok(None);
        }
        let next = self.pieces.next().map_err(|error| network(&error))?;
        let bytes = self.exchange.settled(&next).await?;
        self.exchange.is_over = bytes.is_undefined();
        Ok((!self.exchange.is_over).then(|| bytes.unchecked_ref::<Uint8Array>().to_vec()))
    }
}

impl HttpBody for Body {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        Box::pin(self.next())
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if !self.exchange.is_over {
            // `cancel` of `js/llm/body.ts` does not throw.
            let _ = self.pieces.cancel();
        }
    }
}

/// A property of any object; `None` if it is missing or reading it throws.
fn field(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &name.into()).ok()?;
    if value.is_null() || value.is_undefined() { None } else { Some(value) }
}

/// The error for a failed request, with the message of the platform.
fn network(error: &JsValue) -> HttpError {
    let is_online = field(&js_sys::global(), "navigator").and_then(|navigator| field(&navigator, "onLine"));
    if is_online.is_some_and(|is_online| is_online.as_bool() == Some(false)) {
        return HttpError::Offline;
    }
    let message = match error.as_string() {
        Some(message) => message,
        None => field(error, "message").and_then(|message| message.as_string()).unwrap_or_default(),
    };
    // In Node the message is only "fetch failed", and the cause has the reason.
    let cause =
        field(error, "cause").and_then(|cause| field(&cause, "message")).and_then(|cause| cause.as_string());
    HttpError::Network(match cause {
        Some(cause) if !message.contains(&cause) => format!("{message} ({cause})"),
        _ => message,
    })
}
