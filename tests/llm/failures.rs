//! What goes wrong, how often it is tried again, and that no message tells a secret.

use crate::{
    calls::{HELLO, Outcome, call, hello, options},
    scripted_http::{Piece, Reply},
};
use threadkeep::{
    error::{Error, ErrorCode},
    llm::{ApiKey, LlmFailure, LlmOptions, SecretString, transport::HttpError},
};

fn failure(outcome: &Outcome) -> LlmFailure {
    outcome.result.as_ref().unwrap_err().failure
}

fn broken_after(events: &[&str], end: Piece) -> Reply {
    let mut pieces: Vec<Piece> =
        events.iter().map(|event| Piece::Bytes(format!("data: {event}\n\n").into_bytes())).collect();
    pieces.push(end);
    Reply::Response(200, Vec::new(), pieces)
}

#[test]
fn attempts_and_waits_are_the_sdks() {
    let busy = || Reply::whole(503, "busy");
    let outcome = call(options(), (0..5).map(|_| busy()).collect());
    assert_eq!((failure(&outcome), outcome.http.count()), (LlmFailure::Unavailable, 5));
    assert_eq!(outcome.slept, [8, 16, 32, 64]);
    for num_retries in [Some(0), Some(1)] {
        let outcome = call(LlmOptions { num_retries, ..options() }, vec![busy()]);
        assert_eq!((outcome.http.count(), outcome.slept), (1, vec![]));
    }
    let outcome = call(options(), vec![busy(), Reply::Fails(HttpError::Offline), hello()]);
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.slept, [8, 16]);
}

#[test]
fn a_server_may_ask_for_more_time() {
    let limited = |value| Reply::whole(429, "slow down").with_header("retry-after", value);
    let outcome = call(
        options(),
        vec![limited("20"), limited("3600"), limited("Thu, 01 Jan 1970 00:02:34 GMT"), hello()],
    );
    assert!(outcome.result.is_ok());
    // The clock began at 0 and has slept 84 seconds before the date is read.
    assert_eq!(outcome.slept, [20, 64, 64]);
}

#[test]
fn what_cannot_succeed_is_not_tried_again() {
    for (reply, expected) in [
        (Reply::whole(401, r#"{"error":{"message":"no"}}"#), LlmFailure::Auth),
        (Reply::whole(400, r#"{"error":{"code":"context_length_exceeded"}}"#), LlmFailure::ContextWindow),
        (Reply::whole(200, "<!doctype html><title>Welcome</title>"), LlmFailure::NotAnApi),
        (Reply::Fails(HttpError::Invalid("header".into())), LlmFailure::InvalidOptions),
        (
            Reply::events(&[r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#]),
            LlmFailure::ContentPolicy,
        ),
    ] {
        let outcome = call(options(), vec![reply]);
        assert_eq!((failure(&outcome), outcome.http.count()), (expected, 1));
    }
}

#[test]
fn an_answer_that_was_shown_is_not_taken_back() {
    let reset = || Piece::Breaks(HttpError::Network("reset".into()));
    let outcome = call(options(), vec![broken_after(&HELLO[..2], reset())]);
    assert_eq!((failure(&outcome), outcome.deltas.len(), outcome.http.count()), (LlmFailure::Network, 1, 1));
    let outcome = call(options(), vec![broken_after(&HELLO[..1], reset()), hello()]);
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.http.count(), 2);
}

#[test]
fn a_stream_that_ends_early_was_cut_off() {
    for events in [&HELLO[..2], &[HELLO[1], r#"{"choices":[{"del"#], &[HELLO[1], ""]] {
        let outcome = call(options(), vec![Reply::events(events)]);
        let error = outcome.result.unwrap_err();
        // An unfinished chunk in front of a proper end is garbage, which is as fatal.
        assert!(matches!(error.failure, LlmFailure::Network | LlmFailure::Unavailable), "{error}");
    }
    let half = Piece::Bytes(format!("data: {}\n\ndata: {{\"cho", HELLO[1]).into_bytes());
    let outcome = call(options(), vec![Reply::Response(200, Vec::new(), vec![half])]);
    assert_eq!(failure(&outcome), LlmFailure::Network);
    let empty = || Reply::Response(200, Vec::new(), Vec::new());
    let outcome = call(options(), vec![empty(), hello()]);
    assert!(outcome.result.is_ok());
}

#[test]
fn a_server_that_refuses_pages_is_told_from_one_that_was_not_reached() {
    let message = |model: &str, base_url: Option<&str>| {
        let base_url = base_url.map(Into::into);
        let options = LlmOptions { model: model.into(), base_url, num_retries: Some(1), ..options() };
        let unreached = || Reply::Fails(HttpError::Network("Failed to fetch".into()));
        call(options, vec![unreached()]).result.unwrap_err().message
    };
    let refuses = "is known to refuse web pages: set baseUrl to a relay of yours, or give a fetch";
    assert!(message("deepseek/deepseek-chat", None).contains(refuses));
    for (model, base_url) in
        [("openai/gpt-4o", None), ("deepseek/deepseek-chat", Some("https://relay.example/v1"))]
    {
        assert!(!message(model, base_url).contains(refuses), "{}", message(model, base_url));
    }
    // What breaks later was let in.
    let options = LlmOptions { model: "deepseek/deepseek-chat".into(), num_retries: Some(1), ..options() };
    let broken = broken_after(&HELLO[..2], Piece::Breaks(HttpError::Network("reset".into())));
    assert!(!call(options, vec![broken]).result.unwrap_err().message.contains("refuse"));
}

#[test]
fn silence_is_a_timeout_before_the_answer_and_in_it() {
    let timeout = LlmOptions { timeout: Some(30.0), num_retries: Some(2), ..options() };
    let outcome = call(timeout.clone(), vec![Reply::Silent, Reply::Silent]);
    assert_eq!((failure(&outcome), outcome.slept), (LlmFailure::Timeout, vec![30, 8, 30]));
    let outcome = call(timeout, vec![broken_after(&HELLO[..2], Piece::Silence)]);
    let error = outcome.result.unwrap_err();
    assert_eq!((error.failure, outcome.slept), (LlmFailure::Timeout, vec![30]));
    assert!(error.message.contains("api.openai.com was silent for 30 seconds"), "{error}");
    assert_eq!(outcome.http.aborted.get(), 1);
}

#[test]
fn an_error_inside_the_stream_is_an_error() {
    let overloaded = r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#;
    let limited = r#"{"id":"x","choices":[{"error":{"code":429,"message":"rate limited"},"delta":{}}]}"#;
    let outcome = call(options(), vec![Reply::events(&[overloaded]), Reply::events(&[limited]), hello()]);
    assert!(outcome.result.is_ok());
    let event = |data: &str| {
        Reply::Response(
            200,
            Vec::new(),
            vec![Piece::Bytes(format!("event: error\ndata: {data}\n\n").into_bytes())],
        )
    };
    for (data, expected) in
        [(r#"{"message":"rate limit"}"#, LlmFailure::RateLimit), ("overloaded", LlmFailure::Unavailable)]
    {
        let outcome = call(LlmOptions { num_retries: Some(1), ..options() }, vec![event(data)]);
        assert_eq!(failure(&outcome), expected);
    }
    let ended_badly = r#"{"choices":[{"delta":{"content":"half"},"finish_reason":"error"}]}"#;
    assert_eq!(failure(&call(options(), vec![Reply::events(&[ended_badly])])), LlmFailure::Unavailable);
    let outcome = call(options(), vec![Reply::events(&[HELLO[1], limited])]);
    let error = outcome.result.unwrap_err();
    assert_eq!((error.failure, error.status), (LlmFailure::RateLimit, Some(429)));
}

#[test]
fn an_empty_answer_is_tried_again_warmer() {
    let empty = || Reply::events(&[r#"{"id":"x","choices":[]}"#, "[DONE]"]);
    let cold = LlmOptions { temperature: Some(0.0), ..options() };
    let outcome = call(cold, vec![empty(), empty(), hello()]);
    assert!(outcome.result.is_ok());
    let temperatures: Vec<_> =
        (0..3).map(|at| outcome.http.body(at)["temperature"].as_f64().unwrap()).collect();
    assert_eq!(temperatures, [0.0, 1.0, 1.0]);
    let outcome = call(LlmOptions { num_retries: Some(1), ..options() }, vec![empty()]);
    assert_eq!(outcome.result.unwrap_err().sdk_class(), "LLMNoResponseError");
}

#[test]
fn marks_that_a_provider_finds_too_small_are_left_out() {
    let claude = LlmOptions {
        model: "litellm_proxy/claude-sonnet-4-5".into(),
        base_url: Some("http://p".into()),
        ..options()
    };
    let refused = "The cached content is of 1171 tokens. The minimum token count to start caching is 4096.";
    let outcome = call(claude, vec![Reply::whole(400, refused), hello()]);
    assert!(outcome.result.is_ok());
    let marked = |at| outcome.http.body(at).to_string().contains("cache_control");
    assert_eq!((marked(0), marked(1), outcome.slept.len()), (true, false, 0));
}

#[test]
fn endless_answers_are_given_up() {
    let line = format!("data: {}", "x".repeat(17 << 20));
    let reply = || Reply::Response(200, Vec::new(), vec![Piece::Bytes(line.clone().into_bytes())]);
    let outcome = call(LlmOptions { num_retries: Some(1), ..options() }, vec![reply()]);
    assert_eq!(failure(&outcome), LlmFailure::Unavailable);
}

#[test]
fn no_message_tells_a_secret() {
    const KEY: &str = "sk-planted-0123/456+789=";
    const OTHER: &str = "planted-header-value";
    let planted = format!("{KEY} and {OTHER}");
    let json = format!(
        r#"{{"error":{{"message":"{planted}","code":"{planted}","metadata":{{"raw":"{planted}"}}}}}}"#
    );
    let long = format!("{}{planted}", "x".repeat(590));
    let replies = [
        Reply::whole(401, &json),
        Reply::whole(400, &planted),
        Reply::whole(400, &json.replace('/', "\\/")),
        Reply::whole(
            400,
            &format!(
                r#"{{"failed":{{"url":"/?key={}"}}}}"#,
                KEY.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D")
            ),
        ),
        Reply::whole(400, &format!(r#"{{"failed":{{"key":"{}"}}}}"#, KEY.replace('/', "\\/"))),
        Reply::whole(500, &long),
        Reply::whole(400, &format!(r#"{{"{KEY}":"{OTHER}"}}"#)),
        Reply::whole(404, &format!("<html>{planted}</html>")),
        Reply::whole(200, &format!("{{\"{planted}")),
        Reply::whole(200, &format!("[\"{planted}\"]")),
        Reply::events(&[&json]),
        Reply::events(&[&planted]),
        Reply::Fails(HttpError::Network(planted.clone())),
        Reply::Fails(HttpError::Invalid(planted.clone())),
        broken_after(&[], Piece::Breaks(HttpError::Network(planted.clone()))),
    ];
    for reply in replies {
        let options = LlmOptions {
            api_key: ApiKey::Value(SecretString::new(KEY)),
            headers: vec![("x-auth".into(), format!("Token {OTHER}"))],
            base_url: Some(format!("https://host/v1?key={KEY}")),
            num_retries: Some(1),
            ..options()
        };
        let shown = format!("{options:?}");
        assert!(!shown.contains(r#"api_key: sk"#), "{shown}");
        let error = call(options, vec![reply]).result.unwrap_err();
        let everything = format!("{error:?} {error} {:?}", Error::from(error.clone()));
        assert!(!everything.contains("planted-"), "{everything}");
    }
}

#[test]
fn a_key_in_the_base_url_is_refused_and_not_shown() {
    for base_url in ["https://user:sk-planted@host/v1", "https://host:sk-planted/"] {
        let error =
            call(LlmOptions { base_url: Some(base_url.into()), ..options() }, Vec::new()).result.unwrap_err();
        assert_eq!(error.failure, LlmFailure::InvalidOptions);
        assert!(!error.message.contains("planted"), "{error}");
    }
}

#[test]
fn public_codes_are_stable() {
    let code = |reply| {
        Error::from(call(LlmOptions { num_retries: Some(1), ..options() }, vec![reply]).result.unwrap_err())
            .code()
    };
    assert_eq!(code(Reply::whole(401, "")), ErrorCode::LlmAuth);
    assert_eq!(code(Reply::whole(429, "")), ErrorCode::LlmRateLimit);
    assert_eq!(code(Reply::whole(500, "")), ErrorCode::LlmUnavailable);
    assert_eq!(code(Reply::Fails(HttpError::Offline)), ErrorCode::Offline);
    assert_eq!(code(Reply::Fails(HttpError::Network("x".into()))), ErrorCode::Network);
    assert_eq!(code(Reply::Silent), ErrorCode::LlmTimeout);
}
