//! What is kept in memory of the active branch: what the model sees, the calls that wait for a result, and the ids
//! that are taken. All of it follows from the events.

use super::stuck_detector::WINDOW;
use crate::{
    context::{
        branch::{Branch, BranchWalk, Wanted},
        view::View,
    },
    error::Result,
    event::{Body, Event},
    format::tree::becomes_head,
    id::{ConversationId, EventId},
    names::Names,
    store::Store,
};

/// How many events are read at once.
const PAGE: u64 = 512;

/// Derived from the events from the root to HEAD.
pub struct ActiveBranch {
    /// What the model sees.
    pub view: View,
    /// Valid actions without a result, oldest first.
    pub pending: Vec<Event>,
    /// The last events, whether the model sees them or not.
    pub recent: Vec<Event>,
    /// Ids of calls and responses.
    pub taken: Names,
    /// All events, as long as the view is without the calls that waited when it was made: a whole view leaves them
    /// out, so it is made again when they have their results.
    unsettled: Option<Vec<Event>>,
}

impl ActiveBranch {
    /// Of a branch's events, from the root to HEAD.
    pub fn of(events: &[Event]) -> Self {
        let view = View::of_branch(events);
        let mut branch =
            Self { view, pending: Vec::new(), recent: Vec::new(), taken: Names::default(), unsettled: None };
        for event in events {
            branch.note(event);
        }
        if !branch.pending.is_empty() {
            branch.unsettled = Some(events.to_vec());
        }
        branch
    }

    /// Of the branch that this event was appended to.
    pub fn push(&mut self, event: &Event) {
        self.view.push(event);
        self.note(event);
        let Some(mut events) = self.unsettled.take() else { return };
        events.push(event.clone());
        if self.pending.is_empty() {
            self.view = View::of_branch(&events);
        } else {
            self.unsettled = Some(events);
        }
    }

    /// Observations name the action they answer, errors the call (`conversation/state.py`, `get_unmatched_actions`).
    fn note(&mut self, event: &Event) {
        // A state update has no children: it is on no branch.
        if becomes_head(event.kind()) {
            if self.recent.len() >= WINDOW {
                self.recent.remove(0);
            }
            self.recent.push(event.clone());
        }
        match event.body() {
            Body::ActionEvent(action) => {
                self.taken.add(&action.tool_call_id, 0);
                self.taken.add(&action.llm_response_id, 0);
                if action.action.is_some() {
                    self.pending.push(event.clone());
                }
            }
            Body::MessageEvent(message) => {
                if let Some(id) = &message.llm_response_id {
                    self.taken.add(id, 0);
                }
            }
            Body::ObservationEvent(observation) => self.settle_action(&observation.action_id),
            Body::UserRejectObservation(rejection) => self.settle_action(&rejection.action_id),
            Body::AgentErrorEvent(error) => self.settle_call(&error.tool_call_id),
            _ => {}
        }
    }

    fn settle_action(&mut self, action_id: &str) {
        self.pending.retain(|pending| pending.id().as_str() != action_id);
    }

    fn settle_call(&mut self, tool_call_id: &str) {
        self.pending.retain(|pending| match pending.body() {
            Body::ActionEvent(action) => action.tool_call_id != tool_call_id,
            _ => true,
        });
    }
}

/// The events from the root to `head`. Reads backwards and page by page, so what was left behind on other branches
/// costs little.
pub async fn load(store: &dyn Store, conversation: ConversationId, head: Option<EventId>) -> Result<Branch> {
    let Some(head) = head else { return Ok(Branch::default()) };
    let mut walk = BranchWalk::from(Wanted::Id(head));
    let mut page = Page::default();
    let mut branch = Vec::new();
    while let Some(wanted) = walk.wants().cloned() {
        let index = match page.find(&wanted) {
            Some(index) => Some(index),
            None => {
                let index = match &wanted {
                    Wanted::Index(index) => Some(*index),
                    Wanted::Id(id) => store.index_of(conversation, id).await?,
                };
                if let Some(index) = index {
                    page = Page::ending_with(store, conversation, index).await?;
                }
                index
            }
        };
        match index.and_then(|index| Some((index, page.get(index)?))) {
            Some((index, event)) => {
                if walk.pass(index, &event) {
                    branch.push(event);
                }
            }
            None => walk.is_missing(),
        }
    }
    branch.reverse();
    Ok(Branch { events: branch, breaks: walk.breaks().to_vec() })
}

/// Neighbouring events.
#[derive(Default)]
struct Page {
    start: u64,
    events: Vec<Event>,
    /// Where the last event was found: a parent is nearly always the one before.
    last: usize,
}

impl Page {
    async fn ending_with(store: &dyn Store, conversation: ConversationId, index: u64) -> Result<Self> {
        let end = index.saturating_add(1);
        let stored = store.events(conversation, end.saturating_sub(PAGE)..end).await?;
        let start = stored.first().map_or(0, |event| event.index);
        let events: Vec<Event> =
            stored.into_iter().map(|event| Event::decode(event.id, event.json)).collect();
        Ok(Self { start, last: events.len(), events })
    }

    fn find(&mut self, wanted: &Wanted) -> Option<u64> {
        let place = match wanted {
            Wanted::Index(index) => usize::try_from(index.checked_sub(self.start)?).ok()?,
            Wanted::Id(id) => self.events.get(..self.last)?.iter().rposition(|event| event.id() == id)?,
        };
        self.events.get(place)?;
        self.last = place;
        Some(self.start + u64::try_from(place).ok()?)
    }

    fn get(&self, index: u64) -> Option<Event> {
        self.events.get(usize::try_from(index.checked_sub(self.start)?).ok()?).cloned()
    }
}
