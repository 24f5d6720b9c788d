//! `HttpClient::wait`: what it gets, and the requests that follow it.

use crate::{
    calls::{HELLO, hello, options},
    scripted_http::{Piece, Reply, ScriptedHost, ScriptedHttp},
};
use futures_executor::block_on;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::llm::{
    CallContext, Completion, Delta, Llm, LlmError, LlmFailure, LlmOptions,
    message::{Content, Message, Role},
    transport::{HttpError, Wait},
};

struct Outcome {
    result: Result<Completion, LlmError>,
    shown: Vec<Delta>,
    requests: usize,
    /// Attempt, delay in seconds, failure, whether a part of the answer was shown, whether no other model can answer.
    waits: Vec<(u32, u64, LlmFailure, bool, bool)>,
    urls: Vec<String>,
}

/// Calls a model with or without a fallback, and tries again as long as `try_again` returns true.
fn ask(
    options: LlmOptions,
    replies: Vec<Reply>,
    has_fallback: bool,
    try_again: impl Fn(&Wait<'_>) -> bool + 'static,
) -> Outcome {
    let waits: Rc<RefCell<Vec<_>>> = Rc::default();
    let urls: Rc<RefCell<Vec<String>>> = Rc::default();
    let (all_waits, all_urls) = (waits.clone(), urls.clone());
    let mut http = Rc::into_inner(ScriptedHttp::new(replies)).unwrap();
    http.on_wait = Some(Box::new(move |wait| {
        let failure = wait.error.failure;
        all_waits.borrow_mut().push((
            wait.attempt,
            wait.delay.as_secs(),
            failure,
            wait.is_shown,
            wait.is_last,
        ));
        all_urls.borrow_mut().push(wait.url.clone());
        try_again(wait)
    }));
    let http = Rc::new(http);
    let host = Rc::new(ScriptedHost::default());
    let mut llm = Llm::new(options.clone(), http.clone(), host.clone()).unwrap();
    if has_fallback {
        llm.fallbacks.push(Llm::new(options, http.clone(), host.clone()).unwrap());
    }
    let shown = RefCell::new(Vec::new());
    let messages = [Rc::new(Message::new(Role::User, vec![Content::text("Hi")]))];
    let show = |delta| shown.borrow_mut().push(delta);
    let result = block_on(llm.complete(&messages, &[], &CallContext::default(), &show));
    assert!(host.slept.borrow().is_empty(), "the core does not sleep if the client waits");
    Outcome { result, shown: shown.take(), requests: http.count(), waits: waits.take(), urls: urls.take() }
}

fn lost() -> HttpError {
    HttpError::Network("reset".into())
}

/// A stream whose first part is shown and which then ends with `end`.
fn broken(end: Piece) -> Reply {
    let mut pieces: Vec<Piece> =
        HELLO[..2].iter().map(|event| Piece::Bytes(format!("data: {event}\n\n").into_bytes())).collect();
    pieces.push(end);
    Reply::Response(200, Vec::new(), pieces)
}

#[test]
fn on_wait_reports_attempt_delay_reason_and_url() {
    let replies = vec![
        Reply::complete(429, "slow down").with_header("retry-after", "20"),
        Reply::complete(503, "busy"),
        Reply::Fails(lost()),
        Reply::Fails(HttpError::Offline),
        hello(),
    ];
    let outcome = ask(options(), replies, false, |_| true);
    assert!(outcome.result.is_ok());
    assert_eq!(
        outcome.waits,
        [
            (1, 20, LlmFailure::RateLimit, false, true),
            (2, 16, LlmFailure::Unavailable, false, true),
            (3, 32, LlmFailure::Network, false, true),
            (4, 64, LlmFailure::Offline, false, true),
        ]
    );
    assert!(
        outcome.urls[0].starts_with("http") && outcome.urls[0].ends_with("/v1/models"),
        "{:?}",
        outcome.urls
    );
}

#[test]
fn waiting_does_not_increase_the_number_of_attempts() {
    let replies = (0..5).map(|_| Reply::Fails(lost())).collect();
    let outcome = ask(options(), replies, false, |_| true);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.requests), (LlmFailure::Network, 5));
    let once = LlmOptions { num_retries: Some(1), ..options() };
    let outcome = ask(once, vec![Reply::Fails(lost())], false, |_| true);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.requests), (LlmFailure::Network, 1));
}

#[test]
fn the_error_is_returned_once_on_wait_returns_false() {
    let is_first = Cell::new(true);
    let try_again = move |_: &Wait<'_>| is_first.replace(false);
    let outcome = ask(options(), vec![Reply::Fails(lost()), Reply::Fails(lost())], false, try_again);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.requests), (LlmFailure::Network, 2));
}

#[test]
fn an_answer_that_the_network_interrupted_is_discarded_and_requested_again() {
    let outcome = ask(options(), vec![broken(Piece::Breaks(lost())), hello()], false, |_| true);
    assert_eq!(outcome.result.unwrap().message.text(), "Hello");
    assert_eq!(outcome.waits, [(1, 8, LlmFailure::Network, true, true)]);
    let reset = outcome.shown.iter().position(|delta| *delta == Delta::default()).unwrap();
    let second: String = outcome.shown[reset..].iter().filter_map(|delta| delta.content.clone()).collect();
    assert!(reset > 0, "a part was shown before");
    assert_eq!(second, "Hello");
}

#[test]
fn a_shown_answer_is_not_repeated_if_on_wait_refuses_or_the_server_failed() {
    let outcome = ask(options(), vec![broken(Piece::Breaks(lost()))], false, |wait| !wait.is_shown);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.requests), (LlmFailure::Network, 1));
    let error = Piece::Bytes(b"event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n".to_vec());
    let outcome = ask(options(), vec![broken(error)], false, |_| true);
    assert_eq!((outcome.result.is_err(), outcome.waits.len(), outcome.requests), (true, 0, 1));
}

#[test]
fn is_last_is_false_if_a_fallback_can_answer() {
    let twice = || LlmOptions { num_retries: Some(2), ..options() };
    let replies = || vec![Reply::Fails(lost()), Reply::Fails(lost()), Reply::Fails(lost()), hello()];
    let outcome = ask(twice(), replies(), true, |_| true);
    assert!(outcome.result.is_ok());
    let is_last: Vec<bool> = outcome.waits.iter().map(|wait| wait.4).collect();
    assert_eq!(is_last, [false, true]);
    // This failure leads to no fallback.
    let outcome = ask(twice(), vec![Reply::Fails(HttpError::Offline), hello()], true, |_| true);
    assert_eq!((outcome.result.is_ok(), outcome.waits[0].4), (true, true));
}

/// Calls a model whose server answers requests of every page but refuses those of `refused_origin`; empty if it is down.
fn ask_refusing(options: LlmOptions, replies: Vec<Reply>, refused_origin: &'static str) -> Outcome {
    let waits: Rc<RefCell<Vec<_>>> = Rc::default();
    let all_waits = waits.clone();
    let mut http = Rc::into_inner(ScriptedHttp::new(replies)).unwrap();
    http.refused_origin = refused_origin;
    http.on_wait = Some(Box::new(move |wait| {
        let failure = wait.error.failure;
        all_waits.borrow_mut().push((wait.attempt, 0, failure, wait.is_shown, wait.is_down));
        true
    }));
    let http = Rc::new(http);
    let llm = Llm::new(options, http.clone(), Rc::new(ScriptedHost::default())).unwrap();
    let messages = [Rc::new(Message::new(Role::User, vec![Content::text("Hi")]))];
    let result = block_on(llm.complete(&messages, &[], &CallContext::default(), &|_| ()));
    Outcome { result, shown: Vec::new(), requests: http.count(), waits: waits.take(), urls: Vec::new() }
}

#[test]
fn a_server_that_answers_but_refuses_the_page_ends_the_call_without_a_wait() {
    let outcome =
        ask_refusing(options(), vec![Reply::Fails(lost()), Reply::Fails(lost())], "http://page.example");
    let error = outcome.result.unwrap_err();
    assert_eq!((error.failure, outcome.requests, outcome.waits), (LlmFailure::Cors, 2, vec![]));
    assert_eq!(
        error.message,
        "the server answers, but does not allow requests from web pages (CORS): api.openai.com refuses \
         http://page.example; let it allow this page, or set baseUrl to a relay of yours"
    );
    let ollama = LlmOptions { model: "ollama/qwen3".into(), num_retries: Some(1), ..options() };
    let outcome = ask_refusing(ollama, vec![Reply::Fails(lost())], "http://page.example");
    let error = outcome.result.unwrap_err();
    assert_eq!((error.failure, outcome.requests), (LlmFailure::Cors, 1), "the options allow one attempt");
    assert!(error.message.contains("OLLAMA_ORIGINS"), "{}", error.message);
}

#[test]
fn a_connection_that_breaks_once_is_tried_again_at_once_if_the_server_answers() {
    let outcome = ask_refusing(options(), vec![Reply::Fails(lost()), hello()], "http://page.example");
    assert_eq!((outcome.result.is_ok(), outcome.requests, outcome.waits), (true, 2, vec![]));
}

#[test]
fn a_server_that_has_answered_the_page_once_does_not_refuse_it() {
    let replies = vec![
        Reply::complete(503, "busy"),
        Reply::Fails(lost()),
        Reply::Fails(lost()),
        Reply::Fails(lost()),
        hello(),
    ];
    let outcome = ask_refusing(options(), replies, "http://page.example");
    assert!(outcome.result.is_ok());
    let failures: Vec<LlmFailure> = outcome.waits.iter().map(|wait| wait.2).collect();
    let network = LlmFailure::Network;
    assert_eq!(failures, [LlmFailure::Unavailable, network, network, network]);
}

#[test]
fn a_server_that_is_down_is_waited_for() {
    let outcome = ask_refusing(options(), vec![Reply::Fails(lost()), hello()], "");
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.waits, [(1, 0, LlmFailure::Network, false, true)], "it is known to be down");
}
