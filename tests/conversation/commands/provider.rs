//! The servers of the models, one each. Some work on an answer by themselves and keep it.

use super::{Held, ledger::Ledger, script::Reply};
use crate::support::{TestHost, check_messages, completion};
use futures_channel::oneshot;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
};
use threadkeep::llm::{
    ApiMode, Llm, LlmOptions,
    transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
};

/// A model as its user has configured it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    #[default]
    Plain,
    WithFallback,
    Background,
    /// Asked again and again whether the answer is there.
    BackgroundWithoutStream,
    BackgroundWithFallback,
}

/// What a fallback's server is called behind the name of the model that it stands in for.
const MINI: &str = "-mini";

impl Model {
    pub const ALL: [Self; 5] = [
        Self::Plain,
        Self::WithFallback,
        Self::Background,
        Self::BackgroundWithoutStream,
        Self::BackgroundWithFallback,
    ];

    /// Its server.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "gpt-4o",
            Self::WithFallback => "gpt-4.1",
            Self::Background => "gpt-5",
            Self::BackgroundWithoutStream => "gpt-5.1",
            Self::BackgroundWithFallback => "gpt-5.2",
        }
    }

    pub fn llm(self, provider: &Rc<Provider>, host: &Rc<TestHost>) -> Llm {
        let is_kept = !matches!(self, Self::Plain | Self::WithFallback);
        let one = |name: &str| {
            let options = LlmOptions {
                base_url: Some(format!("http://{name}/v1")),
                api_mode: Some(if is_kept { ApiMode::Responses } else { ApiMode::Chat }),
                background: Some(is_kept),
                stream: Some(is_kept && self != Self::BackgroundWithoutStream),
                num_retries: Some(2),
                usage_id: Some(self.name().into()),
                ..LlmOptions::new(format!("openai/{name}"))
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

/// All of the servers.
pub struct Provider {
    ledger: Rc<Ledger>,
    held: Rc<Held>,
    replies: RefCell<VecDeque<Reply>>,
    /// How many answers have been begun.
    begun: Cell<usize>,
    is_prompt: Cell<bool>,
    kept: RefCell<Vec<Rc<Kept>>>,
    /// The question that failed last, if so that another model may be asked.
    failed: Rc<RefCell<Option<String>>>,
}

/// An answer that is worked on whether or not anybody listens.
struct Kept {
    id: String,
    server: String,
    question: String,
    /// The last event that the model had seen.
    after: Option<String>,
    reply: Reply,
    place: usize,
    is_slow: Cell<bool>,
    connections: Cell<u32>,
    standing: Cell<Standing>,
    /// Whether somebody has been told its id.
    is_known: Cell<bool>,
    /// In which run it was listened to last.
    run: Cell<Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
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
            kept: RefCell::default(),
            failed: Rc::default(),
        })
    }

    /// From here on each answer is the last one, and comes at once.
    pub fn comes_to_its_end(&self) {
        self.replies.borrow_mut().clear();
        self.is_prompt.set(true);
        self.kept.borrow().iter().for_each(|kept| kept.is_slow.set(false));
    }

    /// Nothing that was kept is there any more.
    pub fn forgets(&self) {
        self.kept.borrow().iter().for_each(|kept| kept.standing.set(Standing::Forgotten));
    }

    /// What is worked on for the run that is under way, which knows of it.
    pub fn working(&self) -> Vec<String> {
        let run = self.ledger.run_under_way();
        let kept = self.kept.borrow();
        let is_working = |kept: &&Rc<Kept>| {
            kept.standing.get() == Standing::Working && kept.is_known.get() && kept.run.get() == run
        };
        kept.iter().filter(|_| run.is_some()).filter(is_working).map(|kept| kept.id.clone()).collect()
    }

    /// Nobody waits for these any more, and nobody is to pay for them.
    pub fn check_stopped(&self, ids: &[String]) {
        for kept in self.kept.borrow().iter().filter(|kept| ids.contains(&kept.id)) {
            assert_ne!(
                kept.standing.get(),
                Standing::Working,
                "{} is interrupted and still worked on",
                kept.id
            );
        }
    }

    /// The next reply, its number, and whether it takes its time.
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
        (self.replies.borrow_mut().pop_front().unwrap_or(Reply::LastWord), place, is_slow)
    }

    fn chat(&self, server: &str, body: &Value) -> LocalBoxFuture<'static, Response> {
        check_messages(body["messages"].as_array().unwrap());
        let question = body["messages"].to_string();
        let (reply, place, is_slow) = self.next(server, &question);
        let gate = is_slow.then(|| self.held.hold());
        let (ledger, failed, server) = (self.ledger.clone(), self.failed.clone(), server.to_owned());
        Box::pin(async move {
            if let Some(gate) = gate {
                let _ = gate.await;
            }
            *failed.borrow_mut() = Some(question).filter(|_| reply.may_be_left_to_another());
            if matches!(reply, Reply::Breaks) {
                return Err(HttpError::Network("reset".into()));
            }
            Ok(match reply.message(place) {
                Ok(message) => {
                    ledger.is_answered(server.trim_end_matches(MINI));
                    whole(200, &completion(message))
                }
                Err((status, error)) => whole(status, &error),
            })
        })
    }

    /// A new answer.
    fn respond(&self, server: &str, body: &Value) -> Response {
        assert_eq!(body["background"], true);
        let question = format!("{}{}", body["instructions"], body["input"]);
        if let Some(kept) = self.ledger.background_response().and_then(|id| self.find(&id)) {
            let is_there = matches!(kept.standing.get(), Standing::Working | Standing::Done);
            let is_same = kept.server == server && kept.question == question;
            assert!(!(is_there && is_same), "{} is remembered and asked for once more", kept.id);
        }
        let (reply, place, is_slow) = self.next(server, &question);
        if let Reply::Fails(..) = reply {
            *self.failed.borrow_mut() = Some(question).filter(|_| reply.may_be_left_to_another());
            let (status, error) = reply.message(place).unwrap_err();
            return Ok(whole(status, &error));
        }
        let kept = Rc::new(Kept {
            id: format!("resp_{place:016}"),
            server: server.to_owned(),
            question,
            after: self.ledger.last_seen(),
            reply,
            place,
            is_slow: Cell::new(is_slow),
            connections: Cell::default(),
            standing: Cell::new(Standing::Working),
            is_known: Cell::default(),
            run: Cell::new(self.ledger.run_under_way()),
        });
        self.kept.borrow_mut().push(kept.clone());
        if body["stream"] == true {
            return Ok(self.stream(&kept));
        }
        kept.is_known.set(true);
        Ok(whole(200, &json!({ "id": kept.id, "status": "queued", "output": [] })))
    }

    /// An answer that was begun before, or what is left of it.
    fn resume(&self, server: &str, id: &str, is_streaming: bool) -> Response {
        let kept = self.find(id).unwrap_or_else(|| panic!("nobody has heard of {id}"));
        assert_eq!(kept.server, server, "{id} is asked for where it is not");
        let run = self.ledger.run_under_way();
        if kept.run.replace(run) != run {
            assert_eq!(kept.after, self.ledger.last_seen(), "{id} is the answer to another question");
        } else {
            assert_ne!(kept.standing.get(), Standing::Failed, "{id} is known to have failed");
        }
        assert!(!self.ledger.has_taken_in(id), "{id} has been taken in");
        self.ledger.is_listened_to();
        match kept.standing.get() {
            Standing::Forgotten => Ok(whole(404, &json!({ "error": { "message": "There is none." } }))),
            _ if is_streaming => Ok(self.stream(&kept)),
            _ => {
                kept.is_known.set(true);
                Ok(response([self.wait(&kept), Some(self.end(&kept, false))]))
            }
        }
    }

    fn find(&self, id: &str) -> Option<Rc<Kept>> {
        self.kept.borrow().iter().find(|kept| kept.id == id).cloned()
    }

    fn stream(&self, kept: &Rc<Kept>) -> HttpResponse {
        let answer = kept.clone();
        let begins = Piece::Says(Box::new(move || {
            answer.is_known.set(true);
            let created =
                json!({ "type": "response.created", "response": { "id": answer.id, "status": "queued" } });
            Ok(format!("data: {created}\n\n"))
        }));
        response([Some(begins), self.wait(kept), Some(self.end(kept, true))])
    }

    fn wait(&self, kept: &Rc<Kept>) -> Option<Piece> {
        kept.is_slow.get().then(|| Piece::Waits(self.held.hold()))
    }

    fn end(&self, kept: &Rc<Kept>, is_event: bool) -> Piece {
        let (kept, ledger, failed) = (kept.clone(), self.ledger.clone(), self.failed.clone());
        Piece::Says(Box::new(move || {
            kept.is_slow.set(false);
            kept.connections.set(kept.connections.get() + 1);
            if matches!(kept.reply, Reply::Breaks) && kept.connections.get() == 1 {
                return Err(HttpError::Network("reset".into()));
            }
            let answer = match (kept.standing.get(), kept.reply.message(kept.place)) {
                (Standing::Cancelled, _) => json!({ "id": kept.id, "status": "cancelled" }),
                (_, Err((_, error))) => {
                    kept.standing.set(Standing::Failed);
                    json!({ "id": kept.id, "status": "failed", "error": error["error"] })
                }
                (standing, Ok(message)) => {
                    if standing != Standing::Done {
                        ledger.is_answered(kept.server.trim_end_matches(MINI));
                    }
                    kept.standing.set(Standing::Done);
                    completed(&kept.id, &message)
                }
            };
            *failed.borrow_mut() =
                Some(kept.question.clone()).filter(|_| kept.reply.may_be_left_to_another());
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
        if path == "chat/completions" {
            return self.chat(server, &body);
        }
        let Some(path) = path.strip_prefix("responses/") else {
            return Box::pin(ready(self.respond(server, &body)));
        };
        if let Some(id) = path.strip_suffix("/cancel") {
            let kept = self.find(id).unwrap_or_else(|| panic!("nobody has heard of {id}"));
            if kept.standing.get() == Standing::Working {
                kept.standing.set(Standing::Cancelled);
            }
            return Box::pin(ready(Ok(whole(200, &json!({})))));
        }
        let (id, query) = path.split_once('?').unwrap_or((path, ""));
        Box::pin(ready(self.resume(server, id, query.contains("stream=true"))))
    }
}

/// An answer of the Responses API that says what this message of Chat Completions says.
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
    let usage = json!({ "input_tokens": 10, "output_tokens": 5, "total_tokens": 15 });
    json!({ "id": id, "status": "completed", "output": output, "usage": usage })
}

fn whole(status: u16, body: &Value) -> HttpResponse {
    let body = body.to_string();
    HttpResponse { status, ..response([Some(Piece::Says(Box::new(|| Ok(body))))]) }
}

fn response<const N: usize>(pieces: [Option<Piece>; N]) -> HttpResponse {
    let body = Box::new(Body(pieces.into_iter().flatten().collect()));
    HttpResponse { status: 200, headers: Vec::new(), body }
}

/// What a server does next.
enum Piece {
    Waits(oneshot::Receiver<()>),
    Says(Box<dyn FnOnce() -> Result<String, HttpError>>),
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
                Some(Piece::Says(say)) => say().map(|text| Some(text.into_bytes())),
                _ => Ok(None),
            }
        })
    }
}
