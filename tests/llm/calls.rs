//! One call of a model, from its options to the complete message.

use crate::{
    captured::shared,
    models,
    scripted_http::{Piece, Reply, ScriptedHost, ScriptedHttp},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use std::{cell::RefCell, rc::Rc, time::Duration};
use threadkeep::llm::{
    ApiKey, CallContext, Completion, Delta, Llm, LlmError, LlmFailure, LlmOptions, SecretString, ToolSchema,
    message::{Content, Message, Role},
    metrics::Usage,
    transport::HttpError,
};

pub struct Outcome {
    pub result: Result<Completion, LlmError>,
    pub deltas: Vec<Delta>,
    pub http: Rc<ScriptedHttp>,
    pub slept: Vec<u64>,
}

pub fn call(options: LlmOptions, replies: Vec<Reply>) -> Outcome {
    call_with(options, &[Message::new(Role::User, vec![Content::text("Hi")])], replies)
}

pub fn call_with(options: LlmOptions, messages: &[Message], replies: Vec<Reply>) -> Outcome {
    let http = ScriptedHttp::new(replies);
    let host = Rc::new(ScriptedHost::default());
    let llm = Llm {
        options,
        http: http.clone(),
        host: host.clone(),
        load_file: None,
        fallbacks: Vec::new(),
        fallback_on: Vec::new(),
        has_answered: Rc::default(),
    };
    let deltas = RefCell::new(Vec::new());
    let context = CallContext { conversation_id: Some("c-1".into()), ..CallContext::default() };
    let tools = [ToolSchema {
        name: "f".into(),
        description: "d".into(),
        parameters: "{\"type\":\"object\"}".into(),
    }];
    let on_delta = |delta| deltas.borrow_mut().push(delta);
    let result = block_on(llm.complete(&shared(messages), &tools, &context, &on_delta));
    let slept = host.slept.borrow().iter().map(Duration::as_secs).collect();
    Outcome { result, deltas: deltas.into_inner(), http, slept }
}

pub fn options() -> LlmOptions {
    LlmOptions {
        api_key: ApiKey::Value(SecretString::new("sk-test-1234567890")),
        model_data: models::data(),
        ..LlmOptions::new("openai/gpt-4o")
    }
}

pub const HELLO: [&str; 4] = [
    r#"{"id":"chatcmpl-hello0123456789ab","model":"gpt-4o-x","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
    r#"{"id":"chatcmpl-hello0123456789ab","choices":[{"index":0,"delta":{"content":"Hel"}}]}"#,
    r#"{"id":"chatcmpl-hello0123456789ab","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}"#,
    r#"{"id":"chatcmpl-hello0123456789ab","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2}}"#,
];

pub fn hello() -> Reply {
    Reply::events(&[&HELLO[..], &["[DONE]"]].concat())
}

fn content(text: &str) -> Delta {
    Delta { content: Some(text.into()), ..Delta::default() }
}

#[test]
fn an_answer_is_streamed_in_pieces_and_returned_complete() {
    let priced =
        LlmOptions { input_cost_per_token: Some(0.5), output_cost_per_token: Some(0.25), ..options() };
    let outcome = call(priced, vec![hello()]);
    assert_eq!(outcome.deltas, [content("Hel"), content("lo")]);
    let expected = Completion {
        response_id: "chatcmpl-hello0123456789ab".into(),
        message: Message::new(Role::Assistant, vec![Content::text("Hello")]),
        finish_reason: Some("stop".into()),
        usage: Some(Usage { prompt_tokens: 10, completion_tokens: 2, ..Usage::default() }),
        latency: 0.0,
        model: "openai/gpt-4o".into(),
        cost: Some(5.5),
        context_window: 128_000,
    };
    assert_eq!(outcome.result.unwrap(), expected);
    let http = outcome.http;
    assert_eq!(http.requests.borrow()[0].url, "https://api.openai.com/v1/chat/completions");
    assert_eq!(http.header(0, "authorization").as_deref(), Some("Bearer sk-test-1234567890"));
    assert_eq!(http.body(0)["prompt_cache_key"], "c-1");
    assert_eq!(http.body(0)["tools"][0]["function"]["parameters"]["type"], "object");
}

#[test]
fn missing_ids_are_generated() {
    let events = [
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    ];
    let completion = call(options(), vec![Reply::events(&events)]).result.unwrap();
    let calls = completion.message.tool_calls.unwrap();
    assert_eq!(calls[0].id, "call_00000000000000000000000000000001");
    assert_eq!(completion.response_id, "chatcmpl-00000000000000000000000000000002");
}

#[test]
fn a_response_id_that_may_repeat_is_made_unique() {
    let answer =
        |id| Reply::complete(200, &format!(r#"{{"id":"{id}","choices":[{{"message":{{"content":"a"}}}}]}}"#));
    let id = |id| call(options(), vec![answer(id)]).result.unwrap().response_id;
    assert_eq!(id("chatcmpl-123"), "chatcmpl-123-00000000000000000000000000000001");
    assert_eq!(id("1"), "1-00000000000000000000000000000001");
    assert_eq!(id("gen-1769850000-aBcDeFgHiJkL"), "gen-1769850000-aBcDeFgHiJkL");
}

#[test]
fn a_single_json_object_is_accepted_as_an_answer() {
    let body = r#" {"id":"r","choices":[{"message":{"role":"assistant","content":"Hi","reasoning":"hm",
        "tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},
                      {"id":"b","type":"function","function":{"name":"g","arguments":{"x":1}}}]}}]}"#;
    for stream in [true, false] {
        let outcome =
            call(LlmOptions { stream: Some(stream), ..options() }, vec![Reply::complete(200, body)]);
        assert_eq!(outcome.http.body(0).get("stream").is_some(), stream);
        assert_eq!(
            outcome.deltas,
            [Delta { content: Some("Hi".into()), reasoning_content: Some("hm".into()), ..Delta::default() }]
        );
        let message = outcome.result.unwrap().message;
        let calls: Vec<String> =
            message.tool_calls.unwrap().into_iter().map(|call| call.name + &call.arguments).collect();
        assert_eq!(calls, ["f{}", "g{\"x\":1}"]);
    }
}

#[test]
fn a_key_function_is_called_for_each_request() {
    let counter = Rc::new(RefCell::new(0));
    let key = ApiKey::Function(Rc::new(move |_, _| {
        *counter.borrow_mut() += 1;
        let key = format!("sk-number-{}", counter.borrow());
        async move { Ok(key) }.boxed_local()
    }));
    let outcome = call(LlmOptions { api_key: key, ..options() }, vec![Reply::complete(503, ""), hello()]);
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.http.header(0, "authorization").as_deref(), Some("Bearer sk-number-1"));
    assert_eq!(outcome.http.header(1, "authorization").as_deref(), Some("Bearer sk-number-2"));

    let refused = ApiKey::Function(Rc::new(|_, _| async { Err("not signed in".into()) }.boxed_local()));
    let outcome = call(LlmOptions { api_key: refused, ..options() }, Vec::new());
    let error = outcome.result.unwrap_err();
    assert_eq!((error.failure, error.message.as_str()), (LlmFailure::Auth, "not signed in"));
}

#[test]
fn without_a_key_no_authorization_is_sent_and_the_users_headers_take_precedence() {
    let headers = vec![("Authorization".into(), "Basic abc".into()), ("x-team".into(), "t".into())];
    let outcome = call(LlmOptions { headers, ..options() }, vec![hello()]);
    assert_eq!(outcome.http.header(0, "authorization"), None);
    assert_eq!(outcome.http.header(0, "Authorization").as_deref(), Some("Basic abc"));
    assert_eq!(outcome.http.header(0, "x-team").as_deref(), Some("t"));
    let outcome = call(LlmOptions { api_key: ApiKey::None, ..options() }, vec![hello()]);
    assert_eq!(outcome.http.header(0, "authorization"), None);
}

#[test]
fn invalid_options_are_refused_before_any_request() {
    for broken in [
        LlmOptions { temperature: Some(f64::NAN), ..options() },
        LlmOptions { top_p: Some(1.5), ..options() },
        LlmOptions { timeout: Some(-1.0), ..options() },
        LlmOptions { max_input_tokens: Some(1000), ..options() },
        LlmOptions { model: "nosuch/model".into(), ..options() },
    ] {
        let created =
            Llm::new(broken.clone(), ScriptedHttp::new(Vec::new()), Rc::new(ScriptedHost::default()));
        assert_eq!(created.err().map(|error| error.failure), Some(LlmFailure::InvalidOptions));
        let error = call(broken, Vec::new()).result.unwrap_err();
        assert_eq!(error.failure, LlmFailure::InvalidOptions, "{error}");
    }
}

#[test]
fn dropping_the_call_aborts_the_exchange() {
    for reply in [
        Reply::Silent,
        Reply::Response(200, Vec::new(), vec![Piece::Bytes(b": hi\n\n".to_vec()), Piece::Silence]),
    ] {
        let http = ScriptedHttp::new(vec![reply]);
        let options = LlmOptions { timeout: Some(0.0), ..options() };
        let llm = Llm {
            options,
            http: http.clone(),
            host: Rc::new(ScriptedHost::default()),
            load_file: None,
            fallbacks: Vec::new(),
            fallback_on: Vec::new(),
            has_answered: Rc::default(),
        };
        let context = CallContext::default();
        let mut call = llm.complete(&[], &[], &context, &|_| ()).boxed_local();
        assert!(call.as_mut().now_or_never().is_none());
        assert_eq!((http.count(), http.aborted.get()), (1, 0));
        drop(call);
        assert_eq!(http.aborted.get(), 1);
    }
}

#[test]
fn a_connection_that_stays_open_after_the_end_is_aborted() {
    let done = Piece::Bytes(format!("data: {}\n\ndata: [DONE]\n\n", HELLO[2]).into_bytes());
    let outcome = call(options(), vec![Reply::Response(200, Vec::new(), vec![done, Piece::Silence])]);
    assert!(outcome.result.is_ok());
    assert_eq!((outcome.http.aborted.get(), outcome.slept), (1, vec![]));

    for then in [Piece::Silence, Piece::Breaks(HttpError::Network("reset".into()))] {
        let ended = Piece::Bytes(format!("data: {}\n\n", HELLO[2]).into_bytes());
        let completion =
            call(options(), vec![Reply::Response(200, Vec::new(), vec![ended, then])]).result.unwrap();
        assert_eq!((completion.finish_reason.as_deref(), completion.usage), (Some("stop"), None));
    }
}
