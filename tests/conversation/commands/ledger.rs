//! What has happened, as the store, the tools and the user saw it, and what must never happen.

use super::{SECRET, settings::Settings};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};
use threadkeep::{
    conversation::status::{StatusChange, Transition},
    format::base_state::ExecutionStatus,
    id::EventId,
    json::FromJson,
    store::Commit,
    tool::Replay,
};

/// The model that the conversation is held against.
#[derive(Default)]
pub struct Ledger {
    /// The log as the store has it.
    events: RefCell<Vec<Rc<Value>>>,
    places: RefCell<HashMap<String, usize>>,
    head: RefCell<Option<String>>,
    status: Cell<ExecutionStatus>,
    inbox: RefCell<HashSet<String>>,
    /// How often each action was run, and in which page last.
    runs: RefCell<HashMap<String, (u32, u32)>>,
    page: Cell<u32>,
    /// How many answers each action has.
    answers: RefCell<HashMap<String, u32>>,
    /// Actions that a user has to allow, and those that one has allowed.
    to_approve: RefCell<HashSet<String>>,
    approved: RefCell<HashSet<String>>,
    /// What was wanted to run and has not come to its end. One that has ended its work may yet take in messages.
    under_way: RefCell<Vec<Run>>,
    run_number: Cell<u32>,
    policy_is_new: Cell<bool>,
    demands: RefCell<Value>,
    /// Messages of which the user was told that they are durable.
    sent: RefCell<Vec<String>>,
    /// `base_state.json` as the store has it.
    state: RefCell<Value>,
    /// The models of all answers that have come whole, and how many of these the page has not lived to see.
    paid: RefCell<Vec<String>>,
    paid_before: Cell<usize>,
    counted_before: Cell<usize>,
    /// The event behind which the model was asked last.
    asked_behind: RefCell<Option<String>>,
    /// Answers that stand in the log.
    taken_in: RefCell<HashSet<String>>,
    is_closed: Cell<bool>,
    pub settings: Settings,
    texts: Cell<u32>,
    pub has_hooks: Cell<bool>,
    /// Messages that a hook denied.
    denied_texts: RefCell<HashSet<String>>,
    /// Whether a hook denied a call, by the call's id.
    denied_calls: RefCell<HashMap<String, bool>>,
}

/// How the user's messages begin.
const MESSAGE: &str = "Go on with ";

struct Run {
    number: u32,
    approves: Option<Vec<String>>,
    has_begun: bool,
}

impl Ledger {
    /// The user wants a run of these calls, or of all.
    pub fn run_begins(&self, approves: Option<&[EventId]>) -> u32 {
        self.run_number.set(self.run_number.get() + 1);
        let approves = approves.map(|ids| ids.iter().map(EventId::to_string).collect());
        let run = Run { number: self.run_number.get(), approves, has_begun: false };
        self.under_way.borrow_mut().push(run);
        self.run_number.get()
    }

    /// That one has come to its end.
    pub fn run_ended(&self, number: u32) {
        self.under_way.borrow_mut().retain(|run| run.number != number);
    }

    /// The run that works.
    pub fn run_under_way(&self) -> Option<u32> {
        let runs = self.under_way.borrow();
        let working = runs.iter().rev().find(|run| run.has_begun);
        working.or(runs.first()).map(|run| run.number)
    }

    /// A policy counts from the next answer on. About a message that a hook denied the model is not asked, except
    /// where another hook denied the end that this brings.
    pub fn model_is_asked(&self, question: &str) {
        self.policy_is_new.set(false);
        self.is_listened_to();
        assert!(!question.contains(SECRET), "the model is told a secret: {question}");
        let Some((_, last)) = question.rsplit_once(MESSAGE) else { return };
        let (number, rest) = last.split_once('.').unwrap();
        let is_denied = self.denied_texts.borrow().contains(&format!("{MESSAGE}{number}."));
        assert!(
            !is_denied || rest.contains("[Stop hook feedback]"),
            "the model is asked about a message that was denied"
        );
    }

    /// An answer will come, to what the model has seen so far.
    pub fn is_listened_to(&self) {
        *self.asked_behind.borrow_mut() = self.last_seen();
    }

    /// A message unlike the others.
    pub fn new_text(&self) -> String {
        self.texts.set(self.texts.get() + 1);
        format!("{MESSAGE}{}.", self.texts.get())
    }

    pub fn is_event(&self, id: &str) -> bool {
        self.places.borrow().contains_key(id)
    }

    /// An answer has come whole, and is to be paid: that of a fallback as one of the model that it stands in for.
    pub fn is_answered(&self, model: &str) {
        self.paid.borrow_mut().push(model.to_owned());
    }

    /// The answer that a page would pick up.
    pub fn background_response(&self) -> Option<String> {
        self.state.borrow()["agent_state"]["background_response"]["id"].as_str().map(str::to_owned)
    }

    /// The last event of which the model is told.
    pub fn last_seen(&self) -> Option<String> {
        self.last_seen_at(self.head.borrow().as_deref())
    }

    fn last_seen_at(&self, head: Option<&str>) -> Option<String> {
        let branch = self.branch(head);
        let is_seen = |event: &&Rc<Value>| {
            let kind = event["kind"].as_str().unwrap();
            kind == "MessageEvent"
                || kind == "ActionEvent"
                || kind == "SystemPromptEvent"
                || answers(event).is_some()
        };
        branch.iter().rev().find(is_seen).map(|event| event["id"].as_str().unwrap().to_owned())
    }

    /// Whether the log has this answer of the model.
    pub fn has_taken_in(&self, answer: &str) -> bool {
        self.taken_in.borrow().contains(answer)
    }

    /// A value of the stored state.
    pub fn stored(&self, pointer: &str) -> Value {
        self.state.borrow().pointer(pointer).cloned().unwrap_or_default()
    }

    /// Under what the answers are counted.
    fn counted(&self) -> Vec<String> {
        let state = self.state.borrow();
        let by_usage = state["stats"]["usage_to_metrics"].as_object().into_iter().flatten();
        let usage_ids = by_usage.flat_map(|(usage_id, metrics)| {
            let answers = metrics["token_usages"].as_array().map_or(0, Vec::len);
            std::iter::repeat_n(usage_id.clone(), answers)
        });
        usage_ids.collect()
    }

    /// Nothing is counted that was not paid.
    fn check_counted(&self) {
        let mut paid = self.paid.borrow().clone();
        for model in self.counted() {
            let place = paid.iter().position(|paid| *paid == model);
            paid.swap_remove(place.unwrap_or_else(|| panic!("no such answer of {model} is to be paid")));
        }
    }

    /// Whatever this page has paid is counted.
    pub fn check_all_is_counted(&self) {
        let counted = self.counted().len() - self.counted_before.get();
        let paid = self.paid.borrow().len() - self.paid_before.get();
        assert!(counted >= paid, "{paid} answers were paid and {counted} counted");
    }

    /// Whoever closed the conversation was told that it is closed.
    pub fn was_closed(&self) {
        self.is_closed.set(true);
    }

    /// The commit was applied.
    pub fn applied(&self, commit: &Commit) {
        assert!(!self.is_closed.get(), "it is closed and still written");
        let mut answers = Vec::new();
        let mut events = self.events.borrow_mut();
        let mut places = self.places.borrow_mut();
        assert_eq!(commit.expected_length, events.len() as u64, "the log is only appended to");
        assert_eq!(commit.truncate_to, None, "nothing is torn here");
        for (id, json) in &commit.events {
            let event: Value = serde_json::from_str(json).unwrap();
            match event["parent_id"].as_str() {
                Some(parent) => assert!(places.contains_key(parent), "a parent that is not there: {json}"),
                None => assert!(events.is_empty(), "no parent: {json}"),
            }
            assert!(places.insert(id.to_string(), events.len()).is_none(), "two events {id}");
            let answer = event["llm_response_id"].as_str().map(str::to_owned);
            if answer.is_some_and(|answer| self.taken_in.borrow_mut().insert(answer)) {
                answers.push(event["parent_id"].as_str().map(str::to_owned));
            }
            events.push(Rc::new(event));
        }
        for (_, json) in &commit.events {
            // What the user writes is his own affair.
            assert!(!json.contains(SECRET), "a secret is stored: {json}");
        }
        for (path, content) in &commit.files {
            let Some(name) = path.as_str().strip_prefix("inbox/") else { continue };
            let id = name.split_once('-').unwrap().1.trim_end_matches(".json").to_owned();
            match content {
                Some(_) => assert!(self.inbox.borrow_mut().insert(id)),
                None => assert!(self.inbox.borrow_mut().remove(&id) && places.contains_key(&id)),
            }
        }
        drop((events, places));
        for parent in answers {
            let seen = self.last_seen_at(parent.as_deref());
            assert_eq!(seen, *self.asked_behind.borrow(), "an answer that is not behind what it answers");
        }
        self.note_hooks(commit);
        if let Some(state) = &commit.base_state {
            assert!(!state.contains(SECRET), "a secret is stored: {state}");
            self.note_state(&serde_json::from_str(state).unwrap(), commit);
        }
        self.check_answers(commit);
        self.check_batch(commit);
    }

    fn note_policy(&self, state: &Value) {
        let demands = json!([state["confirmation_policy"], state["agent_state"]["allowed_tools"]]);
        if *self.demands.borrow() != demands {
            self.policy_is_new.set(true);
            *self.demands.borrow_mut() = demands;
        }
    }

    /// A run that begins allows what waits.
    fn note_approvals(&self, before: ExecutionStatus, status: ExecutionStatus) {
        let mut runs = self.under_way.borrow_mut();
        let may_begin = |(place, run): &(usize, &mut Run)| {
            // Where another one works, it is refused.
            !run.has_begun && (*place == 0 || before != ExecutionStatus::Running)
        };
        let next = runs.iter_mut().enumerate().find(may_begin);
        let Some((_, run)) = next.filter(|_| status == ExecutionStatus::Running) else { return };
        run.has_begun = true;
        match &run.approves {
            Some(ids) => self.approved.borrow_mut().extend(ids.iter().cloned()),
            None if before == ExecutionStatus::WaitingForConfirmation => {
                self.approved.borrow_mut().extend(self.pending());
            }
            None => {}
        }
    }

    /// An answer whose calls the policy is about waits, and nothing of it runs until a user allows it.
    fn check_batch(&self, commit: &Commit) {
        let pending = self.pending();
        let places = self.places.borrow();
        let events = self.events.borrow();
        let batch: Vec<&Value> = commit
            .events
            .iter()
            .filter(|(id, _)| pending.iter().any(|pending| pending == id.as_str()))
            .map(|(id, _)| &*events[places[id.as_str()]])
            .collect();
        let Some(first) = batch.first() else { return };
        let waits = self.status.get() == ExecutionStatus::WaitingForConfirmation;
        let demands = self.demands.borrow();
        let (policy, allowed) = (&demands[0], &demands[1]);
        let is_allowed =
            |action: &Value| allowed.as_array().is_some_and(|allowed| allowed.contains(&action["tool_name"]));
        let is_lone_word =
            batch.len() == 1 && (first["tool_name"] == "finish" || first["tool_name"] == "think");
        // Nobody says how dangerous a call is here.
        let is_strict = policy["kind"] == "AlwaysConfirm" || policy["confirm_unknown"] == true;
        let must_wait = is_strict && !is_lone_word && !batch.iter().all(|action| is_allowed(action));
        assert!(
            waits || !must_wait || self.policy_is_new.get(),
            "{policy} and yet it does not wait: {batch:?}"
        );
        if waits {
            let ids = batch.iter().map(|action| action["id"].as_str().unwrap().to_owned());
            self.to_approve.borrow_mut().extend(ids);
        }
    }

    fn note_state(&self, state: &Value, commit: &Commit) {
        let head = state["leaf_event_id"].as_str().map(str::to_owned);
        let places = self.places.borrow();
        assert!(
            head.as_ref().is_none_or(|head| places.contains_key(head)),
            "HEAD is not in the log: {head:?}"
        );
        if let Some((last, _)) = commit.events.last() {
            assert_eq!(head.as_deref(), Some(last.as_str()), "HEAD is not where the log ends");
        }
        *self.head.borrow_mut() = head;
        let status = ExecutionStatus::from_json(&state["execution_status"].to_string()).unwrap();
        let before = self.status.replace(status);
        *self.state.borrow_mut() = state.clone();
        self.note_policy(state);
        self.check_counted();
        self.note_approvals(before, status);
        let is_legal = before == status
            || Transition::ALL
                .iter()
                .any(|transition| transition.change(before) == StatusChange::Becomes(status));
        assert!(is_legal, "{} became {}", before.as_str(), status.as_str());
    }

    /// What hooks said. Each call is asked about once, and again when it is edited.
    fn note_hooks(&self, commit: &Commit) {
        let (events, places) = (self.events.borrow(), self.places.borrow());
        let new: Vec<&Value> = commit.events.iter().map(|(id, _)| &*events[places[id.as_str()]]).collect();
        for event in &new {
            if event["hook_event_type"] == "UserPromptSubmit" && event["blocked"] == true {
                let text = event["hook_input"]["message"].as_str().unwrap().to_owned();
                self.denied_texts.borrow_mut().insert(text);
            }
            // What stands behind a `finish` is answered at once.
            let is_answered = new.iter().any(|answer| is_answered_by(event, answer));
            if event["kind"] != "ActionEvent" || !event["action"].is_object() || is_answered {
                continue;
            }
            let asked = new
                .iter()
                .find(|hook| hook["hook_event_type"] == "PreToolUse" && hook["action_id"] == event["id"]);
            let call = event["tool_call_id"].as_str().unwrap().to_owned();
            let mut denied = self.denied_calls.borrow_mut();
            match asked {
                Some(hook) => drop(denied.insert(call, hook["blocked"] == true)),
                None => {
                    assert!(!self.has_hooks.get() || denied.contains_key(&call), "nobody has asked: {event}")
                }
            }
        }
    }

    fn is_denied(&self, action: &Value) -> bool {
        let call = action["tool_call_id"].as_str().unwrap();
        self.denied_calls.borrow().get(call).copied().unwrap_or_default()
    }

    /// Each new result answers an action before it that had none.
    fn check_answers(&self, commit: &Commit) {
        let places = self.places.borrow();
        for (id, _) in &commit.events {
            let event = &self.events.borrow()[places[id.as_str()]];
            if answers(event).is_none() {
                continue;
            }
            let branch = self.branch(Some(id.as_str()));
            let action = branch.iter().rev().skip(1).find(|before| is_answered_by(before, event));
            let action = action.unwrap_or_else(|| panic!("an answer to nothing: {event}"));
            let mut answers = self.answers.borrow_mut();
            let count = answers.entry(action["id"].as_str().unwrap().to_owned()).or_default();
            *count += 1;
            assert_eq!(*count, 1, "answered again: {event}");
            let has_run = self.runs.borrow().contains_key(action["id"].as_str().unwrap());
            let is_built_in = matches!(action["tool_name"].as_str(), Some("finish" | "think"));
            let is_copy = commit.events.iter().any(|(id, _)| action["id"] == id.as_str());
            assert!(
                event["kind"] != "ObservationEvent" || is_copy || has_run || is_built_in,
                "a result of nothing: {event}"
            );
            let is_result = event["kind"] == "ObservationEvent";
            assert!(!is_result || is_copy || !self.is_denied(action), "a result of what was denied: {event}");
        }
    }

    /// The events from the root to this one.
    fn branch(&self, head: Option<&str>) -> Vec<Rc<Value>> {
        let (events, places) = (self.events.borrow(), self.places.borrow());
        let mut branch = Vec::new();
        let mut next = head.map(|id| &events[places[id]]);
        while let Some(event) = next {
            branch.push(event.clone());
            next = event["parent_id"].as_str().map(|id| &events[places[id]]);
        }
        branch.reverse();
        branch
    }

    /// The actions of the active branch without an answer.
    fn pending(&self) -> Vec<String> {
        let branch = self.branch(self.head.borrow().as_deref());
        let is_pending = |event: &&Rc<Value>| {
            event["kind"] == "ActionEvent"
                && event["action"].is_object()
                && !branch.iter().any(|answer| is_answered_by(event, answer))
        };
        branch.iter().filter(is_pending).map(|event| event["id"].as_str().unwrap().to_owned()).collect()
    }

    /// A tool begins.
    pub fn runs(&self, action: &str, replay: Replay) {
        assert!(self.places.borrow().contains_key(action), "the action is not durable");
        assert!(self.pending().iter().any(|id| id == action), "the action is answered or left behind");
        assert_eq!(
            self.status.get(),
            ExecutionStatus::Running,
            "a tool begins in a conversation that does not run"
        );
        let is_allowed =
            !self.to_approve.borrow().contains(action) || self.approved.borrow().contains(action);
        assert!(is_allowed, "nobody has allowed it");
        let place = self.places.borrow()[action];
        assert!(!self.is_denied(&self.events.borrow()[place]), "a hook has denied it");
        let mut runs = self.runs.borrow_mut();
        let (count, page) = runs.entry(action.to_owned()).or_insert((0, self.page.get()));
        if *count > 0 {
            assert_ne!(*page, self.page.get(), "the same page runs it twice");
            assert_ne!(replay, Replay::Never, "it runs twice");
        }
        *count += 1;
        *page = self.page.get();
    }

    /// The page has died.
    pub fn page_died(&self) {
        self.page.set(self.page.get() + 1);
        self.under_way.borrow_mut().clear();
        self.is_closed.set(false);
        self.settings.page_died();
        self.paid_before.set(self.paid.borrow().len());
        self.counted_before.set(self.counted().len());
    }

    /// The user was told that this message is durable.
    pub fn was_sent(&self, id: &str) {
        let is_there = self.places.borrow().contains_key(id) || self.inbox.borrow().contains(id);
        assert!(is_there, "the message {id} is not durable");
        self.sent.borrow_mut().push(id.to_owned());
    }

    /// What must hold when everything has come to its end.
    pub fn check_end(&self) {
        assert!(self.inbox.borrow().is_empty(), "messages that nobody took in");
        let branch = self.branch(self.head.borrow().as_deref());
        for id in self.sent.borrow().iter() {
            assert!(branch.iter().any(|event| event["id"] == id.as_str()), "the message {id} is lost");
        }
        assert_eq!(self.pending(), Vec::<String>::new(), "calls without a result");
        for action in self.runs.borrow().keys() {
            assert_eq!(self.answers.borrow().get(action), Some(&1), "{action} was run and has no answer");
        }
    }
}

/// The action, or else the call, that this event answers.
fn answers(event: &Value) -> Option<&str> {
    match event["kind"].as_str()? {
        "ObservationEvent" | "UserRejectObservation" => event["action_id"].as_str(),
        "AgentErrorEvent" => event["tool_call_id"].as_str(),
        _ => None,
    }
}

fn is_answered_by(action: &Value, answer: &Value) -> bool {
    let Some(answered) = answers(answer) else { return false };
    action["kind"] == "ActionEvent" && (action["id"] == answered || action["tool_call_id"] == answered)
}
