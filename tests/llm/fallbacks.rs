//! Fallback models, which are called after the first model has failed.

use crate::{
    calls::{hello, options},
    captured::shared,
    scripted_http::{Piece, Reply, ScriptedHost, ScriptedHttp},
};
use futures_executor::block_on;
use std::{cell::RefCell, rc::Rc};
use threadkeep::llm::{
    CallContext, Completion, Delta, Llm, LlmError, LlmFailure, LlmOptions,
    message::{Content, Message, Role},
};

struct Outcome {
    result: Result<Completion, LlmError>,
    shown: Vec<Delta>,
    /// The models that were called, in order.
    asked: Vec<String>,
}

/// Calls `openai/first`, whose fallbacks are `openai/second` and `openai/third`. No model retries.
fn ask(replies: Vec<Reply>, fallback_on: Option<&str>) -> Outcome {
    let http = ScriptedHttp::new(replies);
    let model = |name: &str| {
        let options = LlmOptions { model: format!("openai/{name}"), num_retries: Some(1), ..options() };
        Llm::new(options, http.clone(), Rc::new(ScriptedHost::default())).unwrap()
    };
    let mut llm = model("first");
    llm.fallbacks = vec![model("second"), model("third")];
    if let Some(codes) = fallback_on {
        llm.fallback_on = codes.split(',').map(str::to_owned).collect();
    }
    let shown = RefCell::new(Vec::new());
    let messages = [Message::new(Role::User, vec![Content::text("Hi")])];
    let show = |delta| shown.borrow_mut().push(delta);
    let result = block_on(llm.complete(&shared(&messages), &[], &CallContext::default(), &show));
    let asked =
        (0..http.requests.borrow().len()).map(|at| http.body(at)["model"].as_str().unwrap().to_owned());
    Outcome { result, shown: shown.take(), asked: asked.collect() }
}

fn refusal(status: u16) -> Reply {
    Reply::Response(status, Vec::new(), vec![Piece::Bytes(format!("{{\"error\":\"no {status}\"}}").into())])
}

#[test]
fn fallbacks_are_called_in_order_until_one_answers() {
    let outcome = ask(vec![refusal(503), refusal(401), hello()], None);
    assert_eq!(outcome.asked, ["first", "second", "third"]);
    let completion = outcome.result.unwrap();
    assert_eq!(completion.model, "openai/third");
    assert_eq!(completion.message.text(), "Hello");
}

#[test]
fn if_all_models_fail_the_first_models_error_is_reported() {
    let outcome = ask(vec![refusal(429), refusal(401), refusal(500)], None);
    assert_eq!(outcome.asked.len(), 3);
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::RateLimit);
}

#[test]
fn only_failures_in_fallback_on_lead_to_a_fallback() {
    for status in [400, 401] {
        let outcome = ask(vec![refusal(status)], None);
        assert_eq!((outcome.asked.len(), outcome.result.unwrap_err().status), (1, Some(status)));
    }
    let outcome = ask(vec![refusal(401), hello()], Some("llm_bad_request,llm_auth"));
    assert_eq!(outcome.result.unwrap().model, "openai/second");
    let outcome = ask(vec![refusal(503)], Some("llm_bad_request,llm_auth"));
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Unavailable);
}

#[test]
fn a_call_that_broke_off_is_written_anew_by_a_fallback() {
    let piece = b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n";
    let outcome =
        ask(vec![Reply::Response(200, Vec::new(), vec![Piece::Bytes(piece.to_vec())]), hello()], None);
    assert_eq!(outcome.asked, ["first", "second"]);
    assert_eq!(outcome.shown[0].tool_calls[0].name.as_deref(), Some("f"));
    assert_eq!(outcome.shown[1], Delta::default());
    assert_eq!(outcome.result.unwrap().message.text(), "Hello");
}

#[test]
fn an_answer_that_was_partly_shown_is_not_repeated_by_a_fallback() {
    let piece = b"data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n".to_vec();
    let cut_off = || Reply::Response(200, Vec::new(), vec![Piece::Bytes(piece.clone())]);
    let outcome = ask(vec![cut_off()], None);
    assert_eq!((outcome.asked.len(), outcome.shown.len()), (1, 1));
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Network);
    let outcome = ask(vec![refusal(503), cut_off()], None);
    assert_eq!(outcome.asked, ["first", "second"]);
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Network);
}
