//! What was shown of an answer stays as an event if the run ends before the answer.

use crate::support::{World, amount, say, text};
use futures_executor::block_on;
use futures_util::{
    FutureExt as _,
    future::{LocalBoxFuture, poll_fn, ready},
};
use serde_json::{Value, json};
use std::{cell::RefCell, collections::VecDeque, fs, path::Path, rc::Rc, task::Poll};
use threadkeep::{
    cancel::CancelToken,
    context::messages::history_of,
    conversation::Conversation,
    event::Event,
    format::base_state::ExecutionStatus,
    llm::{
        ApiMode, Llm, LlmOptions,
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
    },
    store::{MemoryStore, Store},
};

/// A server whose answers a test sends piece by piece.
#[derive(Clone, Default)]
pub struct Server {
    /// The bytes that have been sent and not received.
    pub sent: Rc<RefCell<VecDeque<Vec<u8>>>>,
    pub requests: Rc<RefCell<Vec<Value>>>,
}

impl HttpClient for Server {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        self.requests.borrow_mut().push(serde_json::from_str(&request.body).unwrap());
        let body = Box::new(Body(self.sent.clone()));
        Box::pin(ready(Ok(HttpResponse { status: 200, headers: Vec::new(), body })))
    }
}

/// An empty piece is the end.
struct Body(Rc<RefCell<VecDeque<Vec<u8>>>>);

impl HttpBody for Body {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        Box::pin(poll_fn(|_| match self.0.borrow_mut().pop_front() {
            Some(piece) if piece.is_empty() => Poll::Ready(Ok(None)),
            Some(piece) => Poll::Ready(Ok(Some(piece))),
            None => Poll::Pending,
        }))
    }
}

pub fn world(store: Rc<dyn Store>, api: ApiMode) -> (World, Server) {
    let server = Server::default();
    let mut world = World::new(store, Vec::new(), [text("never asked")]);
    let options = LlmOptions {
        base_url: Some("http://h/v1".into()),
        api_mode: Some(api),
        timeout: Some(0.0),
        num_retries: Some(0),
        ..LlmOptions::new("openai/m")
    };
    world.llm = Some(Rc::new(Llm::new(options, Rc::new(server.clone()), world.host.clone()).unwrap()));
    (world, server)
}

const APIS: [(ApiMode, &str); 3] =
    [(ApiMode::Chat, "chat"), (ApiMode::Responses, "responses"), (ApiMode::Anthropic, "anthropic")];

/// The recorded streams of a wire API, without those that the provider itself takes back.
fn streams(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sse").join(folder);
    let mut streams = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_taken_back = name.contains("refusal") || name.contains("filter");
        if path.extension().is_some_and(|ending| ending == "sse") && !is_taken_back {
            streams.push((name, fs::read(path).unwrap()));
        }
    }
    streams.sort();
    assert!(streams.len() > 15);
    streams
}

/// Cuts a stream at random places, also within characters and events.
fn pieces(stream: &[u8], random: &mut u64) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    let mut rest = stream;
    let length = 1 + stream.len() / 12;
    while !rest.is_empty() {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (piece, behind) = rest.split_at(rest.len().min(1 + (*random >> 33) as usize % (2 * length)));
        pieces.push(piece.to_vec());
        rest = behind;
    }
    pieces
}

/// The text of an event of the agent, and whether the event says that it was cut off.
pub fn said(event: &Value) -> (String, bool) {
    let texts = |parts: &Value| -> String {
        parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect()
    };
    match event["kind"].as_str() {
        Some("MessageEvent") => {
            let is_cut_off = !event["extended_content"].as_array().unwrap().is_empty();
            (texts(&event["llm_message"]["content"]), is_cut_off)
        }
        _ => (texts(&event["thought"]), false),
    }
}

fn event_with<'a>(events: &'a [Value], id: &str) -> Option<&'a Value> {
    events.iter().find(|event| event["id"] == id)
}

#[test]
fn what_was_shown_of_an_answer_is_in_the_log_wherever_it_is_stopped() {
    let of_each = amount(30, 100);
    let (mut streamed, mut kept, mut random) = (0, 0, 1);
    for (api, folder) in APIS {
        let recorded = streams(folder);
        for (name, stream) in recorded.iter().cycle().take(of_each as usize) {
            streamed += 1;
            let pieces = pieces(stream, &mut random);
            for count in 0..=pieces.len() {
                let (world, server) = world(Rc::new(MemoryStore::new()), api);
                let conversation = block_on(world.open()).unwrap();
                conversation.hide(vec!["weather".into(), "the answer".into(), "llo".into()]);
                block_on(say(&conversation, "Go"));
                server.sent.borrow_mut().extend(pieces.iter().take(count).cloned());
                if count == pieces.len() {
                    server.sent.borrow_mut().push_back(Vec::new());
                }
                let cancel = CancelToken::default();
                let mut run = Box::pin(conversation.run(cancel.clone()));
                let ended = run.as_mut().now_or_never();
                cancel.cancel();
                let was_stopped = ended.is_none();
                let outcome = ended.unwrap_or_else(|| block_on(run));
                let events = block_on(world.events());
                let shown = world.shown.borrow().clone();
                let last = world.pieces.borrow().last().cloned().unwrap_or_default();
                let found = event_with(&events, &last);
                if shown.trim().is_empty() || !was_stopped && outcome.is_ok() {
                    continue;
                }
                let context = || format!("{folder}/{name} after {count} pieces: {shown:?} {events:#?}");
                let found = found.unwrap_or_else(|| panic!("{}", context()));
                // Of an answer whose calls have begun the run, the event is complete.
                let (text, is_cut_off) = said(found);
                if is_cut_off {
                    kept += 1;
                    assert_eq!(text, shown, "{}", context());
                    assert_eq!(found["llm_message"].get("tool_calls"), None, "{}", context());
                    let end = events.last().unwrap();
                    let kind = if was_stopped { "InterruptEvent" } else { "ConversationErrorEvent" };
                    assert_eq!(end["kind"], kind, "{}", context());
                    assert_eq!(end["parent_id"], found["id"], "in one commit, in this order");
                }
            }
        }
    }
    assert_eq!(streamed, 3 * of_each);
    assert!(kept > streamed, "{kept}");
}

/// A stream of Chat Completions, an event for each text.
pub fn chat(texts: &[&str], is_complete: bool) -> Vec<Vec<u8>> {
    let event = |delta: Value, reason: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        format!("data: {}\n\n", json!({ "id": "chatcmpl-0123456789abcdef", "choices": [choice] }))
            .into_bytes()
    };
    let mut events: Vec<Vec<u8>> =
        texts.iter().map(|text| event(json!({ "content": text }), Value::Null)).collect();
    if is_complete {
        events.push(event(json!({}), "stop".into()));
        events.extend([b"data: [DONE]\n\n".to_vec(), Vec::new()]);
    }
    events
}

/// The conversation of a world, in which the server has sent these texts and the model is still answering.
fn stopped_after(world: &World, server: &Server, texts: &[&str]) -> Conversation {
    let conversation = block_on(world.open()).unwrap();
    block_on(say(&conversation, "Go"));
    server.sent.borrow_mut().extend(chat(texts, false));
    let cancel = CancelToken::default();
    let mut run = Box::pin(conversation.run(cancel.clone()));
    assert!(run.as_mut().now_or_never().is_none());
    cancel.cancel();
    let outcome = block_on(run).unwrap();
    assert_eq!(outcome.status, ExecutionStatus::Paused);
    assert_eq!(outcome.final_response, None, "the beginning of an answer is no answer");
    conversation
}

/// In a request that ends with an answer that was cut off.
pub const GO_ON: &str = "[Go on from there, without repeating what is written above.]";

#[test]
fn after_a_stopped_answer_each_wire_api_ends_with_a_message_in_the_users_place() {
    for (api, folder) in APIS {
        let store = Rc::new(MemoryStore::new());
        let (world, server) = world(store.clone(), ApiMode::Chat);
        drop(stopped_after(&world, &server, &["The sea ", "is "]));
        let (world, server) = self::world(store, api);
        let conversation = block_on(world.open()).unwrap();
        assert!(conversation.run(CancelToken::default()).now_or_never().is_none(), "it asks");
        let request = server.requests.borrow().last().unwrap().clone();
        let messages = if folder == "responses" { &request["input"] } else { &request["messages"] };
        let messages = messages.as_array().unwrap();
        let [.., answer, mark] = &messages[..] else { panic!("{request:#}") };
        assert_eq!((&answer["role"], &mark["role"]), (&"assistant".into(), &"user".into()), "{request:#}");
        assert!(answer.to_string().contains("The sea is "), "{answer}");
        assert!(!answer.to_string().contains("stopped"), "{answer}");
        let mark = mark.to_string();
        assert!(mark.contains("[This answer was stopped here.]") && mark.contains(GO_ON), "{mark}");
        let stored = block_on(world.events());
        assert!(!stored.iter().any(|event| event.to_string().contains(GO_ON)), "{stored:#?}");
    }
}

#[test]
fn a_message_after_a_stopped_answer_is_one_message_with_the_mark() {
    let (world, server) = world(Rc::new(MemoryStore::new()), ApiMode::Chat);
    let conversation = stopped_after(&world, &server, &["Once upon"]);
    block_on(say(&conversation, "Shorter, please"));
    server.sent.borrow_mut().extend(chat(&["A sea."], true));
    let outcome = block_on(conversation.run(CancelToken::default())).unwrap();
    assert_eq!(outcome.final_response.as_deref(), Some("A sea."));
    let request = server.requests.borrow().last().unwrap().clone();
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 4, "{request:#}");
    let last = messages[3].to_string();
    assert!(last.contains("stopped here") && last.contains("Shorter, please"), "{last}");
    assert!(!last.contains(GO_ON), "{last}");
}

#[test]
fn of_an_endless_answer_a_beginning_is_kept_and_sent() {
    const MEBIBYTE: usize = 1 << 20;
    let (world, server) = world(Rc::new(MemoryStore::new()), ApiMode::Chat);
    let piece = "Küste ".repeat(20_000);
    let conversation = stopped_after(&world, &server, &vec![&*piece; 30]);
    let events = block_on(world.events());
    let kept = &events.iter().find(|event| event["source"] == "agent" && said(event).1).unwrap();
    let (text, _) = said(kept);
    assert!(text.len() <= MEBIBYTE, "{} bytes", text.len());
    let (beginning, rest) = text.rsplit_once("\n[").unwrap();
    assert!(beginning.len() > MEBIBYTE - 200 && piece.repeat(10).starts_with(beginning));
    let left_out = 30 * piece.chars().count() - beginning.chars().count();
    assert_eq!(rest, format!("The answer went on for {left_out} more characters, which were not kept.]"));
    // One that an earlier version has kept whole is not sent whole.
    let mut whole = (*kept).clone();
    whole["llm_message"]["content"][0]["text"] = piece.repeat(30).into();
    let id = whole["id"].as_str().unwrap().parse().unwrap();
    let sent = history_of(&[Event::decode(id, whole.to_string().into())]);
    assert_eq!(sent[0].text(), text);
    drop(conversation);
}

#[test]
fn going_to_a_stopped_answer_lets_the_agent_go_on_from_it() {
    let (world, server) = world(Rc::new(MemoryStore::new()), ApiMode::Chat);
    let conversation = stopped_after(&world, &server, &["Once upon"]);
    let events = block_on(world.events());
    let cut_off = events.iter().find(|event| event["source"] == "agent" && said(event).1).unwrap();
    let id = cut_off["id"].as_str().unwrap().parse().unwrap();
    block_on(conversation.navigate_to(Some(id))).unwrap();
    assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
}

#[test]
fn an_answer_that_broke_off_during_a_pause_is_kept() {
    let (world, server) = world(Rc::new(MemoryStore::new()), ApiMode::Chat);
    let conversation = block_on(world.open()).unwrap();
    block_on(say(&conversation, "Go"));
    server.sent.borrow_mut().extend(chat(&["Half an "], false));
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    assert!(run.as_mut().now_or_never().is_none());
    block_on(conversation.pause()).unwrap();
    server.sent.borrow_mut().push_back(Vec::new());
    block_on(run).unwrap();
    let events = block_on(world.events());
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[2..], ["PauseEvent", "MessageEvent"]);
    assert_eq!(said(&events[3]), ("Half an ".into(), true));
}
