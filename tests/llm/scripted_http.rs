//! A network with scripted responses and a clock that only advances during sleeps. Every request is checked, not only
//! those that a test looks at: each tool message answers a call, each call is answered, and the body follows the protocol.

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, VecDeque},
    future,
    rc::Rc,
    time::Duration,
};
use threadkeep::{
    host::Host,
    llm::transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse, Wait},
};
use uuid::Uuid;

/// The scripted reaction of a server to one request.
pub enum Reply {
    /// A response with status, headers and the pieces of a body.
    Response(u16, Vec<(&'static str, &'static str)>, Vec<Piece>),
    /// The request fails without a response.
    Fails(HttpError),
    /// No response ever arrives.
    Silent,
}

/// A piece of a body.
#[derive(Clone)]
pub enum Piece {
    Bytes(Vec<u8>),
    Breaks(HttpError),
    Silence,
}

impl Reply {
    /// A stream of these events.
    pub fn events(events: &[&str]) -> Self {
        let pieces =
            events.iter().map(|event| Piece::Bytes(format!("data: {event}\n\n").into_bytes())).collect();
        Self::Response(200, vec![("content-type", "text/event-stream")], pieces)
    }

    /// A response with its body in one piece.
    pub fn complete(status: u16, body: &str) -> Self {
        Self::Response(status, Vec::new(), vec![Piece::Bytes(body.as_bytes().to_vec())])
    }

    /// Adds a header to the response.
    pub fn with_header(self, name: &'static str, value: &'static str) -> Self {
        match self {
            Self::Response(status, mut headers, body) => {
                headers.push((name, value));
                Self::Response(status, headers, body)
            }
            other => other,
        }
    }
}

/// The network.
#[derive(Default)]
pub struct ScriptedHttp {
    replies: RefCell<VecDeque<Reply>>,
    pub requests: RefCell<Vec<HttpRequest>>,
    /// The number of exchanges that were dropped before their end.
    pub aborted: Rc<Cell<u32>>,
    /// Answers `HttpClient::wait`: whether to try again.
    pub on_wait: Option<OnWait>,
    /// Answers `HttpClient::refused_origin`: the origin of the page, or nothing if the server does not answer.
    pub refused_origin: &'static str,
}

pub type OnWait = Box<dyn Fn(&Wait<'_>) -> bool>;

impl ScriptedHttp {
    pub fn new(replies: Vec<Reply>) -> Rc<Self> {
        Rc::new(Self { replies: RefCell::new(replies.into()), ..Self::default() })
    }

    pub fn body(&self, at: usize) -> Value {
        serde_json::from_str(&self.requests.borrow()[at].body).unwrap()
    }

    pub fn header(&self, at: usize, name: &str) -> Option<String> {
        let requests = self.requests.borrow();
        let found = requests[at].headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.clone())
    }

    pub fn count(&self) -> usize {
        self.requests.borrow().len()
    }
}

impl HttpClient for ScriptedHttp {
    fn wait(&self, wait: &Wait<'_>) -> Option<LocalBoxFuture<'static, bool>> {
        let try_again = self.on_wait.as_ref()?(wait);
        Some(future::ready(try_again).boxed_local())
    }

    fn refused_origin(&self, _url: &str) -> LocalBoxFuture<'static, String> {
        future::ready(self.refused_origin.to_owned()).boxed_local()
    }

    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        check(&request);
        self.requests.borrow_mut().push(request);
        let reply = self.replies.borrow_mut().pop_front().expect("no reply was scripted for this request");
        let mut abort = AbortCount { aborted: self.aborted.clone(), is_over: false };
        async move {
            match reply {
                Reply::Response(status, headers, pieces) => {
                    let headers = headers.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
                    Ok(HttpResponse {
                        status,
                        headers,
                        body: Box::new(ScriptedBody { pieces: pieces.into(), abort }),
                    })
                }
                Reply::Fails(error) => {
                    abort.end();
                    Err(error)
                }
                Reply::Silent => future::pending().await,
            }
        }
        .boxed_local()
    }
}

struct ScriptedBody {
    pieces: VecDeque<Piece>,
    abort: AbortCount,
}

impl HttpBody for ScriptedBody {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        match self.pieces.pop_front() {
            Some(Piece::Bytes(bytes)) => future::ready(Ok(Some(bytes))).boxed_local(),
            Some(Piece::Breaks(error)) => {
                self.abort.end();
                future::ready(Err(error)).boxed_local()
            }
            Some(Piece::Silence) => future::pending().boxed_local(),
            None => {
                self.abort.end();
                future::ready(Ok(None)).boxed_local()
            }
        }
    }
}

struct AbortCount {
    aborted: Rc<Cell<u32>>,
    is_over: bool,
}

impl AbortCount {
    fn end(&mut self) {
        self.is_over = true;
    }
}

impl Drop for AbortCount {
    fn drop(&mut self) {
        if !self.is_over {
            self.aborted.set(self.aborted.get() + 1);
        }
    }
}

fn check(request: &HttpRequest) {
    assert!(request.url.starts_with("http") || request.url.starts_with('/'), "{}", request.url);
    if matches!(&*request.body, "" | "{}") {
        return;
    }
    let body: Value = serde_json::from_str(&request.body).unwrap();
    assert!(body["model"].is_string());
    match body["input"].as_array() {
        Some(items) => check_items(items),
        None if request.url.ends_with("/v1/messages") => {
            check_turns(body["messages"].as_array().unwrap(), &body["model"])
        }
        None => check_messages(body["messages"].as_array().unwrap()),
    }
}

fn check_messages(messages: &[Value]) {
    let mut open = BTreeSet::new();
    for message in messages {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap();
            assert!(open.remove(id), "the result of {id} answers no call");
        } else {
            assert!(open.is_empty(), "calls without results: {open:?}");
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            assert!(open.insert(call["id"].as_str().unwrap().to_owned()), "two calls have the same id");
        }
    }
}

/// Fails where Anthropic would refuse the request. Others sign thoughts as they like.
fn check_turns(turns: &[Value], model: &Value) {
    let is_claude = model.as_str().is_some_and(|name| name.contains("claude"));
    assert_eq!(turns[0]["role"], "user");
    let mut used = BTreeSet::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    for turn in turns {
        let mut answered = BTreeSet::new();
        for block in turn["content"].as_array().unwrap() {
            let field = |name: &str| block[name].as_str().unwrap().to_owned();
            match field("type").as_str() {
                "text" => assert!(!field("text").trim().is_empty(), "a text is empty"),
                "tool_result" => assert!(answered.insert(field("tool_use_id")), "{block} is a second result"),
                "tool_use" => {
                    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                    assert!(field("id").chars().all(is_accepted) && block["input"].is_object(), "{block}");
                    assert!(used.insert(field("id")), "two calls have the same id");
                }
                "thinking" if is_claude => {
                    assert!(!field("signature").is_empty(), "a thinking block has no signature");
                }
                _ => {}
            }
        }
        assert_eq!(answered, open, "calls and results do not pair");
        let calls = turn["content"].as_array().unwrap().iter().filter(|block| block["type"] == "tool_use");
        open = calls.map(|block| block["id"].as_str().unwrap().to_owned()).collect();
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

/// Fails where the Responses API would refuse the request.
fn check_items(items: &[Value]) {
    let mut open = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for item in items {
        let call_id = || item["call_id"].as_str().unwrap().to_owned();
        match item["type"].as_str().unwrap() {
            "function_call" => {
                assert!(item.get("id").is_none_or(|id| id.as_str().unwrap().starts_with("fc")), "{item}");
                assert!(call_id().len() <= 64 && open.insert(call_id()), "{item}");
            }
            "function_call_output" => {
                assert!(answered.insert(call_id()), "{item} is a second result");
                assert!(open.remove(&call_id()), "{item} answers no call");
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

/// A host whose clock advances only by completed sleeps.
#[derive(Default)]
pub struct ScriptedHost {
    now: Rc<Cell<f64>>,
    pub slept: Rc<RefCell<Vec<Duration>>>,
    uuids: Cell<u128>,
}

impl Host for ScriptedHost {
    fn now(&self) -> f64 {
        self.now.get()
    }

    fn local_time(&self) -> String {
        "2026-01-31T09:15:02.123456".into()
    }

    fn random_uuid(&self) -> Uuid {
        self.uuids.set(self.uuids.get() + 1);
        Uuid::from_u128(self.uuids.get())
    }

    /// Resolves at the second poll, so that a future that is ready wins a race against it.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let (now, slept) = (self.now.clone(), self.slept.clone());
        async move {
            let mut is_polled = false;
            future::poll_fn(|context| {
                if std::mem::replace(&mut is_polled, true) {
                    return std::task::Poll::Ready(());
                }
                context.waker().wake_by_ref();
                std::task::Poll::Pending
            })
            .await;
            now.set(now.get() + duration.as_secs_f64() * 1000.0);
            slept.borrow_mut().push(duration);
        }
        .boxed_local()
    }
}
