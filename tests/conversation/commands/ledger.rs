//! What has happened, as the store, the tools and the user saw it, and what must never happen.

use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};
use threadkeep::{
    conversation::{
        base_state::ExecutionStatus,
        status::{Effect, Happening, effect},
    },
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
    /// Messages of which the user was told that they are durable.
    sent: RefCell<Vec<String>>,
}

impl Ledger {
    /// The commit was applied.
    pub fn applied(&self, commit: &Commit) {
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
            events.push(Rc::new(event));
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
        if let Some(state) = &commit.base_state {
            self.note_state(&serde_json::from_str(state).unwrap(), commit);
        }
        self.check_answers(commit);
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
        let is_legal = before == status
            || Happening::ALL.iter().any(|happening| effect(*happening, before) == Effect::Becomes(status));
        assert!(is_legal, "{} became {}", before.as_str(), status.as_str());
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
            let count = branch.iter().filter(|after| is_answered_by(action, after)).count();
            assert_eq!(count, 1, "answered again: {event}");
            let has_run = self.runs.borrow().contains_key(action["id"].as_str().unwrap());
            let is_built_in = matches!(action["tool_name"].as_str(), Some("finish" | "think"));
            assert!(
                event["kind"] != "ObservationEvent" || has_run || is_built_in,
                "a result of nothing: {event}"
            );
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
        let events = self.events.borrow();
        for action in self.runs.borrow().keys() {
            let event = &events[self.places.borrow()[action]];
            let count = events.iter().filter(|answer| is_answered_by(event, answer)).count();
            assert_eq!(count, 1, "{action} was run and has {count} answers");
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
