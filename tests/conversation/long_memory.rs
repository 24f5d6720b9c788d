//! A conversation of 5,000 events runs 120 further steps in a window of 8,000 tokens, and its page dies again and again.

use crate::{
    condensing::condenser,
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, World, check_messages, echo, say},
};
use futures_executor::block_on;
use futures_util::future::{LocalBoxFuture, poll_immediate, ready};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    format::base_state::{BaseState, ExecutionStatus},
    id::EventId,
    llm::{
        Llm, LlmOptions,
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
    },
    store::{Commit, MemoryStore},
};
use uuid::Uuid;

const WINDOW: u64 = 8000;
const STEPS: usize = 120;
const EVENTS: usize = 5000;

/// A provider with a window of that many tokens, which counts four characters as one.
#[derive(Default)]
struct Provider {
    answers: Cell<usize>,
    /// For each answered request for a summary, the number of the earlier summary in it.
    summaries: RefCell<Vec<Option<usize>>>,
}

impl Provider {
    fn answer(&self, body: &Value) -> Value {
        let messages = body["messages"].as_array().unwrap();
        check_messages(messages);
        let tokens = tokens_of(body);
        if body["tools"].is_null() {
            return self.summary(messages, tokens);
        }
        assert!(tokens <= WINDOW, "a request of {tokens} tokens");
        let step = self.answers.get();
        self.answers.set(step + 1);
        let call = |id: usize, length: usize| {
            let arguments = json!({ "text": format!("{id} {}", "some words ".repeat(length)) }).to_string();
            json!({ "id": format!("call_{step}_{id}"), "type": "function", "function": { "name": "echo", "arguments": arguments } })
        };
        let calls = match step % 7 {
            0 => vec![call(0, 3), call(1, 150), call(2, 1)],
            5 => vec![call(0, 60), call(1, 5)],
            odd => vec![call(0, odd * 9)],
        };
        let message = match step {
            STEPS.. => json!({ "role": "assistant", "content": "Done." }),
            _ => json!({ "role": "assistant", "content": format!("Step {step}."), "tool_calls": calls }),
        };
        answer(format!("answer-{step}-{}", Uuid::from_u128(step as u128)), &message, tokens)
    }

    /// A summary that names its number. A summary that was asked for again, because the page died, has the same number.
    fn summary(&self, messages: &[Value], tokens: u64) -> Value {
        let text = messages[1].to_string();
        let named: Vec<usize> = text
            .split("Earlier summary: Summary ")
            .skip(1)
            .map(|rest| rest.split('.').next().unwrap().parse().unwrap())
            .collect();
        assert!(named.len() <= 1, "{named:?} are summarized together");
        let number = named.last().map_or(1, |number| number + 1);
        self.summaries.borrow_mut().push(named.last().copied());
        let message =
            json!({ "role": "assistant", "content": format!("Summary {number}. The steps go on.") });
        answer(
            format!("summary-{}", Uuid::from_u128(self.summaries.borrow().len() as u128)),
            &message,
            tokens,
        )
    }
}

fn tokens_of(body: &Value) -> u64 {
    let mut characters =
        body["tools"].as_array().map_or(0, |tools| Value::from(tools.clone()).to_string().len());
    for message in body["messages"].as_array().unwrap() {
        let content = match &message["content"] {
            Value::Array(parts) => parts.iter().map(|part| part["text"].as_str().unwrap().len()).sum(),
            content => content.as_str().map_or(0, str::len),
        };
        characters += content;
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            characters += call["function"]["arguments"].as_str().unwrap().len();
        }
    }
    characters.div_ceil(4) as u64
}

fn answer(id: String, message: &Value, tokens: u64) -> Value {
    json!({
        "id": id,
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": tokens, "completion_tokens": 50, "total_tokens": tokens + 50 },
    })
}

/// Connects a model with the provider.
struct Connection(Rc<Provider>);

impl HttpClient for Connection {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        let body = self.0.answer(&serde_json::from_str(&request.body).unwrap()).to_string();
        let body = Box::new(Body(Some(body.into_bytes())));
        Box::pin(ready(Ok(HttpResponse { status: 200, headers: Vec::new(), body })))
    }
}

struct Body(Option<Vec<u8>>);

impl HttpBody for Body {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        Box::pin(ready(Ok(self.0.take())))
    }
}

/// The events of a long conversation after these two.
fn history(first: &Value) -> Vec<(EventId, Rc<str>)> {
    let mut parent = first["id"].clone();
    let event = |place: usize, body: &Value| {
        let id = Uuid::from_u128(0x2000_0000_0000_4000_8000_0000_0000_0000 + place as u128).to_string();
        let mut event = json!({ "id": id, "timestamp": "2026-01-01T00:00:00", "parent_id": parent });
        event.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        parent = json!(id);
        (id.parse().unwrap(), event.to_string().into())
    };
    let bodies = (2..EVENTS).map(|place| {
        let call = format!("old-{}", place / 2);
        if place.is_multiple_of(2) {
            json!({
                "source": "agent", "thought": [], "tool_name": "echo", "tool_call_id": call,
                "action": { "data": { "text": "x" }, "kind": "MCPToolAction" },
                "tool_call": { "id": call, "name": "echo", "arguments": "{\"text\": \"x\"}", "origin": "completion" },
                "llm_response_id": format!("response-{call}"), "security_risk": "UNKNOWN", "kind": "ActionEvent",
            })
        } else {
            let action = Uuid::from_u128(0x2000_0000_0000_4000_8000_0000_0000_0000 + place as u128 - 1);
            json!({
                "source": "environment", "tool_name": "echo", "tool_call_id": call, "action_id": action.to_string(),
                "observation": { "content": [{ "type": "text", "text": format!("Old result {place}.") }], "is_error": false, "tool_name": "echo", "kind": "MCPToolObservation" },
                "kind": "ObservationEvent",
            })
        }
    });
    bodies
        .enumerate()
        .map(|(place, body)| (place + 2, body))
        .map({
            let mut event = event;
            move |(place, body)| event(place, &body)
        })
        .collect()
}

#[test]
fn a_long_conversation_stays_in_a_small_window_although_its_page_dies_again_and_again() {
    block_on(async {
        let commits = Rc::new(Cell::new(0_usize));
        let deaths = Rc::new(Cell::new(0_usize));
        let is_deadly = Rc::new(Cell::new(false));
        let (counted, died, deadly) = (commits.clone(), deaths.clone(), is_deadly.clone());
        let store = ScriptedStore {
            // The page dies at every condensation, in turn before and after it is stored, and at every 61st commit.
            outcome: Box::new(move |commit| {
                counted.set(counted.get() + 1);
                let is_condensation =
                    commit.events.iter().any(|(_, json)| json.contains(r#""kind":"Condensation""#));
                if !deadly.get() || !is_condensation && !counted.get().is_multiple_of(61) {
                    return Outcome::DONE;
                }
                died.set(died.get() + 1);
                Outcome::Dead { is_applied: died.get().is_multiple_of(2) }
            }),
            ..ScriptedStore::over(MemoryStore::new())
        };
        let provider = Rc::new(Provider::default());
        let mut world = World::new(Rc::new(store), vec![echo()], []);
        let llm = LlmOptions {
            stream: Some(false),
            base_url: Some("http://127.0.0.1:1/v1".into()),
            ..LlmOptions::new("openai/gpt-4o")
        };
        world.llm =
            Some(Rc::new(Llm::new(llm, Rc::new(Connection(provider.clone())), world.host.clone()).unwrap()));
        let (mut condenser, _) = condenser(&json!({ "max_tokens": WINDOW, "max_size": 100_000 }), []);
        condenser.members[0].llm = None;
        world.condenser = Some(Some(Rc::new(condenser)));
        world.max_iterations = 10_000;

        let conversation = world.open().await.unwrap();
        say(&conversation, "Do the steps").await;
        conversation.close().await;
        let first = world.events().await;
        let events = history(&first[1]);
        let id = ID.parse().unwrap();
        let base_state = world.store.load(id).await.unwrap().unwrap().base_state;
        let mut state = BaseState::parse(&base_state).unwrap();
        state.set_leaf(&threadkeep::format::tree::Leaf::Event(events.last().unwrap().0.clone()));
        let commit =
            Commit { events, base_state: Some(state.json()), created_at: None, ..Commit::new(2, 0.0) };
        world.store.commit(id, commit).await.unwrap();

        is_deadly.set(true);
        let mut lives = 0;
        let outcome = loop {
            lives += 1;
            assert!(lives < 2000, "the conversation makes no progress");
            // A page can also die while it opens the conversation.
            let Some(opened) = poll_immediate(world.open()).await else { continue };
            let conversation = opened.unwrap();
            let outcome = poll_immediate(conversation.run(CancelToken::default())).await;
            if let Some(outcome) = outcome {
                break outcome.unwrap();
            }
            conversation.let_go();
        };
        assert_eq!(
            (outcome.status, outcome.final_response.as_deref()),
            (ExecutionStatus::Finished, Some("Done."))
        );
        assert!(deaths.get() > 10, "{} deaths", deaths.get());

        let log = world.events().await;
        assert_eq!(log[..2], first);
        let condensations: Vec<&Value> = log.iter().filter(|event| event["kind"] == "Condensation").collect();
        assert!(condensations.len() > 2, "{}", condensations.len());
        // The chain of summaries is in order: each one contains the one before it.
        for (place, condensation) in condensations.iter().enumerate() {
            let text = condensation["summary"].as_str().unwrap();
            assert!(text.starts_with(&format!("Summary {}.", place + 1)), "{text} at {place}");
            if let Some(before) = place.checked_sub(1).and_then(|before| condensations.get(before)) {
                let id = json!(format!("{}-summary", before["id"].as_str().unwrap()));
                assert!(condensation["forgotten_event_ids"].as_array().unwrap().contains(&id));
            }
        }
        // No step is lost or made twice.
        let mut steps: Vec<&str> = log
            .iter()
            .filter(|event| event["kind"] == "ActionEvent")
            .filter_map(|event| event["thought"][0]["text"].as_str())
            .collect();
        steps.dedup();
        assert!(steps.len() <= STEPS && steps.len() > STEPS / 2, "{}", steps.len());
    });
}
