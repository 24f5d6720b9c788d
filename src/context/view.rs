//! The view: which events of the active branch a model is sent.
//!
//! Mirrors `context/view/`. Where the SDK puts a synthetic summary event into its view, this one has the
//! [`crate::event::Condensation`] itself, which stands for its summary.

mod properties;

use crate::{
    context::history::History,
    event::{Body, Condensation, Event},
    llm::message::Message,
    names::Names,
};
use std::{borrow::Cow, cell::RefCell, rc::Rc};

/// The events that a model is sent, in order.
#[derive(Clone, Debug, Default)]
pub struct View {
    events: Vec<Event>,
    unhandled_condensation_request: bool,
    history: RefCell<History>,
}

impl View {
    /// The view of a whole branch, first event first. Everything is left out that would make a history which no
    /// provider accepts: see `properties.rs`.
    pub fn of_branch(branch: &[Event]) -> Self {
        let mut view = Self::default();
        for event in branch {
            view.push(event);
        }
        properties::enforce(&mut view.events, branch);
        view
    }

    /// A view that was taken apart before. `events` are as [`View::events`] gave them.
    pub fn restored(events: Vec<Event>, unhandled_condensation_request: bool) -> Self {
        Self { events, unhandled_condensation_request, history: RefCell::default() }
    }

    /// Takes up the branch's next event. Like the SDK during a run, this leaves nothing out, so that an action whose
    /// result is yet to come stays.
    pub fn push(&mut self, event: &Event) {
        match event.body() {
            Body::Condensation(condensation) => {
                self.condense(event, condensation);
                self.unhandled_condensation_request = false;
            }
            Body::CondensationRequest(_) => self.unhandled_condensation_request = true,
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

    /// The events; a condensation stands for its summary.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether somebody asked for a condensation that has not come yet.
    pub fn has_unhandled_condensation_request(&self) -> bool {
        self.unhandled_condensation_request
    }

    /// What a model is sent. Messages that were made before are not made again.
    pub fn messages(&self) -> Vec<Rc<Message>> {
        self.history.borrow_mut().messages(&self.events)
    }
}

/// The id of an event in a view, which for a summary is not the condensation's own.
pub fn view_id(event: &Event) -> Cow<'_, str> {
    match event.body() {
        Body::Condensation(_) => Cow::Owned(format!("{}-summary", event.id())),
        _ => Cow::Borrowed(event.id().as_str()),
    }
}
