//! Waiting for the network: what who waits is told, and what is asked again afterwards.

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
    asked: usize,
    /// Attempt, seconds, why, whether a part was shown, whether nobody else can answer.
    waits: Vec<(u32, u64, LlmFailure, bool, bool)>,
    urls: Vec<String>,
}

/// Asks a model, with a fallback or without, and waits as long as `goes_on` says.
fn ask(
    options: LlmOptions,
    replies: Vec<Reply>,
    has_fallback: bool,
    goes_on: impl Fn(&Wait<'_>) -> bool + 'static,
) -> Outcome {
    let waits: Rc<RefCell<Vec<_>>> = Rc::default();
    let urls: Rc<RefCell<Vec<String>>> = Rc::default();
    let (told, addresses) = (waits.clone(), urls.clone());
    let mut http = Rc::into_inner(ScriptedHttp::new(replies)).unwrap();
    http.patience = Some(Box::new(move |wait| {
        let failure = wait.error.failure;
        told.borrow_mut().push((wait.attempt, wait.delay.as_secs(), failure, wait.is_shown, wait.is_last));
        addresses.borrow_mut().push(wait.url.clone());
        goes_on(wait)
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
    assert!(host.slept.borrow().is_empty(), "who waits looks at the clock himself");
    Outcome { result, shown: shown.take(), asked: http.count(), waits: waits.take(), urls: urls.take() }
}

fn lost() -> HttpError {
    HttpError::Network("reset".into())
}

/// A stream that shows something and breaks.
fn broken(end: Piece) -> Reply {
    let mut pieces: Vec<Piece> =
        HELLO[..2].iter().map(|event| Piece::Bytes(format!("data: {event}\n\n").into_bytes())).collect();
    pieces.push(end);
    Reply::Response(200, Vec::new(), pieces)
}

#[test]
fn who_waits_is_told_how_often_how_long_why_and_where() {
    let replies = vec![
        Reply::whole(429, "slow down").with_header("retry-after", "20"),
        Reply::whole(503, "busy"),
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
fn it_is_asked_no_more_often_than_without_waiting() {
    let replies = (0..5).map(|_| Reply::Fails(lost())).collect();
    let outcome = ask(options(), replies, false, |_| true);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.asked), (LlmFailure::Network, 5));
    let once = LlmOptions { num_retries: Some(1), ..options() };
    let outcome = ask(once, vec![Reply::Fails(lost())], false, |_| true);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.asked), (LlmFailure::Network, 1));
}

#[test]
fn who_no_longer_waits_gets_the_error() {
    let is_first = Cell::new(true);
    let goes_on = move |_: &Wait<'_>| is_first.replace(false);
    let outcome = ask(options(), vec![Reply::Fails(lost()), Reply::Fails(lost())], false, goes_on);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.asked), (LlmFailure::Network, 2));
}

#[test]
fn an_answer_that_the_network_cut_off_begins_anew() {
    let outcome = ask(options(), vec![broken(Piece::Breaks(lost())), hello()], false, |_| true);
    assert_eq!(outcome.result.unwrap().message.text(), "Hello");
    assert_eq!(outcome.waits, [(1, 8, LlmFailure::Network, true, true)]);
    let void = outcome.shown.iter().position(|delta| *delta == Delta::default()).unwrap();
    let whole: String = outcome.shown[void..].iter().filter_map(|delta| delta.content.clone()).collect();
    assert!(void > 0, "a part was shown before");
    assert_eq!(whole, "Hello");
}

#[test]
fn what_was_shown_stays_if_who_waits_says_so_or_the_network_is_not_to_blame() {
    let outcome = ask(options(), vec![broken(Piece::Breaks(lost()))], false, |wait| !wait.is_shown);
    assert_eq!((outcome.result.unwrap_err().failure, outcome.asked), (LlmFailure::Network, 1));
    let error = Piece::Bytes(b"event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n".to_vec());
    let outcome = ask(options(), vec![broken(error)], false, |_| true);
    assert_eq!((outcome.result.is_err(), outcome.waits.len(), outcome.asked), (true, 0, 1));
}

#[test]
fn a_model_that_another_one_can_stand_in_for_is_not_the_last() {
    let twice = || LlmOptions { num_retries: Some(2), ..options() };
    let replies = || vec![Reply::Fails(lost()), Reply::Fails(lost()), Reply::Fails(lost()), hello()];
    let outcome = ask(twice(), replies(), true, |_| true);
    assert!(outcome.result.is_ok());
    let is_last: Vec<bool> = outcome.waits.iter().map(|wait| wait.4).collect();
    assert_eq!(is_last, [false, true]);
    // After this failure no fallback is asked.
    let outcome = ask(twice(), vec![Reply::Fails(HttpError::Offline), hello()], true, |_| true);
    assert_eq!((outcome.result.is_ok(), outcome.waits[0].4), (true, true));
}
