//! Records the events of a random test as seen by the store, the tools and the user, and checks the invariants.

use super::{
    SECRET,
    aside::{DEMAND, MAX_ATTEMPTS, QUESTION},
    drafts::Drafts,
    provider::SUMMARY,
    settings::Settings,
};
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

/// The reference model with which the conversation is compared.
#[derive(Default)]
pub struct Ledger {
    /// The log in the store.
    events: RefCell<Vec<Rc<Value>>>,
    places: RefCell<HashMap<String, usize>>,
    head: RefCell<Option<String>>,
    status: Cell<ExecutionStatus>,
    inbox: RefCell<HashSet<String>>,
    /// For each action the number of its runs, and the page of the last one.
    runs: RefCell<HashMap<String, (u32, u32)>>,
    page: Cell<u32>,
    /// The number of answers to each action.
    answers: RefCell<HashMap<String, u32>>,
    /// The actions that need the user's approval, and those that have it.
    to_approve: RefCell<HashSet<String>>,
    approved: RefCell<HashSet<String>>,
    /// The calls of `run` that have not returned. After its work, a run may still append messages of the inbox.
    under_way: RefCell<Vec<Run>>,
    run_number: Cell<u32>,
    policy_is_new: Cell<bool>,
    demands: RefCell<Value>,
    /// Messages whose `sendMessage` has returned.
    sent: RefCell<Vec<String>>,
    /// The base state in the store.
    state: RefCell<Value>,
    /// The models of all complete answers, and the numbers of paid and counted ones at the start of this page.
    paid: RefCell<Vec<String>>,
    paid_before: Cell<usize>,
    counted_before: Cell<usize>,
    /// The last event in the history when the model was asked last.
    asked_after: RefCell<Option<String>>,
    /// The response ids in the log.
    stored_answers: RefCell<HashSet<String>>,
    is_closed: Cell<bool>,
    /// The number of moves to another branch that are under way, and whether there was any.
    moves: Cell<u32>,
    has_moved: Cell<bool>,
    pub settings: Settings,
    drafts: Drafts,
    texts: Cell<u32>,
    pub has_hooks: Cell<bool>,
    /// Messages that a hook denied.
    denied_texts: RefCell<HashSet<String>>,
    /// Whether a hook denied a call, by the call's id.
    denied_calls: RefCell<HashMap<String, bool>>,
    /// The number of condensations since the last step of the run.
    condensed: Cell<u32>,
}

/// A run condenses once between two steps, and once more if that was not enough.
const MAX_CONDENSED: u32 = 2;

/// The beginning of the user's messages.
const MESSAGE: &str = "Go on with ";

/// The parent of an event that begins a branch of its own.
const ROOT: &str = "__root__";

struct Run {
    number: u32,
    approves: Option<Vec<String>>,
    has_begun: bool,
}

impl Ledger {
    /// A run of these calls, or of all, is requested.
    pub fn run_begins(&self, approves: Option<&[EventId]>) -> u32 {
        self.run_number.set(self.run_number.get() + 1);
        let approves = approves.map(|ids| ids.iter().map(EventId::to_string).collect());
        let run = Run { number: self.run_number.get(), approves, has_begun: false };
        self.under_way.borrow_mut().push(run);
        self.run_number.get()
    }

    /// The run with this number has returned.
    pub fn run_ended(&self, number: u32) {
        if self.under_way.borrow().iter().any(|run| run.number == number && run.has_begun) {
            self.condensed.set(0);
        }
        self.under_way.borrow_mut().retain(|run| run.number != number);
    }

    /// The number of the run that is working.
    pub fn run_under_way(&self) -> Option<u32> {
        let runs = self.under_way.borrow();
        let working = runs.iter().rev().find(|run| run.has_begun);
        working.or(runs.first()).map(|run| run.number)
    }

    /// A request is sent to the model. A policy applies from the next answer on. The model must not be asked about a
    /// message that a hook denied, unless another hook denied the resulting end of the run.
    pub fn model_is_asked(&self, question: &str) {
        self.policy_is_new.set(false);
        self.expects_answer();
        assert!(!question.contains(SECRET), "a secret is sent to the model: {question}");
        let Some((_, last)) = question.rsplit_once(MESSAGE) else { return };
        let (number, rest) = last.split_once('.').unwrap();
        if rest.contains(SUMMARY) {
            // Later messages are in the summary.
            return;
        }
        let is_denied = self.denied_texts.borrow().contains(&format!("{MESSAGE}{number}."));
        assert!(
            !is_denied || rest.contains("[Stop hook feedback]"),
            "the model is asked about a message that was denied"
        );
    }

    /// An answer to the present history is expected.
    pub fn expects_answer(&self) {
        self.condensed.set(0);
        *self.asked_after.borrow_mut() = self.last_seen();
    }

    /// A unique text for a message.
    pub fn new_text(&self) -> String {
        self.texts.set(self.texts.get() + 1);
        format!("{MESSAGE}{}.", self.texts.get())
    }

    pub fn is_event(&self, id: &str) -> bool {
        self.places.borrow().contains_key(id)
    }

    /// A complete answer has arrived and has to be paid. An answer of a fallback is paid under its primary model.
    pub fn is_answered(&self, model: &str) {
        self.paid.borrow_mut().push(model.to_owned());
    }

    /// The stored background response.
    pub fn background_response(&self) -> Option<String> {
        self.state.borrow()["agent_state"]["background_response"]["id"].as_str().map(str::to_owned)
    }

    /// The last event that the model sees.
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

    /// Whether the log contains this answer of the model.
    pub fn has_answer(&self, answer: &str) -> bool {
        self.stored_answers.borrow().contains(answer)
    }

    /// A value of the stored state.
    pub fn stored(&self, pointer: &str) -> Value {
        self.state.borrow().pointer(pointer).cloned().unwrap_or_default()
    }

    /// The usage ids under which answers are counted, once for each answer.
    fn counted(&self) -> Vec<String> {
        let state = self.state.borrow();
        let by_usage = state["stats"]["usage_to_metrics"].as_object().into_iter().flatten();
        let usage_ids = by_usage.flat_map(|(usage_id, metrics)| {
            let answers = metrics["response_latencies"].as_array().map_or(0, Vec::len);
            std::iter::repeat_n(usage_id.clone(), answers)
        });
        usage_ids.collect()
    }

    /// Checks that every counted answer was paid.
    fn check_counted(&self) {
        let mut paid = self.paid.borrow().clone();
        for model in self.counted() {
            let place = paid.iter().position(|paid| *paid == model);
            paid.swap_remove(place.unwrap_or_else(|| panic!("no such answer of {model} is to be paid")));
        }
    }

    /// Checks that every answer that this page has paid is counted.
    pub fn check_all_is_counted(&self) {
        let counted = self.counted().len() - self.counted_before.get();
        let paid = self.paid.borrow().len() - self.paid_before.get();
        assert!(counted >= paid, "{paid} answers were paid and {counted} counted");
    }

    /// `close` has returned.
    pub fn was_closed(&self) {
        self.is_closed.set(true);
    }

    /// A commit was applied.
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
                Some(ROOT) => assert!(!events.is_empty() && self.has_moved.get(), "a second root: {json}"),
                Some(parent) => assert!(places.contains_key(parent), "a parent that is not there: {json}"),
                None => assert!(events.is_empty(), "no parent: {json}"),
            }
            assert!(places.insert(id.to_string(), events.len()).is_none(), "two events {id}");
            self.note_condensation(&event);
            let answer = event["llm_response_id"].as_str().filter(|_| event["kind"] != "Condensation");
            let answer = answer.map(str::to_owned);
            if answer.is_some_and(|answer| self.stored_answers.borrow_mut().insert(answer)) {
                answers.push(event["parent_id"].as_str().map(str::to_owned));
            }
            events.push(Rc::new(event));
        }
        for (_, json) in &commit.events {
            assert!(!json.contains(QUESTION), "a question is stored: {json}");
            // The user's own messages are not masked, but the tests do not put the secret into them.
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
        self.drafts.applied(commit, self.page.get());
        for parent in answers {
            let seen = self.last_seen_at(parent.as_deref());
            assert_eq!(seen, *self.asked_after.borrow(), "an answer that is not behind what it answers");
        }
        self.note_hooks(commit);
        if let Some(state) = &commit.base_state {
            assert!(!state.contains(SECRET), "a secret is stored: {state}");
            self.note_state(&serde_json::from_str(state).unwrap(), commit);
        }
        self.check_answers(commit);
        self.check_batch(commit);
    }

    fn note_condensation(&self, event: &Value) {
        match event["kind"].as_str().unwrap() {
            "Condensation" => self.condensed.set(self.condensed.get() + 1),
            "CondensationRequest" | "ObservationEvent" | "AgentErrorEvent" => self.condensed.set(0),
            _ => {}
        }
        assert!(self.condensed.get() <= MAX_CONDENSED, "a run only condenses");
    }

    fn note_policy(&self, state: &Value) {
        let demands = json!([state["confirmation_policy"], state["agent_state"]["allowed_tools"]]);
        if *self.demands.borrow() != demands {
            self.policy_is_new.set(true);
            *self.demands.borrow_mut() = demands;
        }
    }

    /// Records the approvals by a run that begins.
    fn note_approvals(&self, before: ExecutionStatus, status: ExecutionStatus) {
        let mut runs = self.under_way.borrow_mut();
        let may_begin = |(place, run): &(usize, &mut Run)| {
            // A run is refused while another one is working.
            !run.has_begun && (*place == 0 || before != ExecutionStatus::Running)
        };
        let next = runs.iter_mut().enumerate().find(may_begin);
        // A run that a pause has stopped before it began approves the calls as well.
        let begins = status == ExecutionStatus::Running
            || (before, status) == (ExecutionStatus::WaitingForConfirmation, ExecutionStatus::Paused);
        let Some((_, run)) = next.filter(|_| begins) else { return };
        run.has_begun = true;
        match &run.approves {
            Some(ids) => self.approved.borrow_mut().extend(ids.iter().cloned()),
            None if before == ExecutionStatus::WaitingForConfirmation => {
                self.approved.borrow_mut().extend(self.pending());
            }
            None => {}
        }
    }

    /// Checks that a batch waits if the policy demands it, and records that it then needs approval.
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
        let is_exempt = batch.len() == 1 && (first["tool_name"] == "finish" || first["tool_name"] == "think");
        // Without an analyzer, all risks are unknown.
        let is_strict = policy["kind"] == "AlwaysConfirm" || policy["confirm_unknown"] == true;
        let must_wait = is_strict && !is_exempt && !batch.iter().all(|action| is_allowed(action));
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
        let before = self.head.borrow().clone();
        let last = commit.events.last().map(|(id, _)| id.to_string()).or(before);
        assert!(head == last || self.moves.get() > 0, "HEAD is at {head:?} instead of {last:?}");
        *self.head.borrow_mut() = head;
        let status = ExecutionStatus::from_json(&state["execution_status"].to_string()).unwrap();
        let before = self.status.replace(status);
        if before != status {
            self.condensed.set(0);
        }
        *self.state.borrow_mut() = state.clone();
        self.note_policy(state);
        self.check_counted();
        self.check_demands(state);
        self.note_approvals(before, status);
        // A pause that comes while a run begins is stored with it.
        let is_paused_run = status == ExecutionStatus::Paused
            && Transition::Run.change(before) == StatusChange::Becomes(ExecutionStatus::Running);
        let is_legal = before == status
            || is_paused_run
            || Transition::ALL
                .iter()
                .any(|transition| transition.change(before) == StatusChange::Becomes(status));
        assert!(is_legal, "{} became {}", before.as_str(), status.as_str());
    }

    /// Checks that the critic has demanded as many attempts as are counted, and not too many.
    fn check_demands(&self, state: &Value) {
        let events = self.events.borrow();
        let is_demand = |event: &&Rc<Value>| {
            let text = event["llm_message"]["content"][0]["text"].as_str();
            event["source"] == "user" && text.is_some_and(|text| text.starts_with(DEMAND))
        };
        let demands = events.iter().filter(is_demand).count() as u64;
        let counted = state["agent_state"]["iterative_refinement_iteration"].as_u64().unwrap_or(0);
        assert_eq!(demands, counted, "the critic's demands are counted wrongly");
        assert!(counted <= MAX_ATTEMPTS.into(), "the critic demands too many attempts");
    }

    /// Records the answers of hooks. The hook must have been asked about each call, and again after an edit.
    fn note_hooks(&self, commit: &Commit) {
        let (events, places) = (self.events.borrow(), self.places.borrow());
        let new: Vec<&Value> = commit.events.iter().map(|(id, _)| &*events[places[id.as_str()]]).collect();
        for event in &new {
            if event["hook_event_type"] == "UserPromptSubmit" && event["blocked"] == true {
                let text = event["hook_input"]["message"].as_str().unwrap().to_owned();
                self.denied_texts.borrow_mut().insert(text);
            }
            // Calls after a `finish` are answered at once, without asking the hook.
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

    /// Checks that each new result answers an earlier action that had none.
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
            let parent = event["parent_id"].as_str().filter(|id| *id != ROOT);
            next = parent.map(|id| &events[places[id]]);
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

    /// A move to another branch is requested.
    pub fn move_begins(&self) {
        self.moves.set(self.moves.get() + 1);
        self.has_moved.set(true);
    }

    /// The move has returned.
    pub fn move_ended(&self) {
        self.moves.set(self.moves.get() - 1);
    }

    /// The page has died.
    pub fn page_died(&self) {
        self.page.set(self.page.get() + 1);
        self.under_way.borrow_mut().clear();
        self.is_closed.set(false);
        self.moves.set(0);
        self.settings.page_died();
        self.paid_before.set(self.paid.borrow().len());
        self.counted_before.set(self.counted().len());
    }

    /// `sendMessage` has returned this message.
    pub fn was_sent(&self, id: &str) {
        let is_present = self.places.borrow().contains_key(id) || self.inbox.borrow().contains(id);
        assert!(is_present, "the message {id} is not durable");
        self.sent.borrow_mut().push(id.to_owned());
    }

    /// Checks the invariants that hold after all tasks have ended.
    pub fn check_end(&self) {
        assert!(self.inbox.borrow().is_empty(), "messages are left in the inbox");
        self.drafts.check_end();
        let branch = self.branch(self.head.borrow().as_deref());
        for id in self.sent.borrow().iter() {
            let is_on_branch = branch.iter().any(|event| event["id"] == id.as_str());
            let is_left = self.has_moved.get() && self.is_event(id);
            assert!(is_on_branch || is_left, "the message {id} is lost");
        }
        assert_eq!(self.pending(), Vec::<String>::new(), "calls without a result");
        for action in self.runs.borrow().keys() {
            assert_eq!(self.answers.borrow().get(action), Some(&1), "{action} was run and has no answer");
        }
    }
}

/// The action id or the call id that this event answers.
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
