//! Answers that the provider works on by itself: gone on with after a lost connection, picked up by their id, stopped.

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

struct Heard {
    result: Result<Completion, LlmError>,
    shown: String,
    told: Vec<String>,
    tellers: Vec<Option<String>>,
    http: Rc<ScriptedHttp>,
    slept: Vec<Duration>,
}

fn hear(options: LlmOptions, background_response: Option<&str>, replies: Vec<Reply>) -> Heard {
    hear_with(options, Vec::new(), background_response, replies)
}

fn hear_with(
    options: LlmOptions,
    fallbacks: Vec<LlmOptions>,
    background_response: Option<&str>,
    replies: Vec<Reply>,
) -> Heard {
    let http = ScriptedHttp::new(replies);
    let host = Rc::new(ScriptedHost::default());
    let model = |options| Llm::new(options, http.clone(), host.clone()).unwrap();
    let llm = Llm { fallbacks: fallbacks.into_iter().map(model).collect(), ..model(options) };
    let shown = RefCell::new(String::new());
    let told = Rc::new(RefCell::new(Vec::new()));
    let tell = told.clone();
    let context = CallContext {
        background_response: background_response.map(|id| llm.started_response(id)),
        on_background: Some(Rc::new(move |llm, id| {
            tell.borrow_mut().push((id.to_owned(), llm.options.base_url.clone()))
        })),
        ..CallContext::default()
    };
    let messages = [Message::new(Role::User, vec![Content::text("Hi")])];
    let show = |delta: threadkeep::llm::Delta| shown.borrow_mut().extend(delta.content);
    let result = block_on(llm.complete(&shared(&messages), &[], &context, &show));
    let (told, tellers) = told.borrow().iter().cloned().unzip();
    let slept = host.slept.borrow().clone();
    Heard { result, shown: shown.into_inner(), told, tellers, http, slept }
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
fn a_lost_connection_loses_nothing() {
    let breaks = || Some(Piece::Breaks(HttpError::Network("reset".into())));
    let heard = hear(
        in_background(),
        None,
        vec![
            events(&[created(), delta(1, "Hel")], breaks()),
            Reply::Fails(HttpError::Offline),
            Reply::whole(503, ""),
            events(&[delta(2, "lo, ")], None),
            events(&[delta(3, "world"), completed(4, "Hello, world")], None),
        ],
    );
    assert_eq!(heard.result.unwrap().message.text(), "Hello, world");
    assert_eq!((heard.shown.as_str(), heard.told), ("Hello, world", vec![ID.to_owned()]));
    let rest = |event: u64| format!("/responses/{ID}?stream=true&starting_after={event}");
    assert_eq!(urls(&heard.http), ["/responses".into(), rest(1), rest(1), rest(1), rest(2)]);
    assert_eq!(heard.slept.len(), 4);
    let body = heard.http.body(0);
    assert_eq!((&body["background"], &body["store"]), (&true.into(), &true.into()));
    assert!(heard.http.requests.borrow()[1..].iter().all(|request| request.body.is_empty()));
    assert_eq!(heard.http.header(4, "authorization").as_deref(), Some("Bearer sk-test-1234567890"));
}

#[test]
fn who_is_not_heard_of_again_is_given_up() {
    let mut replies = vec![events(&[created(), delta(1, "Hel")], None)];
    replies.extend((0..3).map(|_| Reply::Fails(HttpError::Offline)));
    let heard = hear(in_background(), None, replies);
    assert_eq!(heard.result.unwrap_err().failure, LlmFailure::Offline);
    let empty = || events(&[], None);
    let heard = hear(in_background(), None, vec![events(&[created()], None), empty(), empty(), empty()]);
    let waits: Vec<u64> = heard.slept.iter().map(Duration::as_secs).collect();
    assert_eq!((heard.http.count(), waits), (4, vec![1, 2, 4]));
    assert_eq!(heard.result.unwrap_err().failure, LlmFailure::Network);
}

#[test]
fn an_answer_that_failed_is_not_asked_for_again() {
    let failed = event(
        1,
        r#""type":"response.failed","response":{"status":"failed","error":{"code":"invalid_request","message":"no"}}"#,
    );
    let heard = hear(in_background(), None, vec![events(&[created(), failed], None)]);
    assert_eq!(heard.result.unwrap_err().failure, LlmFailure::BadRequest);
}

#[test]
fn an_answer_is_picked_up_by_its_id() {
    let whole = || events(&[created(), delta(1, "All "), completed(2, "All of it")], None);
    let heard = hear(in_background(), Some(ID), vec![whole()]);
    assert_eq!(
        (heard.result.unwrap().message.text(), heard.shown.as_str()),
        ("All of it".into(), "All of it")
    );
    assert_eq!(urls(&heard.http), [format!("/responses/{ID}?stream=true")]);

    let gone = Reply::whole(404, r#"{"error":{"message":"Response not found."}}"#);
    let heard = hear(in_background(), Some(ID), vec![gone, whole()]);
    assert!(heard.result.is_ok());
    assert_eq!(urls(&heard.http)[1], "/responses");

    let heard = hear(LlmOptions { background: Some(false), ..in_background() }, Some(ID), vec![whole()]);
    assert_eq!((urls(&heard.http), heard.told), (vec!["/responses".into()], vec![]));
}

/// Another server is not told of it, and what that one keeps is not taken for the first one's.
#[test]
fn an_id_stays_between_a_model_and_its_server() {
    let elsewhere = LlmOptions { base_url: Some("https://elsewhere.test/v1".into()), ..in_background() };
    let once = LlmOptions { num_retries: Some(1), ..in_background() };
    let there = || events(&[created(), completed(1, "From there")], None);
    for (background_response, failures) in
        [(Some("resp_ofthefirstserver"), vec![404, 503]), (None, vec![503])]
    {
        let mut replies: Vec<Reply> = failures.iter().map(|status| Reply::whole(*status, "")).collect();
        replies.push(there());
        let heard = hear_with(once.clone(), vec![elsewhere.clone()], background_response, replies);
        assert_eq!(heard.result.unwrap().message.text(), "From there");
        assert_eq!(urls(&heard.http).last().unwrap(), "https://elsewhere.test/v1/responses");
        assert_eq!(heard.told, [ID]);
        assert_eq!(heard.tellers[0], elsewhere.base_url);
    }
}

#[test]
fn without_a_stream_it_is_asked_whether_it_is_done() {
    let still =
        |status: &str| Reply::whole(200, &format!(r#"{{"id":"{ID}","status":"{status}","output":[]}}"#));
    let done = r#"{"id":"resp_0123456789abcdef","status":"completed","output":[{"type":"message","content":"Done."}]}"#;
    let mut replies: Vec<Reply> = (0..9).map(|_| still("queued")).collect();
    replies.extend([still("in_progress"), Reply::whole(200, done)]);
    let heard = hear(LlmOptions { stream: Some(false), ..in_background() }, None, replies);
    assert_eq!(heard.result.unwrap().message.text(), "Done.");
    assert!(urls(&heard.http)[1..].iter().all(|url| *url == format!("/responses/{ID}")));
}

#[test]
fn an_answer_that_nobody_waits_for_is_stopped() {
    let http = ScriptedHttp::new(vec![Reply::whole(200, "{}")]);
    let llm = Llm::new(in_background(), http.clone(), Rc::new(ScriptedHost::default())).unwrap();
    assert_eq!(block_on(llm.cancel_answer(ID)), Ok(()));
    assert_eq!(
        (urls(&http), &*http.requests.borrow()[0].body),
        (vec![format!("/responses/{ID}/cancel")], "{}")
    );
}
