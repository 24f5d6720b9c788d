//! Failed calls: their class, their retries, and that no error message contains a secret.

use crate::{
    calls::{HELLO, Outcome, call, hello, options},
    scripted_http::{Piece, Reply},
};
use threadkeep::{
    error::{Error, ErrorCode},
    llm::{ApiKey, Delta, LlmFailure, LlmOptions, SecretString, transport::HttpError},
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
fn attempts_and_delays_equal_those_of_the_sdk() {
    let busy = || Reply::complete(503, "busy");
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
fn a_retry_after_header_lengthens_the_delay() {
    let limited = |value| Reply::complete(429, "slow down").with_header("retry-after", value);
    let outcome = call(
        options(),
        vec![limited("20"), limited("3600"), limited("Thu, 01 Jan 1970 00:02:34 GMT"), hello()],
    );
    assert!(outcome.result.is_ok());
    // The clock began at 0 and has slept 84 seconds before the date is read.
    assert_eq!(outcome.slept, [20, 64, 64]);
}

#[test]
fn permanent_failures_are_not_retried() {
    for (reply, expected) in [
        (Reply::complete(401, r#"{"error":{"message":"no"}}"#), LlmFailure::Auth),
        (Reply::complete(400, r#"{"error":{"code":"context_length_exceeded"}}"#), LlmFailure::ContextWindow),
        (Reply::complete(200, "<!doctype html><title>Welcome</title>"), LlmFailure::NotAnApi),
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
fn an_answer_that_was_partly_shown_is_not_retried() {
    let reset = || Piece::Breaks(HttpError::Network("reset".into()));
    let outcome = call(options(), vec![broken_after(&HELLO[..2], reset())]);
    assert_eq!((failure(&outcome), outcome.deltas.len(), outcome.http.count()), (LlmFailure::Network, 1, 1));
    let outcome = call(options(), vec![broken_after(&HELLO[..1], reset()), hello()]);
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.http.count(), 2);
}

const CALL: [&str; 3] = [
    r#"{"id":"chatcmpl-call0123456789abc","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}"#,
    r#"{"id":"chatcmpl-call0123456789abc","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}}]}"#,
    r#"{"id":"chatcmpl-call0123456789abc","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}]}"#,
];

#[test]
fn an_answer_of_which_only_calls_were_shown_is_repeated_and_they_begin_anew() {
    let reset = || Piece::Breaks(HttpError::Network("reset".into()));
    let outcome = call(options(), vec![broken_after(&CALL[..2], reset()), Reply::events(&CALL)]);
    assert_eq!(outcome.http.count(), 2);
    assert_eq!(outcome.result.unwrap().message.tool_calls.unwrap()[0].arguments, "{\"x\":1}");
    let pieces: Vec<Option<&str>> = outcome
        .deltas
        .iter()
        .map(|delta| delta.tool_calls.first().map(|call| call.arguments.as_str()))
        .collect();
    assert_eq!(pieces, [Some(""), Some("{\"x\""), None, Some(""), Some("{\"x\""), Some(":1}")]);
    assert_eq!(outcome.deltas[2], Delta::default());
}

#[test]
fn a_stream_without_a_proper_end_is_a_failure() {
    for events in [&HELLO[..2], &[HELLO[1], r#"{"choices":[{"del"#], &[HELLO[1], ""]] {
        let outcome = call(options(), vec![Reply::events(events)]);
        let error = outcome.result.unwrap_err();
        // An incomplete chunk before a proper end is invalid data, which fails as well.
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
fn the_advice_about_cors_is_given_only_for_servers_known_to_refuse_pages() {
    let message = |model: &str, base_url: Option<&str>| {
        let base_url = base_url.map(Into::into);
        let options = LlmOptions { model: model.into(), base_url, num_retries: Some(1), ..options() };
        let failed_fetch = || Reply::Fails(HttpError::Network("Failed to fetch".into()));
        call(options, vec![failed_fetch()]).result.unwrap_err().message
    };
    let refuses = "is known to refuse web pages: set baseUrl to a relay of yours, or give a fetch";
    assert!(message("deepseek/deepseek-chat", None).contains(refuses));
    for (model, base_url) in
        [("openai/gpt-4o", None), ("deepseek/deepseek-chat", Some("https://relay.example/v1"))]
    {
        assert!(!message(model, base_url).contains(refuses), "{}", message(model, base_url));
    }
    // A stream that breaks later passed the CORS check.
    let options = LlmOptions { model: "deepseek/deepseek-chat".into(), num_retries: Some(1), ..options() };
    let broken = broken_after(&HELLO[..2], Piece::Breaks(HttpError::Network("reset".into())));
    assert!(!call(options, vec![broken]).result.unwrap_err().message.contains("refuse"));
}

#[test]
fn silence_before_or_during_an_answer_is_a_timeout() {
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
fn an_error_object_inside_a_stream_fails_the_call() {
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
fn an_empty_answer_is_retried_with_a_higher_temperature() {
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
fn cache_marks_are_omitted_after_the_provider_refuses_them_as_too_small() {
    let claude = LlmOptions {
        model: "litellm_proxy/claude-sonnet-4-5".into(),
        base_url: Some("http://p".into()),
        ..options()
    };
    let refused = "The cached content is of 1171 tokens. The minimum token count to start caching is 4096.";
    let outcome = call(claude, vec![Reply::complete(400, refused), hello()]);
    assert!(outcome.result.is_ok());
    let marked = |at| outcome.http.body(at).to_string().contains("cache_control");
    assert_eq!((marked(0), marked(1), outcome.slept.len()), (true, false, 0));
}

#[test]
fn an_oversized_line_fails_the_call() {
    let line = format!("data: {}", "x".repeat(17 << 20));
    let reply = || Reply::Response(200, Vec::new(), vec![Piece::Bytes(line.clone().into_bytes())]);
    let outcome = call(LlmOptions { num_retries: Some(1), ..options() }, vec![reply()]);
    assert_eq!(failure(&outcome), LlmFailure::Unavailable);
}

#[test]
fn no_error_message_contains_a_secret() {
    const KEY: &str = "sk-planted-0123/456+789=";
    const OTHER: &str = "planted-header-value";
    let planted = format!("{KEY} and {OTHER}");
    let json = format!(
        r#"{{"error":{{"message":"{planted}","code":"{planted}","metadata":{{"raw":"{planted}"}}}}}}"#
    );
    let long = format!("{}{planted}", "x".repeat(590));
    let replies = [
        Reply::complete(401, &json),
        Reply::complete(400, &planted),
        Reply::complete(400, &json.replace('/', "\\/")),
        Reply::complete(
            400,
            &format!(
                r#"{{"failed":{{"url":"/?key={}"}}}}"#,
                KEY.replace('/', "%2F").replace('+', "%2B").replace('=', "%3D")
            ),
        ),
        Reply::complete(400, &format!(r#"{{"failed":{{"key":"{}"}}}}"#, KEY.replace('/', "\\/"))),
        Reply::complete(500, &long),
        Reply::complete(400, &format!(r#"{{"{KEY}":"{OTHER}"}}"#)),
        Reply::complete(404, &format!("<html>{planted}</html>")),
        Reply::complete(200, &format!("{{\"{planted}")),
        Reply::complete(200, &format!("[\"{planted}\"]")),
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
fn failures_have_stable_public_codes() {
    let code = |reply| {
        Error::from(call(LlmOptions { num_retries: Some(1), ..options() }, vec![reply]).result.unwrap_err())
            .code()
    };
    assert_eq!(code(Reply::complete(401, "")), ErrorCode::LlmAuth);
    assert_eq!(code(Reply::complete(429, "")), ErrorCode::LlmRateLimit);
    assert_eq!(code(Reply::complete(500, "")), ErrorCode::LlmUnavailable);
    assert_eq!(code(Reply::Fails(HttpError::Offline)), ErrorCode::Offline);
    assert_eq!(code(Reply::Fails(HttpError::Network("x".into()))), ErrorCode::Network);
    assert_eq!(code(Reply::Silent), ErrorCode::LlmTimeout);
}
