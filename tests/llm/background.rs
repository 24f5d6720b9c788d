//! Background answers, on which the provider works without a connection: resumed after a lost connection, fetched by
//! their id, cancelled.

use crate::{
    calls::options,
    captured::shared,
    scripted_http::{Piece, Reply, ScriptedHost, ScriptedHttp},
};
use futures_executor::block_on;
use std::{cell::RefCell, rc::Rc, time::Duration};
use threadkeep::llm::{
    ApiMode, CallContext, Completion, Llm, LlmError, LlmFailure, LlmOptions,
    message::{Content, Message, Role},
    transport::HttpError,
};

const ID: &str = "resp_0123456789abcdef";

fn in_background() -> LlmOptions {
    LlmOptions {
        api_mode: Some(ApiMode::Responses),
        model: "openai/gpt-5".into(),
        background: Some(true),
        num_retries: Some(3),
        ..options()
    }
}

struct Outcome {
    result: Result<Completion, LlmError>,
    shown: String,
    /// The ids that `on_background` got, and the base URL of the model of each.
    ids: Vec<String>,
    base_urls: Vec<Option<String>>,
    http: Rc<ScriptedHttp>,
    slept: Vec<Duration>,
}

fn ask(options: LlmOptions, background_response: Option<&str>, replies: Vec<Reply>) -> Outcome {
    ask_with(options, Vec::new(), background_response, replies)
}

fn ask_with(
    options: LlmOptions,
    fallbacks: Vec<LlmOptions>,
    background_response: Option<&str>,
    replies: Vec<Reply>,
) -> Outcome {
    let http = ScriptedHttp::new(replies);
    let host = Rc::new(ScriptedHost::default());
    let model = |options| Llm::new(options, http.clone(), host.clone()).unwrap();
    let llm = Llm { fallbacks: fallbacks.into_iter().map(model).collect(), ..model(options) };
    let shown = RefCell::new(String::new());
    let started = Rc::new(RefCell::new(Vec::new()));
    let on_started = started.clone();
    let context = CallContext {
        background_response: background_response.map(|id| llm.started_response(id)),
        on_background: Some(Rc::new(move |llm, id| {
            on_started.borrow_mut().push((id.to_owned(), llm.options.base_url.clone()))
        })),
        ..CallContext::default()
    };
    let messages = [Message::new(Role::User, vec![Content::text("Hi")])];
    let show = |delta: threadkeep::llm::Delta| shown.borrow_mut().extend(delta.content);
    let result = block_on(llm.complete(&shared(&messages), &[], &context, &show));
    let (ids, base_urls) = started.borrow().iter().cloned().unzip();
    let slept = host.slept.borrow().clone();
    Outcome { result, shown: shown.into_inner(), ids, base_urls, http, slept }
}

fn event(number: u64, rest: &str) -> String {
    format!("{{\"sequence_number\":{number},{rest}}}")
}

fn created() -> String {
    event(0, &format!(r#""type":"response.created","response":{{"id":"{ID}","status":"queued"}}"#))
}

fn delta(number: u64, text: &str) -> String {
    event(number, &format!(r#""type":"response.output_text.delta","output_index":0,"delta":"{text}""#))
}

fn completed(number: u64, text: &str) -> String {
    let item = format!(r#"{{"type":"message","content":[{{"type":"output_text","text":"{text}"}}]}}"#);
    let response = format!(r#"{{"id":"{ID}","status":"completed","output":[{item}]}}"#);
    event(number, &format!(r#""type":"response.completed","response":{response}"#))
}

fn events(events: &[String], then: Option<Piece>) -> Reply {
    let mut pieces: Vec<Piece> =
        events.iter().map(|event| Piece::Bytes(format!("data: {event}\n\n").into_bytes())).collect();
    pieces.extend(then);
    Reply::Response(200, Vec::new(), pieces)
}

fn urls(http: &ScriptedHttp) -> Vec<String> {
    http.requests
        .borrow()
        .iter()
        .map(|request| request.url.replace("https://api.openai.com/v1", ""))
        .collect()
}

#[test]
fn an_interrupted_answer_resumes_after_its_last_event() {
    let breaks = || Some(Piece::Breaks(HttpError::Network("reset".into())));
    let outcome = ask(
        in_background(),
        None,
        vec![
            events(&[created(), delta(1, "Hel")], breaks()),
            Reply::Fails(HttpError::Offline),
            Reply::complete(503, ""),
            events(&[delta(2, "lo, ")], None),
            events(&[delta(3, "world"), completed(4, "Hello, world")], None),
        ],
    );
    assert_eq!(outcome.result.unwrap().message.text(), "Hello, world");
    assert_eq!((outcome.shown.as_str(), outcome.ids), ("Hello, world", vec![ID.to_owned()]));
    let rest = |event: u64| format!("/responses/{ID}?stream=true&starting_after={event}");
    assert_eq!(urls(&outcome.http), ["/responses".into(), rest(1), rest(1), rest(1), rest(2)]);
    assert_eq!(outcome.slept.len(), 4);
    let body = outcome.http.body(0);
    assert_eq!((&body["background"], &body["store"]), (&true.into(), &true.into()));
    assert!(outcome.http.requests.borrow()[1..].iter().all(|request| request.body.is_empty()));
    assert_eq!(outcome.http.header(4, "authorization").as_deref(), Some("Bearer sk-test-1234567890"));
}

#[test]
fn resuming_ends_with_an_error_after_num_retries_attempts() {
    let mut replies = vec![events(&[created(), delta(1, "Hel")], None)];
    replies.extend((0..3).map(|_| Reply::Fails(HttpError::Offline)));
    let outcome = ask(in_background(), None, replies);
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Offline);
    let empty = || events(&[], None);
    let outcome = ask(in_background(), None, vec![events(&[created()], None), empty(), empty(), empty()]);
    let waits: Vec<u64> = outcome.slept.iter().map(Duration::as_secs).collect();
    assert_eq!((outcome.http.count(), waits), (4, vec![1, 2, 4]));
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Network);
}

#[test]
fn a_failed_answer_is_not_requested_again() {
    let failed = event(
        1,
        r#""type":"response.failed","response":{"status":"failed","error":{"code":"invalid_request","message":"no"}}"#,
    );
    let outcome = ask(in_background(), None, vec![events(&[created(), failed], None)]);
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::BadRequest);
}

#[test]
fn an_answer_from_an_earlier_run_is_fetched_by_its_id() {
    let complete = || events(&[created(), delta(1, "All "), completed(2, "All of it")], None);
    let outcome = ask(in_background(), Some(ID), vec![complete()]);
    assert_eq!(
        (outcome.result.unwrap().message.text(), outcome.shown.as_str()),
        ("All of it".into(), "All of it")
    );
    assert_eq!(urls(&outcome.http), [format!("/responses/{ID}?stream=true")]);

    let gone = Reply::complete(404, r#"{"error":{"message":"Response not found."}}"#);
    let outcome = ask(in_background(), Some(ID), vec![gone, complete()]);
    assert!(outcome.result.is_ok());
    assert_eq!(urls(&outcome.http)[1], "/responses");

    let outcome = ask(LlmOptions { background: Some(false), ..in_background() }, Some(ID), vec![complete()]);
    assert_eq!((urls(&outcome.http), outcome.ids), (vec!["/responses".into()], vec![]));
}

/// The id is not sent to a fallback's server, and the id of a fallback's answer is stored with the fallback's base URL.
#[test]
fn the_id_of_an_answer_is_sent_only_to_the_server_that_gave_it() {
    let fallback = LlmOptions { base_url: Some("https://elsewhere.test/v1".into()), ..in_background() };
    let once = LlmOptions { num_retries: Some(1), ..in_background() };
    let from_fallback = || events(&[created(), completed(1, "From there")], None);
    for (background_response, failures) in
        [(Some("resp_ofthefirstserver"), vec![404, 503]), (None, vec![503])]
    {
        let mut replies: Vec<Reply> = failures.iter().map(|status| Reply::complete(*status, "")).collect();
        replies.push(from_fallback());
        let outcome = ask_with(once.clone(), vec![fallback.clone()], background_response, replies);
        assert_eq!(outcome.result.unwrap().message.text(), "From there");
        assert_eq!(urls(&outcome.http).last().unwrap(), "https://elsewhere.test/v1/responses");
        assert_eq!(outcome.ids, [ID]);
        assert_eq!(outcome.base_urls[0], fallback.base_url);
    }
}

#[test]
fn without_streaming_the_status_of_the_answer_is_polled() {
    let unfinished =
        |status: &str| Reply::complete(200, &format!(r#"{{"id":"{ID}","status":"{status}","output":[]}}"#));
    let done = r#"{"id":"resp_0123456789abcdef","status":"completed","output":[{"type":"message","content":"Done."}]}"#;
    let mut replies: Vec<Reply> = (0..9).map(|_| unfinished("queued")).collect();
    replies.extend([unfinished("in_progress"), Reply::complete(200, done)]);
    let outcome = ask(LlmOptions { stream: Some(false), ..in_background() }, None, replies);
    assert_eq!(outcome.result.unwrap().message.text(), "Done.");
    assert!(urls(&outcome.http)[1..].iter().all(|url| *url == format!("/responses/{ID}")));
}

#[test]
fn cancelling_an_answer_posts_to_its_cancel_url() {
    let http = ScriptedHttp::new(vec![Reply::complete(200, "{}")]);
    let llm = Llm::new(in_background(), http.clone(), Rc::new(ScriptedHost::default())).unwrap();
    assert_eq!(block_on(llm.cancel_answer(ID)), Ok(()));
    assert_eq!(
        (urls(&http), &*http.requests.borrow()[0].body),
        (vec![format!("/responses/{ID}/cancel")], "{}")
    );
}
