//! The view: the events of the active branch that a model sees.
//!
//! Mirrors `context/view/`. Where the SDK inserts a synthetic summary event, this view contains the
//! [`crate::event::Condensation`] itself in the place of its summary.

mod boundaries;
mod properties;

use crate::{
    context::history::History,
    event::{Body, Condensation, Event},
    llm::message::{Content, Message},
};
use std::{borrow::Cow, cell::RefCell, collections::HashSet, rc::Rc};

/// The events that a model sees, in order.
#[derive(Clone, Debug, Default)]
pub struct View {
    events: Vec<Event>,
    is_condensation_requested: bool,
    /// The number of events at the start that were in the view directly after its last condensation.
    condensed: usize,
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
        let condensed = view.events.get(..view.condensed).unwrap_or_default().to_vec();
        properties::enforce(&mut view.events, branch);
        view.condensed = view.count_of(&condensed);
        view
    }

    /// The number of these events that are in the view.
    fn count_of(&self, events: &[Event]) -> usize {
        if events.is_empty() {
            return 0;
        }
        let ids: HashSet<&str> = self.events.iter().map(|event| event.id().as_str()).collect();
        events.iter().filter(|event| ids.contains(event.id().as_str())).count()
    }

    /// Adds the branch's next event. As in the SDK during a run, this omits nothing, so that an action can wait for its
    /// result.
    pub fn push(&mut self, event: &Event) {
        match event.body() {
            Body::Condensation(condensation) => self.condense(event, condensation),
            Body::CondensationRequest(_) => self.is_condensation_requested = true,
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
    pub fn undo(&mut self, ids: &HashSet<&str>) {
        self.history = RefCell::default();
        while self.events.pop_if(|event| ids.contains(event.id().as_str())).is_some() {}
    }

    fn condense(&mut self, event: &Event, condensation: &Condensation) {
        self.history = RefCell::default();
        self.is_condensation_requested = false;
        let forgotten: HashSet<&str> = condensation.forgotten_event_ids.iter().map(String::as_str).collect();
        self.events.retain(|event| !forgotten.contains(&*view_id(event)));
        if let (Some(_), Some(offset)) = (&condensation.summary, condensation.summary_offset) {
            let place = usize::try_from(offset).unwrap_or(usize::MAX).min(self.events.len());
            self.events.insert(place, event.clone());
        }
        self.condensed = self.events.len();
    }

    /// The events that were added since the last condensation, or all events. Requests that were made since then consist
    /// of the events before these, and of a part of these.
    pub fn since_condensation(&self) -> std::ops::Range<usize> {
        self.condensed..self.events.len()
    }

    /// The events, where a condensation represents its summary.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether the last `CondensationRequest` was not followed by a condensation.
    pub fn is_condensation_requested(&self) -> bool {
        self.is_condensation_requested
    }

    /// For each place between two events, before the first and after the last: whether a summary may be inserted there,
    /// and whether a range of events that ends there may be removed.
    pub fn boundaries(&self) -> Vec<bool> {
        boundaries::boundaries(&self.events)
    }

    /// The messages for the model, which is asked to go on if they end with an answer that was cut off. Messages of earlier
    /// calls are cached.
    pub fn messages(&self) -> Vec<Rc<Message>> {
        let mut messages = self.history.borrow_mut().messages(&self.events);
        if let (Some(Body::MessageEvent(answer)), Some(mark)) =
            (self.events.last().map(Event::body), messages.last_mut())
            && answer.is_cut_off()
        {
            Rc::make_mut(mark).content.push(Content::text(include_str!("prompts/go_on.md").trim_ascii_end()));
        }
        messages
    }
}

/// The id by which a condensation can refer to an event of the view. A summary has another one than its condensation.
pub fn view_id(event: &Event) -> Cow<'_, str> {
    match event.body() {
        Body::Condensation(_) => Cow::Owned(format!("{}-summary", event.id())),
        _ => Cow::Borrowed(event.id().as_str()),
    }
}
