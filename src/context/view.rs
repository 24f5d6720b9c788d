//! The view: the events of the active branch that a model sees.
//!
//! Mirrors `context/view/`. Where the SDK inserts a synthetic summary event, this view contains the
//! [`crate::event::Condensation`] itself in the place of its summary.

mod properties;

use crate::{
    context::history::History,
    event::{Body, Condensation, Event},
    llm::message::Message,
    names::Names,
};
use std::{borrow::Cow, cell::RefCell, rc::Rc};

/// The events that a model sees, in order.
#[derive(Clone, Debug, Default)]
pub struct View {
    events: Vec<Event>,
    history: RefCell<History>,
}

impl View {
    /// The view of a branch, whose events are given from the root on. Omits events with which no provider would accept
    /// the history: see `properties.rs`.
    pub fn of_branch(branch: &[Event]) -> Self {
        let mut view = Self::default();
        for event in branch {
            view.push(event);
        }
        properties::enforce(&mut view.events, branch);
        view
    }

    /// Adds the branch's next event. As in the SDK during a run, this omits nothing, so that an action can wait for its
    /// result.
    pub fn push(&mut self, event: &Event) {
        match event.body() {
            Body::Condensation(condensation) => self.condense(event, condensation),
            Body::SystemPromptEvent(_)
            | Body::MessageEvent(_)
            | Body::ActionEvent(_)
            | Body::ObservationEvent(_)
            | Body::UserRejectObservation(_)
            | Body::AgentErrorEvent(_)
            | Body::CondensationSummaryEvent(_) => self.events.push(event.clone()),
            _ => {}
        }
    }

    /// Removes the last events, which have these ids. None of them is a condensation.
    pub fn undo(&mut self, ids: &Names) {
        self.history = RefCell::default();
        while self.events.pop_if(|event| ids.has(event.id().as_str())).is_some() {}
    }

    fn condense(&mut self, event: &Event, condensation: &Condensation) {
        self.history = RefCell::default();
        let mut forgotten = Names::default();
        for id in &condensation.forgotten_event_ids {
            forgotten.add(id, 0);
        }
        self.events.retain(|event| !forgotten.has(&view_id(event)));
        if let (Some(_), Some(offset)) = (&condensation.summary, condensation.summary_offset) {
            let place = usize::try_from(offset).unwrap_or(usize::MAX).min(self.events.len());
            self.events.insert(place, event.clone());
        }
    }

    /// The events, where a condensation represents its summary.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The messages for the model. Messages of earlier calls are cached.
    pub fn messages(&self) -> Vec<Rc<Message>> {
        self.history.borrow_mut().messages(&self.events)
    }
}

/// The id by which a condensation can refer to an event of the view. A summary has another one than its condensation.
pub fn view_id(event: &Event) -> Cow<'_, str> {
    match event.body() {
        Body::Condensation(_) => Cow::Owned(format!("{}-summary", event.id())),
        _ => Cow::Borrowed(event.id().as_str()),
    }
}
