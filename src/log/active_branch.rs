//! The in-memory index of the active branch: the view that the model sees, the calls without a result, and the ids in
//! use. It is derived from the events.

use crate::{
    agent::CutOff,
    context::{
        branch::{Branch, BranchWalk, Break, Wanted},
        view::View,
    },
    error::Result,
    event::{Body, Event, Source},
    format::tree::becomes_head,
    id::{ConversationId, EventId},
    machine::stuck_detector::WINDOW,
    store::Store,
};
use futures_util::future::join;
use std::collections::HashSet;

/// The number of events that are read at once, at first and at most: often only the last few are needed.
const PAGES: (u64, u64) = (32, 512);

/// At least so many of the last events are kept in memory, so that HEAD can return to one of them without reading the
/// branch again.
pub const RECENT: usize = 256;

/// The part of the active branch that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchPart {
    /// From the last message of the user on. All calls before it have results.
    End,
    /// From the root on.
    All,
}

/// Data that is derived from the events between the root and HEAD.
pub struct ActiveBranch {
    /// The view that the model sees.
    pub view: View,
    /// Valid actions without a result, oldest first.
    pub pending: Vec<Event>,
    /// The last events, at least [`RECENT`] or all, also those that the model does not see.
    recent: Vec<Event>,
    /// Whether events before these are not in memory.
    is_cut: bool,
    /// The part that was loaded.
    part: BranchPart,
    /// Ids of calls and responses, which no later one may have.
    pub taken: HashSet<String>,
    /// The last message of the user.
    pub last_user_message: Option<EventId>,
    /// The last event that the model sees, if it is a message that a hook denied.
    pub denied_message: Option<EventId>,
    /// Ids of all messages that hooks denied.
    denied: HashSet<String>,
    /// All events, if calls had no result when the view was built. Such a view omits these calls, so it is built again
    /// once they have results.
    unsettled: Option<Vec<Event>>,
}

impl ActiveBranch {
    /// Derives the index from a branch's events, from the root to HEAD, or from its end.
    pub fn of(events: &[Event], part: BranchPart) -> Self {
        let view = View::of_branch(events);
        let mut branch = Self {
            view,
            pending: Vec::new(),
            recent: Vec::new(),
            is_cut: false,
            part,
            taken: HashSet::new(),
            last_user_message: None,
            denied_message: None,
            denied: HashSet::new(),
            unsettled: None,
        };
        for event in events {
            branch.index(event);
        }
        if !branch.pending.is_empty() {
            branch.unsettled = Some(events.to_vec());
        }
        branch
    }

    /// Updates the index with an event that was appended to the branch.
    pub fn push(&mut self, event: &Event) {
        self.view.push(event);
        self.index(event);
        let Some(mut events) = self.unsettled.take() else { return };
        events.push(event.clone());
        if self.pending.is_empty() {
            self.view = View::of_branch(&events);
        } else {
            self.unsettled = Some(events);
        }
    }

    /// Observations name the action they answer, errors the call (`conversation/state.py`, `get_unmatched_actions`).
    fn index(&mut self, event: &Event) {
        // A state update never has children, so it is on no branch.
        if becomes_head(event.kind()) {
            if self.recent.len() >= 2 * RECENT {
                self.recent.drain(..RECENT);
                self.is_cut = true;
            }
            self.recent.push(event.clone());
        }
        match event.body() {
            Body::HookExecutionEvent(hook) => {
                if let Some(message) = hook.message_id.as_ref().filter(|_| hook.blocked) {
                    self.denied.insert(message.clone());
                }
            }
            Body::ActionEvent(action) => {
                self.denied_message = None;
                self.taken.insert(action.tool_call_id.clone());
                self.taken.insert(action.llm_response_id.clone());
                if action.action.is_some() {
                    self.pending.push(event.clone());
                }
            }
            Body::MessageEvent(message) => {
                if let Some(id) = &message.llm_response_id {
                    self.taken.insert(id.clone());
                }
                let is_denied = self.denied.contains(event.id().as_str());
                self.denied_message = is_denied.then(|| event.id().clone());
                if event.source() == Source::User {
                    self.last_user_message = Some(event.id().clone());
                }
            }
            Body::ObservationEvent(observation) => self.settle_action(&observation.action_id),
            Body::UserRejectObservation(rejection) => self.settle_action(&rejection.action_id),
            Body::AgentErrorEvent(error) => self.settle_call(&error.tool_call_id),
            _ => {}
        }
    }

    /// Whether this part is loaded.
    pub fn has(&self, part: BranchPart) -> bool {
        part == BranchPart::End || self.part == BranchPart::All
    }

    /// The events in which the stuck detector looks for repetitions.
    pub fn window(&self) -> &[Event] {
        self.recent.get(self.recent.len().saturating_sub(WINDOW)..).unwrap_or_default()
    }

    /// Whether this is one of the last events, to which [`ActiveBranch::back_to`] may return.
    pub fn is_recent(&self, event: &EventId) -> bool {
        self.recent.iter().any(|recent| recent.id() == event)
    }

    /// The index of the branch that parts from this one at `event` and continues with `way`, whose last event comes
    /// first. `None` if it cannot be derived: events have to be read again.
    pub fn back_to(mut self, event: &EventId, way: &[Event]) -> Option<Self> {
        let place = self.recent.iter().rposition(|recent| recent.id() == event)?;
        let undone = self.recent.split_off(place + 1);
        if self.part == BranchPart::End || self.unsettled.is_some() {
            return None;
        }
        if self.is_cut && self.recent.len() < WINDOW {
            return None;
        }
        let mut ids = HashSet::new();
        for event in &undone {
            ids.insert(event.id().as_str());
            if let Body::ActionEvent(action) = event.body() {
                ids.insert(&action.tool_call_id);
            }
        }
        let can_be_undone = |event: &Event| match event.body() {
            Body::Condensation(_) => false,
            // Without its result, a call that stays on the branch would be pending again.
            Body::ObservationEvent(result) => ids.contains(result.action_id.as_str()),
            Body::UserRejectObservation(rejection) => ids.contains(rejection.action_id.as_str()),
            Body::AgentErrorEvent(error) => ids.contains(error.tool_call_id.as_str()),
            _ => true,
        };
        if !undone.iter().all(can_be_undone) {
            return None;
        }
        self.pending.retain(|event| !ids.contains(event.id().as_str()));
        if !self.pending.is_empty() {
            return None;
        }
        if self.last_user_message.as_ref().is_some_and(|message| ids.contains(message.as_str())) {
            self.last_user_message =
                self.recent.iter().rev().find(|event| is_of_user(event)).map(|event| event.id().clone());
            if self.is_cut && self.last_user_message.is_none() {
                return None;
            }
        }
        self.view.undo(&ids);
        let last = self.view.events().last();
        let denied = last.filter(|event| self.denied.contains(event.id().as_str()));
        self.denied_message = denied.map(|event| event.id().clone());
        for event in way.iter().rev() {
            self.push(event);
        }
        Some(self)
    }

    /// Why the answer that the branch ends with is not whole; `None` if it is, or if the branch ends with something else.
    pub fn cut_answer(&self) -> Option<CutOff> {
        let last = self.recent.iter().rev().find(|event| is_seen(event))?;
        match last.body() {
            Body::MessageEvent(answer) if last.source() == Source::Agent => CutOff::of_event(answer),
            _ => None,
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

/// Whether the model sees events of this kind.
pub fn is_seen(event: &Event) -> bool {
    matches!(
        event.body(),
        Body::SystemPromptEvent(_)
            | Body::MessageEvent(_)
            | Body::ActionEvent(_)
            | Body::ObservationEvent(_)
            | Body::UserRejectObservation(_)
            | Body::AgentErrorEvent(_)
            | Body::Condensation(_)
    )
}

fn is_of_user(event: &Event) -> bool {
    event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_))
}

/// The end of the branch: see [`BranchPart::End`].
pub async fn load_end(
    store: &dyn Store,
    conversation: ConversationId,
    head: Option<EventId>,
) -> Result<ActiveBranch> {
    let mut events = Vec::new();
    let mut part = BranchPart::All;
    let visit = &mut |_, event| {
        if is_of_user(&event) {
            part = BranchPart::End;
        }
        events.push(event);
        part == BranchPart::All
    };
    walk_back(store, conversation, head, visit).await?;
    events.reverse();
    Ok(ActiveBranch::of(&events, part))
}

/// The last `limit` events from the root to `head`.
pub fn load(
    store: &dyn Store,
    conversation: ConversationId,
    head: Option<EventId>,
    limit: usize,
) -> impl Future<Output = Result<Branch>> {
    load_from(store, conversation, head, limit, Page::default())
}

async fn load_from(
    store: &dyn Store,
    conversation: ConversationId,
    head: Option<EventId>,
    limit: usize,
    page: Page,
) -> Result<Branch> {
    let mut events = Vec::new();
    let visit = &mut |_, event| {
        events.push(event);
        events.len() < limit
    };
    let breaks = walk_from(store, conversation, head, page, visit).await?;
    // The first event is visited before the limit is known.
    events.truncate(limit);
    events.reverse();
    Ok(Branch { events, breaks })
}

/// Like [`load`], for a view: where HEAD is near the end of the log, which has this length, all is read at once.
pub async fn load_page(
    store: &dyn Store,
    conversation: ConversationId,
    head: Option<EventId>,
    limit: usize,
    length: u64,
) -> Result<Branch> {
    let mut page = Page::default();
    if let (Some(id), Some(last)) = (&head, length.checked_sub(1)) {
        let size = u64::try_from(limit).unwrap_or(u64::MAX).clamp(PAGES.0, PAGES.1);
        let end = Page::ending_with(store, conversation, last, size);
        let (index, end) = join(store.index_of(conversation, id), end).await;
        page = end?;
        page = index?.map(|index| page.up_to(index)).unwrap_or_default();
    }
    load_from(store, conversation, head, limit, page).await
}

/// Visits the events from `head` to the root with their indices, until `visit` returns false. They are read backwards
/// and page by page, so that other branches cost little. Returns the breaks.
pub fn walk_back(
    store: &dyn Store,
    conversation: ConversationId,
    head: Option<EventId>,
    visit: &mut dyn FnMut(u64, Event) -> bool,
) -> impl Future<Output = Result<Vec<Break>>> {
    walk_from(store, conversation, head, Page::default(), visit)
}

/// Like [`walk_back`], with a page that was read already.
async fn walk_from(
    store: &dyn Store,
    conversation: ConversationId,
    head: Option<EventId>,
    mut page: Page,
    visit: &mut dyn FnMut(u64, Event) -> bool,
) -> Result<Vec<Break>> {
    let Some(head) = head else { return Ok(Vec::new()) };
    let mut walk = BranchWalk::from(Wanted::Id(head));
    let (mut size, limit) = PAGES;
    while let Some(wanted) = walk.wants().cloned() {
        let index = match page.find(&wanted) {
            Some(index) => Some(index),
            None => {
                let index = match &wanted {
                    Wanted::Index(index) => Some(*index),
                    Wanted::Id(id) => store.index_of(conversation, id).await?,
                };
                if let Some(index) = index {
                    page = Page::ending_with(store, conversation, index, size).await?;
                    size = limit.min(size * 4);
                }
                index
            }
        };
        match index.and_then(|index| Some((index, page.get(index)?))) {
            Some((index, event)) => {
                if walk.pass(index, &event) && !visit(index, event) {
                    break;
                }
            }
            None => walk.skip_missing(),
        }
    }
    Ok(walk.breaks().to_vec())
}

/// Events of the log that were read at once.
#[derive(Default)]
struct Page {
    start: u64,
    events: Vec<Event>,
    /// The place of the event that was found last. Its parent is nearly always the one before.
    last: usize,
}

impl Page {
    async fn ending_with(
        store: &dyn Store,
        conversation: ConversationId,
        index: u64,
        size: u64,
    ) -> Result<Self> {
        let end = index.saturating_add(1);
        let stored = store.events(conversation, end.saturating_sub(size)..end).await?;
        let start = stored.first().map_or(0, |event| event.index);
        let events: Vec<Event> =
            stored.into_iter().map(|event| Event::decode(event.id, event.json)).collect();
        Ok(Self { start, last: events.len(), events })
    }

    /// This page for a walk from the event at this index, or an empty one if the event is not on it.
    fn up_to(mut self, index: u64) -> Self {
        let place = index.checked_sub(self.start).and_then(|place| usize::try_from(place).ok());
        match place.filter(|place| *place < self.events.len()) {
            Some(place) => {
                self.last = place + 1;
                self
            }
            None => Self::default(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An event of this kind whose id is its number, and its other fields.
    fn event(number: usize, kind: &str, source: &str, fields: &str) -> Event {
        let id: EventId = format!("{number:08}").parse().unwrap();
        let json = format!(
            r#"{{"id":"{id}","timestamp":"2026-01-31T09:15:02","source":"{source}",{fields},"kind":"{kind}"}}"#
        );
        Event::decode(id, json.into())
    }

    fn message(number: usize, source: &str) -> Event {
        let role = if source == "user" { "user" } else { "assistant" };
        let fields =
            format!(r#""llm_message":{{"role":"{role}","content":[{{"type":"text","text":"{number}"}}]}}"#);
        event(number, "MessageEvent", source, &fields)
    }

    fn action(number: usize, response: &str) -> Event {
        let fields = format!(
            r#""thought":[],"action":{{"kind":"FinishAction","message":"x"}},"tool_name":"t","tool_call_id":"call_{number}","tool_call":{{"id":"call_{number}","name":"t","arguments":"{{}}","origin":"completion"}},"llm_response_id":"{response}""#
        );
        event(number, "ActionEvent", "agent", &fields)
    }

    fn result(number: usize, action: usize) -> Event {
        let fields = format!(
            r#""tool_name":"t","tool_call_id":"call_{action}","observation":{{"kind":"FinishObservation","content":[]}},"action_id":"{action:08}""#
        );
        event(number, "ObservationEvent", "environment", &fields)
    }

    fn denial(number: usize, message: usize) -> Event {
        let fields = format!(
            r#""hook_event_type":"UserPromptSubmit","hook_command":"x","success":true,"blocked":true,"message_id":"{message:08}""#
        );
        event(number, "HookExecutionEvent", "hook", &fields)
    }

    fn condensation(number: usize) -> Event {
        let fields =
            r#""forgotten_event_ids":["00000001"],"summary":"s","summary_offset":1,"llm_response_id":"c""#;
        event(number, "Condensation", "environment", fields)
    }

    /// Two batches of calls, a condensation, and a message that a hook denied.
    fn events() -> Vec<Event> {
        vec![
            message(0, "user"),
            message(1, "agent"),
            condensation(2),
            message(3, "user"),
            action(4, "r1"),
            action(5, "r1"),
            result(6, 4),
            result(7, 5),
            action(8, "r2"),
            result(9, 8),
            message(10, "agent"),
            denial(11, 12),
            message(12, "user"),
            message(13, "user"),
        ]
    }

    #[derive(Debug, PartialEq)]
    struct Seen<'a> {
        view: &'a [Event],
        pending: &'a [Event],
        window: &'a [Event],
        last_user_message: &'a Option<EventId>,
        denied_message: &'a Option<EventId>,
    }

    fn seen(branch: &ActiveBranch) -> Seen<'_> {
        Seen {
            view: branch.view.events(),
            pending: &branch.pending,
            window: branch.window(),
            last_user_message: &branch.last_user_message,
            denied_message: &branch.denied_message,
        }
    }

    #[test]
    fn the_index_of_an_earlier_event_equals_one_that_is_read_again() {
        let events = events();
        for (last, event) in events.iter().enumerate() {
            let back = ActiveBranch::of(&events, BranchPart::All).back_to(event.id(), &[]);
            let read = ActiveBranch::of(&events[..=last], BranchPart::All);
            match back {
                Some(back) => assert_eq!(seen(&back), seen(&read), "{last}"),
                // Before the condensation, and between calls and their results.
                None => assert!(matches!(last, 0..=1 | 4..=6 | 8), "{last}"),
            }
        }
    }

    #[test]
    fn the_index_of_another_branch_equals_one_that_is_read_again() {
        let events = events();
        let way = [message(20, "user"), action(21, "r3"), result(22, 21), message(23, "agent")];
        let backwards: Vec<Event> = way.iter().rev().cloned().collect();
        for parts_at in [2, 3, 7, 9, 10, 12] {
            let left = ActiveBranch::of(&events, BranchPart::All);
            let back = left.back_to(events[parts_at].id(), &backwards).unwrap();
            let read = ActiveBranch::of(&[&events[..=parts_at], &way].concat(), BranchPart::All);
            assert_eq!(seen(&back), seen(&read), "{parts_at}");
        }
    }

    #[test]
    fn a_loaded_end_and_a_far_event_have_to_be_read_again() {
        let mut events = events();
        let end = ActiveBranch::of(&events, BranchPart::End);
        assert!(end.back_to(events[3].id(), &[]).is_none());
        events.extend((14..14 + 3 * RECENT).map(|number| message(number, "user")));
        let branch = || ActiveBranch::of(&events, BranchPart::All);
        assert!(!branch().is_recent(events[13].id()));
        let near = &events[events.len() - RECENT + WINDOW];
        let back = branch().back_to(near.id(), &[]).unwrap();
        assert_eq!(back.view.events().last(), Some(near));
        // Too few events would be left for the stuck detector.
        let place = branch().recent.first().unwrap().id().clone();
        assert!(branch().back_to(&place, &[]).is_none());
    }
}
