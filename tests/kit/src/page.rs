//! What `web` makes of a page, with plain values as arguments and results: the network, the clock, timers and traps.

use futures_util::FutureExt;
use js_sys::{Function, Promise};
use std::{future::pending, time::Duration};
use threadkeep::{
    host::Host,
    json::{FromJson as _, elements, quoted},
    llm::transport::{HttpClient, HttpError, HttpRequest},
    web::{fetch::FetchClient, guard, host::WebHost},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// Posts, reads at most `chunks` pieces of the response through `read`, and drops the rest. Resolves to JSON: `{"status",
/// "headers", "text"}`, or `{"error", "message"}`.
#[wasm_bindgen(js_name = probePost)]
pub async fn probe_post(request: String, read: Function, fetch: Option<Function>, chunks: u32) -> String {
    match post(&request, read, fetch, chunks).await {
        Ok(json) => json,
        Err(error) => {
            let (kind, message) = match error {
                HttpError::Invalid(message) => ("invalid", message),
                HttpError::Offline => ("offline", String::new()),
                HttpError::Network(message) => ("network", message),
            };
            format!("{{\"error\":{},\"message\":{}}}", quoted(kind), quoted(&message))
        }
    }
}

/// Begins to post and drops the request at once; whether it was still pending.
#[wasm_bindgen(js_name = probePostAndDrop)]
pub fn probe_post_and_drop(request: String, read: Function, fetch: Option<Function>) -> bool {
    post(&request, read, fetch, u32::MAX).now_or_never().is_none()
}

/// Waits, or drops the timer at once.
#[wasm_bindgen(js_name = probeSleep)]
pub async fn probe_sleep(milliseconds: u32, is_dropped: bool) {
    let sleep = WebHost.sleep(Duration::from_millis(milliseconds.into()));
    if !is_dropped {
        sleep.await;
    }
}

/// Milliseconds since the epoch, the local time as it is stored, and a random id.
#[wasm_bindgen(js_name = probeHost)]
pub fn probe_host() -> Vec<String> {
    vec![WebHost.now().to_string(), WebHost.local_time(), WebHost.random_uuid().to_string()]
}

/// Traps inside a promise, in the given way: for the test that no promise stays unsettled.
#[wasm_bindgen(js_name = trapInPromise)]
pub fn trap_in_promise(way: String) -> Promise {
    guard::promise(async move {
        match way.as_str() {
            "panic" => panic!("a panic on purpose"),
            "trap" => std::arch::wasm32::unreachable(),
            _ => Ok(JsValue::UNDEFINED),
        }
    })
}

/// A promise that only a crash settles.
#[wasm_bindgen(js_name = waitForever)]
pub fn wait_forever() -> Promise {
    guard::promise(pending())
}

async fn post(
    request: &str,
    read: Function,
    fetch: Option<Function>,
    chunks: u32,
) -> Result<String, HttpError> {
    let request = read_request(request)
        .ok_or_else(|| HttpError::Invalid("the request must be [url, headers, body]".into()))?;
    let http = FetchClient { given: fetch, read, wait: None, refused_origin: None, watch: None };
    let mut response = http.send(request).await?;
    let mut bytes = Vec::new();
    for _ in 0..chunks {
        let Some(chunk) = response.body.chunk().await? else { break };
        bytes.extend(chunk);
    }
    let headers: Vec<String> =
        response.headers.iter().map(|(name, value)| format!("{}:{}", quoted(name), quoted(value))).collect();
    let text = quoted(&String::from_utf8_lossy(&bytes));
    Ok(format!("{{\"status\":{},\"headers\":{{{}}},\"text\":{text}}}", response.status, headers.join(",")))
}

/// JSON: `[url, [[name, value]], body]`.
fn read_request(request: &str) -> Option<HttpRequest> {
    let parts = elements(request)?;
    let [url, headers, body] = parts.as_slice() else { return None };
    let mut pairs = Vec::new();
    for header in Vec::<Vec<String>>::from_json(headers)? {
        pairs.push(header.try_into().ok().map(|[name, value]: [String; 2]| (name, value))?);
    }
    let body = String::from_json(body)?;
    Some(HttpRequest { url: String::from_json(url)?, headers: pairs, body: body.into() })
}
