//! The event log and the state beside it, and the only way to change either.
//!
//! Invariant: what is in memory is what the store has committed. A change is built on a copy, committed, and only
//! then becomes visible and is told to listeners; a commit that fails changes nothing.

use super::{
    active_branch::{ActiveBranch, load},
    machine::Plan,
    warning::{Warning, about_history},
};
use crate::{
    agent::Draft,
    context::branch,
    error::Result,
    event::{Body, Event, Head, Source},
    fair_mutex::{FairGuard, FairMutex},
    format::{
        base_state::BaseState,
        tree::{Leaf, becomes_head},
    },
    host::Host,
    id::{ConversationId, EventId},
    secret::Mask,
    store::{Commit, Store, StoreError},
};
use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
};

/// Told of every committed event, in order, after nothing is borrowed any more.
pub type Listener = Rc<dyn Fn(&Event)>;

/// The log of one open conversation.
pub struct EventLog {
    pub(super) id: ConversationId,
    pub(super) store: Rc<dyn Store>,
    pub(super) host: Rc<dyn Host>,
    /// What no event may say that is not the user's own.
    pub(super) mask: Mask,
    listener: Listener,
    commits: FairMutex,
    state: RefCell<BaseState>,
    length: Cell<u64>,
    /// Which conversation of this id it is.
    created_at: f64,
    head: RefCell<Option<EventId>>,
    branch: RefCell<Option<ActiveBranch>>,
    /// What is wrong with the active branch.
    damage: RefCell<Vec<Warning>>,
    /// See [`EventLog::must_hold`].
    unstored: RefCell<Vec<Draft>>,
}

impl EventLog {
    /// A log in this state. `head` is the event that `state` names, or the default where it names none.
    pub fn new(
        id: ConversationId,
        store: Rc<dyn Store>,
        host: Rc<dyn Host>,
        listener: Listener,
        state: BaseState,
        (length, created_at): (u64, f64),
        head: Option<EventId>,
    ) -> Self {
        Self {
            id,
            store,
            host,
            mask: Mask::default(),
            listener,
            commits: FairMutex::default(),
            state: RefCell::new(state),
            length: Cell::new(length),
            created_at,
            head: RefCell::new(head),
            branch: RefCell::new(None),
            damage: RefCell::default(),
            unstored: RefCell::new(Vec::new()),
        }
    }

    /// The log of a conversation that does not exist yet, which it does from then on.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn create(
        id: ConversationId,
        store: Rc<dyn Store>,
        host: Rc<dyn Host>,
        listener: Listener,
        state: BaseState,
    ) -> Result<Self> {
        let created_at = host.now();
        store.commit(id, Commit { base_state: Some(state.json()), ..Commit::new(0, created_at) }).await?;
        Ok(Self::new(id, store, host, listener, state, (0, created_at), None))
    }

    /// `base_state.json`, as last committed.
    pub fn state(&self) -> Ref<'_, BaseState> {
        self.state.borrow()
    }

    /// How many events there are.
    pub fn length(&self) -> u64 {
        self.length.get()
    }

    /// The event that the next one will follow.
    pub fn head(&self) -> Option<EventId> {
        self.head.borrow().clone()
    }

    /// A new event id.
    pub fn new_id(&self) -> EventId {
        EventId::from(self.host.random_uuid())
    }

    /// What was found to be wrong with the active branch, once it was read.
    pub fn damage(&self) -> Vec<Warning> {
        self.damage.borrow().clone()
    }

    /// The place of a commit: others wait until it is dropped, in the order in which they came.
    pub async fn queue(&self) -> FairGuard {
        self.commits.lock().await
    }

    /// Loads the active branch, if that has not been done: from then on it is kept current.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn load_branch(&self, _queue: &FairGuard) -> Result<()> {
        if self.branch.borrow().is_none() {
            let loaded = load(&*self.store, self.id, self.head()).await?;
            *self.damage.borrow_mut() = about_history(&loaded);
            *self.branch.borrow_mut() = Some(ActiveBranch::of(&loaded.events));
        }
        Ok(())
    }

    /// Reads the active branch.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn read<T>(&self, read: impl FnOnce(&ActiveBranch) -> T) -> Result<T> {
        if self.branch.borrow().is_none() {
            // A commit between the loading and the keeping would be missed.
            self.load_branch(&self.queue().await).await?;
        }
        Ok(self.with_branch(read))
    }

    /// Reads the active branch as far as it is loaded; one that is not has no events.
    pub fn with_branch<T>(&self, read: impl FnOnce(&ActiveBranch) -> T) -> T {
        match &*self.branch.borrow() {
            Some(branch) => read(branch),
            None => read(&ActiveBranch::of(&[])),
        }
    }

    /// Answers to calls that the next commit has to take along, and the one after it if that fails: what has become
    /// of a call is not forgotten because the store is full. The call has no need of another answer.
    pub fn must_hold(&self, answers: Vec<Draft>) {
        self.unstored.borrow_mut().extend(answers);
    }

    /// Whether there are such answers.
    pub fn has_unstored(&self) -> bool {
        !self.unstored.borrow().is_empty()
    }

    /// Whether one of them answers this call.
    pub fn holds_answer_to(&self, tool_call_id: &str) -> bool {
        self.unstored.borrow().iter().any(|answer| answer.body.answered_call() == Some(tool_call_id))
    }

    /// Whether the log is still there, for who has nothing to write.
    ///
    /// # Errors
    /// `store_lost`, and those of the store.
    pub async fn must_be_there(&self) -> Result<()> {
        match self.store.load(self.id).await? {
            Some(_) => Ok(()),
            None => Err(StoreError::Lost.into()),
        }
    }

    /// Stores a plan together with this state, and returns the events it appended. What changes nothing is not written.
    ///
    /// # Errors
    /// Those of the store; nothing has changed then, but what the plan holds goes into the next one.
    pub async fn commit(
        &self,
        _queue: &FairGuard,
        mut state: BaseState,
        mut plan: Plan,
    ) -> Result<Vec<Event>> {
        self.must_hold(plan.held);
        let settled = self.unstored.borrow().len();
        plan.drafts.splice(0..0, self.unstored.borrow().iter().cloned());
        let expected_length = self.length.get();
        let mut length = plan.truncate_to.unwrap_or(expected_length);
        let mut head = self.head();
        let mut events = Vec::with_capacity(plan.drafts.len());
        for (place, draft) in plan.drafts.into_iter().enumerate() {
            if let Some((start, root)) = &plan.branch
                && *start + settled == place
            {
                head.clone_from(root);
            }
            let event = self.place(draft, head.as_ref(), length);
            if becomes_head(event.kind()) {
                head = Some(event.id().clone());
            }
            if event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_)) {
                state.set_last_user_message_id(Some(event.id()));
            }
            length += 1;
            events.push(event);
        }
        if head != self.head() || length > 0 {
            state.set_leaf(&head.clone().map_or(Leaf::Empty, Leaf::Event));
        }
        let has_changed = state != *self.state.borrow();
        let changes_log = !events.is_empty() || plan.truncate_to.is_some() || !plan.files.is_empty();
        if !has_changed && !changes_log {
            return Ok(events);
        }
        self.store
            .commit(
                self.id,
                Commit {
                    expected_length,
                    created_at: Some(self.created_at),
                    truncate_to: plan.truncate_to,
                    events: events.iter().map(|event| (event.id().clone(), event.json().clone())).collect(),
                    base_state: has_changed.then(|| state.json()),
                    files: plan.files,
                    at: self.host.now(),
                    durability: plan.durability,
                },
            )
            .await?;
        self.unstored.borrow_mut().drain(..settled);
        *self.state.borrow_mut() = state;
        self.length.set(length);
        *self.head.borrow_mut() = head;
        if plan.branch.is_some() {
            // It is read again when somebody asks.
            *self.branch.borrow_mut() = None;
        }
        if let Some(branch) = self.branch.borrow_mut().as_mut() {
            for event in &events {
                branch.push(event);
            }
        }
        for event in &events {
            (self.listener)(event);
        }
        Ok(events)
    }

    fn place(&self, draft: Draft, head: Option<&EventId>, length: u64) -> Event {
        let head = Head {
            id: draft.id.unwrap_or_else(|| self.new_id()),
            timestamp: draft.timestamp.unwrap_or_else(|| self.host.local_time()),
            source: draft.source,
            parent: branch::parent_for_next(head, length == 0),
        };
        let event = Event::new(head, draft.body);
        if draft.source == Source::User {
            return event;
        }
        match self.mask.event(event.json()) {
            Some(json) => Event::decode(event.id().clone(), json.into()),
            None => event,
        }
    }
}
