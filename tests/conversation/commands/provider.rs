//! The servers of the models. Some give background responses.

use super::{Held, SECRET, aside::Question, claude, drafts::streamed, ledger::Ledger, script::Reply};
use crate::support::{TestHost, check_messages, completion};
use futures_channel::oneshot;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};
use threadkeep::{
    agent::{AgentCondenser, CondenserMember},
    json::EditableObject,
    llm::{
        ApiMode, Llm, LlmOptions,
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
    },
};

/// The configuration of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    #[default]
    Plain,
    /// Streams, so that the page can die in the middle of an answer.
    Streaming,
    WithFallback,
    Background,
    /// The response is polled.
    BackgroundWithoutStream,
    BackgroundWithFallback,
    /// Thinks, over Anthropic Messages.
    Claude,
}

/// The suffix of a fallback's name after that of its primary model.
const MINI: &str = "-mini";

/// The server of the condenser's model, and its usage id.
const SUMMARIES: &str = "condenser";

/// The beginning of all summaries.
pub const SUMMARY: &str = "A summary of what was removed.";

impl Model {
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::Streaming,
        Self::WithFallback,
        Self::Background,
        Self::BackgroundWithoutStream,
        Self::BackgroundWithFallback,
        Self::Claude,
    ];

    /// The name of the model and of its server.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "gpt-4o",
            Self::Streaming => "gpt-4-turbo",
            Self::WithFallback => "gpt-4.1",
            Self::Background => "gpt-5",
            Self::BackgroundWithoutStream => "gpt-5.1",
            Self::BackgroundWithFallback => "gpt-5.2",
            Self::Claude => claude::CLAUDE,
        }
    }

    /// The name of the model with its provider.
    pub fn full_name(self, name: &str) -> String {
        let provider = if self == Self::Claude { "anthropic" } else { "openai" };
        format!("{provider}/{name}")
    }

    pub fn llm(self, provider: &Rc<Provider>, host: &Rc<TestHost>) -> Llm {
        let is_kept = !matches!(self, Self::Plain | Self::Streaming | Self::WithFallback | Self::Claude);
        let one = |name: &str| {
            let options = LlmOptions {
                base_url: Some(format!("http://{name}/v1")),
                api_mode: match self {
                    Self::Claude => None,
                    _ => Some(if is_kept { ApiMode::Responses } else { ApiMode::Chat }),
                },
                background: Some(is_kept),
                stream: Some(self == Self::Streaming || is_kept && self != Self::BackgroundWithoutStream),
                num_retries: Some(2),
                usage_id: Some(self.name().into()),
                ..LlmOptions::new(self.full_name(name))
            };
            Llm::new(options, provider.clone(), host.clone()).unwrap()
        };
        let mut llm = one(self.name());
        if matches!(self, Self::WithFallback | Self::BackgroundWithFallback) {
            llm.fallbacks.push(one(&format!("{}{MINI}", self.name())));
        }
        llm
    }
}

/// All servers.
pub struct Provider {
    ledger: Rc<Ledger>,
    held: Rc<Held>,
    replies: RefCell<VecDeque<Reply>>,
    /// The number of answers that were begun.
    begun: Cell<usize>,
    is_prompt: Cell<bool>,
    responses: RefCell<Vec<Rc<BackgroundResponse>>>,
    /// The number of requests for summaries.
    summaries: Cell<usize>,
    /// The question that failed last, if a fallback may be asked.
    failed: Rc<RefCell<Option<String>>>,
}

/// A background response.
struct BackgroundResponse {
    id: String,
    server: String,
    question: String,
    /// The last event in the history of its question.
    after: Option<String>,
    reply: Reply,
    place: usize,
    is_slow: Cell<bool>,
    connections: Cell<u32>,
    status: Cell<ResponseStatus>,
    /// Whether the client has received its id.
    is_known: Cell<bool>,
    /// The run that received it last.
    run: Cell<Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResponseStatus {
    Working,
    Done,
    Failed,
    Cancelled,
    Forgotten,
}

type Response = Result<HttpResponse, HttpError>;

impl Provider {
    pub fn new(replies: &[Reply], ledger: &Rc<Ledger>, held: &Rc<Held>) -> Rc<Self> {
        Rc::new(Self {
            ledger: ledger.clone(),
            held: held.clone(),
            replies: RefCell::new(replies.iter().cloned().collect()),
            begun: Cell::default(),
            is_prompt: Cell::default(),
            responses: RefCell::default(),
            summaries: Cell::default(),
            failed: Rc::default(),
        })
    }

    /// From here on every answer is the last one and is given at once.
    pub fn finish(&self) {
        self.replies.borrow_mut().clear();
        self.is_prompt.set(true);
        self.responses.borrow().iter().for_each(|stored| stored.is_slow.set(false));
    }

    /// Deletes all background responses.
    pub fn forget_responses(&self) {
        self.responses.borrow().iter().for_each(|stored| stored.status.set(ResponseStatus::Forgotten));
    }

    /// The ids of background responses that are worked on for the current run and known to it.
    pub fn working(&self) -> Vec<String> {
        let run = self.ledger.run_under_way();
        let stored = self.responses.borrow();
        let is_working = |stored: &&Rc<BackgroundResponse>| {
            stored.status.get() == ResponseStatus::Working && stored.is_known.get() && stored.run.get() == run
        };
        stored.iter().filter(|_| run.is_some()).filter(is_working).map(|stored| stored.id.clone()).collect()
    }

    /// Checks that these background responses were cancelled.
    pub fn check_stopped(&self, ids: &[String]) {
        for stored in self.responses.borrow().iter().filter(|stored| ids.contains(&stored.id)) {
            assert_ne!(
                stored.status.get(),
                ResponseStatus::Working,
                "{} is interrupted and still worked on",
                stored.id
            );
        }
    }

    /// The next reply, its number, and whether it is slow.
    fn next(&self, server: &str, question: &str) -> (Reply, usize, bool) {
        self.ledger.model_is_asked(question);
        if server.ends_with(MINI) {
            assert_eq!(
                self.failed.borrow().as_deref(),
                Some(question),
                "a fallback is asked before the model"
            );
        }
        self.begun.set(self.begun.get() + 1);
        let place = self.begun.get();
        let is_slow = place.is_multiple_of(2) && !self.is_prompt.get();
        (self.replies.borrow_mut().pop_front().unwrap_or(Reply::LastText), place, is_slow)
    }

    fn chat(&self, server: &str, body: &Value) -> LocalBoxFuture<'static, Response> {
        check_body(server, body);
        let question = body["messages"].to_string();
        let (reply, place, is_slow) = self.next(server, &question);
        let gate = is_slow.then(|| self.held.hold());
        if let Some(Ok(message)) = (body["stream"] == true).then(|| reply.message(place)) {
            let answer = answer(server, message, body, place);
            return Box::pin(ready(Ok(self.in_two(server, &answer, gate, matches!(reply, Reply::Breaks)))));
        }
        let (ledger, failed, server) = (self.ledger.clone(), self.failed.clone(), server.to_owned());
        let body = body.clone();
        Box::pin(async move {
            if let Some(gate) = gate {
                let _ = gate.await;
            }
            *failed.borrow_mut() = Some(question).filter(|_| reply.allows_fallback());
            if matches!(reply, Reply::Breaks) {
                return Err(HttpError::Network("reset".into()));
            }
            Ok(match reply.message(place) {
                Ok(message) => {
                    ledger.is_answered(server.trim_end_matches(MINI));
                    full_response(200, &answer(&server, message, &body, place))
                }
                Err((status, error)) => full_response(status, &error),
            })
        })
    }

    /// An answer that streams: its first half, and after the gate the second one, unless it breaks off.
    fn in_two(
        &self,
        server: &str,
        answer: &Value,
        gate: Option<oneshot::Receiver<()>>,
        breaks: bool,
    ) -> HttpResponse {
        let (begins, rest) = streamed(answer);
        let (ledger, server) = (self.ledger.clone(), server.to_owned());
        let ends = Piece::Sends(Box::new(move || {
            if breaks {
                return Err(HttpError::Network("reset".into()));
            }
            ledger.is_answered(&server);
            Ok(rest)
        }));
        response([Some(Piece::Sends(Box::new(|| Ok(begins)))), gate.map(Piece::Waits), Some(ends)])
    }

    /// A condenser with these settings, whose model has a server of its own.
    pub fn condenser(self: &Rc<Self>, settings: &str, host: &Rc<TestHost>) -> AgentCondenser {
        let options = LlmOptions {
            base_url: Some(format!("http://{SUMMARIES}/v1")),
            api_mode: Some(ApiMode::Chat),
            stream: Some(false),
            num_retries: Some(1),
            ..LlmOptions::new("openai/gpt-4o")
        };
        let llm = Llm::new(options, self.clone(), host.clone()).unwrap();
        let settings = EditableObject::compact(settings).unwrap();
        AgentCondenser { members: vec![CondenserMember { settings, llm: Some(Rc::new(llm)) }] }
    }

    /// A summary. Of four, one fails and one is empty; every second one is slow.
    fn summary(&self, body: &Value) -> LocalBoxFuture<'static, Response> {
        check_messages(body["messages"].as_array().unwrap());
        assert!(!body.to_string().contains(SECRET), "a secret is sent to the condenser's model");
        let number = self.summaries.get() + 1;
        self.summaries.set(number);
        let is_prompt = self.is_prompt.get();
        let place = if is_prompt { 0 } else { number };
        let gate = (!is_prompt && place.is_multiple_of(2)).then(|| self.held.hold());
        let ledger = self.ledger.clone();
        Box::pin(async move {
            if let Some(gate) = gate {
                let _ = gate.await;
            }
            if place % 4 == 3 {
                return Ok(full_response(401, &json!({ "error": { "message": "no" } })));
            }
            ledger.is_answered(SUMMARIES);
            // Two of the same words would make two questions one.
            let text = if place % 4 == 2 { String::new() } else { format!("{SUMMARY} Number {number}.") };
            Ok(full_response(200, &completion(json!({ "role": "assistant", "content": text }))))
        })
    }

    /// The answer to a question beside the run, which belongs to no run and is never continued in the background.
    fn aside(&self, server: &str, question: Question, body: &Value) -> LocalBoxFuture<'static, Response> {
        assert_ne!(body["background"], true);
        let is_chat = body["messages"].is_array();
        if is_chat {
            check_body(server, body);
        }
        assert!(!body.to_string().contains(SECRET), "a secret is sent to the model: {body}");
        let answer = question.answer(self.held.clone(), self.ledger.clone());
        let is_streaming = body["stream"] == true;
        let (server, body) = (server.to_owned(), body.clone());
        Box::pin(async move {
            Ok(match answer.await {
                Err((status, error)) => full_response(status, &error),
                Ok(message) if is_chat => full_response(200, &self::answer(&server, message, &body, 1)),
                Ok(message) => {
                    let answer = completed("resp_aside", &message);
                    if !is_streaming {
                        return Ok(full_response(200, &answer));
                    }
                    let event = json!({ "type": "response.completed", "response": answer });
                    response([Some(Piece::Sends(Box::new(move || Ok(format!("data: {event}\n\n")))))])
                }
            })
        })
    }

    /// Begins an answer.
    fn respond(&self, server: &str, body: &Value) -> Response {
        assert_eq!(body["background"], true);
        let question = format!("{}{}", body["instructions"], body["input"]);
        if let Some(stored) = self.ledger.background_response().and_then(|id| self.find(&id)) {
            let is_present = matches!(stored.status.get(), ResponseStatus::Working | ResponseStatus::Done);
            let is_same = stored.server == server && stored.question == question;
            // Another branch can begin with the same question.
            let is_same = is_same && stored.after == self.ledger.last_seen();
            assert!(!(is_present && is_same), "{} is stored and asked for once more", stored.id);
        }
        let (reply, place, is_slow) = self.next(server, &question);
        if let Reply::Fails(..) = reply {
            *self.failed.borrow_mut() = Some(question).filter(|_| reply.allows_fallback());
            let (status, error) = reply.message(place).unwrap_err();
            return Ok(full_response(status, &error));
        }
        let stored = Rc::new(BackgroundResponse {
            id: format!("resp_{place:016}"),
            server: server.to_owned(),
            question,
            after: self.ledger.last_seen(),
            reply,
            place,
            is_slow: Cell::new(is_slow),
            connections: Cell::default(),
            status: Cell::new(ResponseStatus::Working),
            is_known: Cell::default(),
            run: Cell::new(self.ledger.run_under_way()),
        });
        self.responses.borrow_mut().push(stored.clone());
        if body["stream"] == true {
            return Ok(self.stream(&stored));
        }
        stored.is_known.set(true);
        Ok(full_response(200, &json!({ "id": stored.id, "status": "queued", "output": [] })))
    }

    /// The response to fetching an earlier answer.
    fn resume(&self, server: &str, id: &str, is_streaming: bool) -> Response {
        let stored = self.find(id).unwrap_or_else(|| panic!("there is no response {id}"));
        assert_eq!(stored.server, server, "{id} is requested from another server");
        let run = self.ledger.run_under_way();
        if stored.run.replace(run) != run {
            assert_eq!(stored.after, self.ledger.last_seen(), "{id} is the answer to another question");
        } else {
            assert_ne!(stored.status.get(), ResponseStatus::Failed, "{id} is known to have failed");
        }
        assert!(!self.ledger.has_answer(id), "{id} is stored already");
        self.ledger.expects_answer();
        match stored.status.get() {
            ResponseStatus::Forgotten => {
                Ok(full_response(404, &json!({ "error": { "message": "There is none." } })))
            }
            _ if is_streaming => Ok(self.stream(&stored)),
            _ => {
                stored.is_known.set(true);
                Ok(response([self.wait(&stored), Some(self.end(&stored, false))]))
            }
        }
    }

    fn find(&self, id: &str) -> Option<Rc<BackgroundResponse>> {
        self.responses.borrow().iter().find(|stored| stored.id == id).cloned()
    }

    fn stream(&self, stored: &Rc<BackgroundResponse>) -> HttpResponse {
        let answer = stored.clone();
        let begins = Piece::Sends(Box::new(move || {
            answer.is_known.set(true);
            let created =
                json!({ "type": "response.created", "response": { "id": answer.id, "status": "queued" } });
            Ok(format!("data: {created}\n\n"))
        }));
        response([Some(begins), self.wait(stored), Some(self.end(stored, true))])
    }

    fn wait(&self, stored: &Rc<BackgroundResponse>) -> Option<Piece> {
        stored.is_slow.get().then(|| Piece::Waits(self.held.hold()))
    }

    fn end(&self, stored: &Rc<BackgroundResponse>, is_event: bool) -> Piece {
        let (stored, ledger, failed) = (stored.clone(), self.ledger.clone(), self.failed.clone());
        Piece::Sends(Box::new(move || {
            stored.is_slow.set(false);
            stored.connections.set(stored.connections.get() + 1);
            if matches!(stored.reply, Reply::Breaks) && stored.connections.get() == 1 {
                return Err(HttpError::Network("reset".into()));
            }
            let answer = match (stored.status.get(), stored.reply.message(stored.place)) {
                (ResponseStatus::Cancelled, _) => json!({ "id": stored.id, "status": "cancelled" }),
                (_, Err((_, error))) => {
                    stored.status.set(ResponseStatus::Failed);
                    json!({ "id": stored.id, "status": "failed", "error": error["error"] })
                }
                (status, Ok(message)) => {
                    if status != ResponseStatus::Done {
                        ledger.is_answered(stored.server.trim_end_matches(MINI));
                    }
                    stored.status.set(ResponseStatus::Done);
                    completed(&stored.id, &message)
                }
            };
            *failed.borrow_mut() = Some(stored.question.clone()).filter(|_| stored.reply.allows_fallback());
            Ok(match is_event {
                true => {
                    let kind = format!("response.{}", answer["status"].as_str().unwrap());
                    format!("data: {}\n\n", json!({ "type": kind, "response": answer }))
                }
                false => answer.to_string(),
            })
        }))
    }
}

impl HttpClient for Provider {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Response> {
        let (server, path) = request.url.strip_prefix("http://").unwrap().split_once("/v1/").unwrap();
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        if server == SUMMARIES {
            return self.summary(&body);
        }
        if let Some(question) = Question::of(&request.body) {
            return self.aside(server, question, &body);
        }
        if path == "chat/completions" || path == "messages" {
            return self.chat(server, &body);
        }
        let Some(path) = path.strip_prefix("responses/") else {
            return Box::pin(ready(self.respond(server, &body)));
        };
        if let Some(id) = path.strip_suffix("/cancel") {
            let stored = self.find(id).unwrap_or_else(|| panic!("there is no response {id}"));
            if stored.status.get() == ResponseStatus::Working {
                stored.status.set(ResponseStatus::Cancelled);
            }
            return Box::pin(ready(Ok(full_response(200, &json!({})))));
        }
        let (id, query) = path.split_once('?').unwrap_or((path, ""));
        Box::pin(ready(self.resume(server, id, query.contains("stream=true"))))
    }
}

/// Checks a request that has messages against the rules of its provider.
fn check_body(server: &str, body: &Value) {
    match server {
        claude::CLAUDE => claude::check_request(body),
        _ => check_messages(body["messages"].as_array().unwrap()),
    }
}

/// The answer of a server with this message. Not every one counts its tokens.
fn answer(server: &str, message: Value, body: &Value, place: usize) -> Value {
    if server == claude::CLAUDE {
        return claude::answer(&message, body, place);
    }
    let mut answer = completion(message);
    match claude::is_counted(place) {
        true => answer["usage"]["prompt_tokens"] = claude::tokens_of(body).into(),
        false => answer["usage"] = Value::Null,
    }
    answer
}

/// The answer of the Responses API that corresponds to this message of Chat Completions.
fn completed(id: &str, message: &Value) -> Value {
    let text =
        json!({ "type": "message", "content": [{ "type": "output_text", "text": message["content"] }] });
    let mut output = if message["content"] == "" { Vec::new() } else { vec![text] };
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        output.push(json!({
            "type": "function_call",
            "id": format!("fc_{}", call["id"].as_str().unwrap()),
            "call_id": call["id"],
            "name": function["name"],
            "arguments": function["arguments"],
        }));
    }
    let usage = json!({ "input_tokens": 1000, "output_tokens": 5, "total_tokens": 1005 });
    json!({ "id": id, "status": "completed", "output": output, "usage": usage })
}

fn full_response(status: u16, body: &Value) -> HttpResponse {
    let body = body.to_string();
    HttpResponse { status, ..response([Some(Piece::Sends(Box::new(|| Ok(body))))]) }
}

fn response<const N: usize>(pieces: [Option<Piece>; N]) -> HttpResponse {
    let body = Box::new(Body(pieces.into_iter().flatten().collect()));
    HttpResponse { status: 200, headers: Vec::new(), body }
}

/// The next part of a server's response.
enum Piece {
    Waits(oneshot::Receiver<()>),
    Sends(Box<dyn FnOnce() -> Result<String, HttpError>>),
}

struct Body(VecDeque<Piece>);

impl HttpBody for Body {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        Box::pin(async move {
            if let Some(Piece::Waits(gate)) = self.0.front_mut() {
                let _ = gate.await;
                self.0.pop_front();
            }
            match self.0.pop_front() {
                Some(Piece::Sends(say)) => say().map(|text| Some(text.into_bytes())),
                _ => Ok(None),
            }
        })
    }
}
