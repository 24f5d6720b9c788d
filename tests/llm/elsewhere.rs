//! A wire API in another wasm says and hears what it would at home.

use crate::{
    captured::{cases, with_request},
    streams::fixtures,
};
use std::{cell::RefCell, rc::Rc};
use threadkeep::llm::{
    Delta, LlmOptions,
    anthropic::AnthropicMessages,
    chat_completions::ChatCompletions,
    elsewhere::{Ask, Elsewhere, FarEnd},
    metrics::Usage,
    responses::Responses,
    sse::SseParser,
    wire_api::{Answer, DecodeError, Decoder, LlmRequest, WireApi},
};

fn elsewhere(api: Rc<dyn WireApi>) -> Elsewhere {
    Elsewhere(Rc::new(move |asked| {
        let far = RefCell::new(FarEnd::begin(&*api, asked));
        let ask: Ask =
            Rc::new(move |question, event, data| Ok(far.borrow_mut().answer(question, event, data)));
        Ok(ask)
    }))
}

/// The wire APIs, where what was captured of each is, and where its streams are.
fn wire_apis() -> [(&'static str, &'static str, Rc<dyn WireApi>); 2] {
    [
        ("anthropic_requests", "anthropic", Rc::new(AnthropicMessages)),
        ("chat_requests", "chat", Rc::new(ChatCompletions)),
    ]
}

#[test]
fn a_request_is_the_same_from_elsewhere() {
    for (folder, _, api) in wire_apis() {
        for (name, case) in cases(folder) {
            with_request(&case, |request| {
                let home = api.begin(request).unwrap().0;
                let far = elsewhere(api.clone()).begin(request).unwrap().0;
                assert_eq!(far, home, "{name}");
            });
        }
    }
}

#[test]
fn an_answer_is_the_same_from_elsewhere() {
    for (folder, streams, api) in wire_apis() {
        let (_, case) = cases(folder).swap_remove(0);
        for (name, bytes, _) in fixtures(streams) {
            with_request(&case, |request| {
                let home = heard(api.begin(request).unwrap().1, &bytes);
                let far = heard(elsewhere(api.clone()).begin(request).unwrap().1, &bytes);
                assert_eq!(far, home, "{name}");
            });
        }
    }
}

#[test]
fn a_kept_answer_is_the_same_from_elsewhere() {
    let (_, case) = cases("responses_requests").swap_remove(0);
    with_request(&case, |request| {
        let options =
            LlmOptions { background: true, kept_answer: Some("resp_1".into()), ..request.options.clone() };
        let request = LlmRequest { options: &options, ..*request };
        let (home, decoder) = Responses.begin(&request).unwrap();
        let (far, far_decoder) = elsewhere(Rc::new(Responses)).begin(&request).unwrap();
        assert_eq!((far, far_decoder.kept()), (home, decoder.kept()));
        assert_eq!(decoder.kept().map(|kept| kept.id), Some("resp_1".into()));
    });
}

#[test]
fn a_far_end_that_fails_is_an_error_and_no_trap() {
    let (_, case) = cases("chat_requests").swap_remove(0);
    for said in ["", "null", "[]", "{\"message\":7}", "{\"error\":\"\",\"words\":3}"] {
        let far = Elsewhere(Rc::new(move |_| {
            let ask: Ask = Rc::new(move |question, _, _| match question {
                "error" => Ok(String::new()),
                _ => Ok(said.into()),
            });
            Ok(ask)
        }));
        with_request(&case, |request| {
            let (_, mut decoder) = far.begin(request).unwrap();
            let _ = decoder.push("", "{}");
            assert!(decoder.finish(&mut || "id".into()).is_err(), "{said}");
        });
    }
    let crashed = Elsewhere(Rc::new(|_| Err("unreachable".into())));
    with_request(&case, |request| {
        let error = crashed.begin(request).err().unwrap();
        assert!(error.message.contains("unreachable"));
    });
}

type Heard =
    (Vec<Result<Option<Delta>, DecodeError>>, Vec<(bool, bool, Option<Usage>)>, Result<Answer, DecodeError>);

fn heard(mut decoder: Box<dyn Decoder>, bytes: &[u8]) -> Heard {
    let mut parser = SseParser::new(1 << 20);
    let mut events = Vec::new();
    parser.push(bytes, &mut events).unwrap();
    events.extend(parser.finish());
    let mut deltas = Vec::new();
    let mut states = Vec::new();
    for event in &events {
        deltas.push(decoder.push(&event.event, &event.data));
        // An event that cannot be read ends the answer, and nobody asks how it stands.
        if matches!(deltas.last(), Some(Err(_))) {
            break;
        }
        states.push((decoder.is_done(), decoder.has_ended(), decoder.usage()));
    }
    let mut made = 0;
    let answer = decoder.finish(&mut || {
        made += 1;
        if made == 1 { "id".into() } else { format!("id{made}") }
    });
    (deltas, states, answer)
}
