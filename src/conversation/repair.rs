//! Making sound what a dead page or process left behind. Nothing is thrown away: what cannot stay in the log is
//! kept as a file of the conversation, and everything done here is reported as a warning.
//!
//! * A tail that cannot be read (Python writes files in place, so the last one can be half written) is set aside.
//! * HEAD that names no event, or that a run died before moving, goes to the end of what was written.
//! * Calls that were under way are replayed, asked about or answered, as their tools say.

use super::{
    Conversation,
    log::{EventLog, Listener},
    machine::{
        Calls, Command, Plan,
        answers::{INTERRUPTED, interruption},
        calls::{self, Stage},
    },
    warning::{Warning, WarningCode},
};
use crate::{
    agent::Draft,
    context::branch::{Wanted, parent_of},
    error::Result,
    event::{Body, Event},
    format::{
        agent_state::TOOL_CONCURRENCY_LIMIT,
        base_state::{BaseState, ExecutionStatus},
        layout::{QUARANTINE, event_file_name},
        tree::{Leaf, becomes_head, is_default_leaf},
    },
    host::Host,
    id::{ConversationId, EventId, StorePath},
    store::{Store, StoredEvent},
    tool::Replay,
};
use std::{ops::Range, rc::Rc};

/// How many events are read at once when looking backwards.
const PAGE: u64 = 64;

/// What is stored, before it is a log.
pub(super) struct Stored {
    pub id: ConversationId,
    pub store: Rc<dyn Store>,
    pub host: Rc<dyn Host>,
    pub listener: Listener,
    pub state: BaseState,
    pub length: u64,
    pub created_at: f64,
}

/// The log of a stored conversation, with a HEAD that is in it. Writes nothing.
pub(super) async fn open_log(
    stored: Stored,
    warnings: &mut Vec<Warning>,
) -> Result<(EventLog, Vec<StoredEvent>)> {
    let Stored { id, store, host, listener, state, length, created_at } = stored;
    let torn = torn_tail(&*store, id, length).await?;
    let length_kept = length - torn.len() as u64;
    if let (Some(first), Some(last)) = (torn.first(), torn.last()) {
        warnings.push(Warning {
            code: WarningCode::Quarantined,
            message: format!(
                "events {} to {} were half written and cannot be read; they are kept in {}",
                first.index, last.index, QUARANTINE
            ),
        });
    }
    let head = find_head(&*store, id, &state, length_kept, warnings).await?;
    Ok((EventLog::new(id, store, host, listener, state, (length, created_at), head), torn))
}

/// The files that keep these events.
pub(super) fn files_for(torn: &[StoredEvent]) -> Vec<(StorePath, Option<Vec<u8>>)> {
    torn.iter()
        .filter_map(|event| {
            let path = format!("{QUARANTINE}/{}", event_file_name(event.index, &event.id));
            Some((path.parse().ok()?, Some(event.json.as_bytes().to_vec())))
        })
        .collect()
}

/// The events at the end of the log that are not JSON objects.
async fn torn_tail(store: &dyn Store, id: ConversationId, length: u64) -> Result<Vec<StoredEvent>> {
    let mut torn = Vec::new();
    let mut end = length;
    while end > 0 {
        let mut page = store.events(id, back(end)).await?;
        let sound = page.iter().rposition(|event| !is_torn(event)).map_or(0, |place| place + 1);
        let reaches_sound = sound > 0;
        let tail = page.split_off(sound);
        end -= tail.len() as u64;
        torn.splice(0..0, tail);
        if reaches_sound || page.is_empty() && torn.is_empty() {
            break;
        }
    }
    Ok(torn)
}

fn is_torn(event: &StoredEvent) -> bool {
    matches!(decode(event).body(), Body::Unreadable)
}

fn decode(event: &StoredEvent) -> Event {
    Event::decode(event.id.clone(), event.json.clone())
}

fn back(end: u64) -> Range<u64> {
    end.saturating_sub(PAGE)..end
}

/// HEAD: the stored leaf, or what it should have been.
async fn find_head(
    store: &dyn Store,
    id: ConversationId,
    state: &BaseState,
    length: u64,
    warnings: &mut Vec<Warning>,
) -> Result<Option<EventId>> {
    let leaf = match state.leaf() {
        Leaf::Empty => return Ok(None),
        Leaf::Unset => return last_default_leaf(store, id, length).await,
        Leaf::Event(leaf) => leaf,
    };
    let place = store.index_of(id, &leaf).await?.filter(|place| *place < length);
    let Some(place) = place else {
        warnings.push(moved("HEAD named an event that is not there"));
        return last_default_leaf(store, id, length).await;
    };
    // The SDK writes events as they come and HEAD once per step: if it dies in between, HEAD is behind. Without a
    // run, HEAD before the end is somebody's choice.
    if state.execution_status() == ExecutionStatus::Running
        && let Some(end) = linear_end(store, id, &leaf, place + 1..length).await?
    {
        warnings.push(moved("the last run died before it had stored HEAD"));
        return Ok(Some(end));
    }
    Ok(Some(leaf))
}

fn moved(why: &str) -> Warning {
    Warning {
        code: WarningCode::HeadMoved,
        message: format!("{why}; the conversation goes on from its last event"),
    }
}

async fn last_default_leaf(store: &dyn Store, id: ConversationId, length: u64) -> Result<Option<EventId>> {
    let mut end = length;
    while end > 0 {
        let page = store.events(id, back(end)).await?;
        if let Some(event) = page.iter().rev().find(|event| is_default_leaf(decode(event).kind())) {
            return Ok(Some(event.id.clone()));
        }
        end = back(end).start;
    }
    Ok(None)
}

/// The last of these events if each follows the one before it, beginning with the one after `leaf`.
async fn linear_end(
    store: &dyn Store,
    id: ConversationId,
    leaf: &EventId,
    range: Range<u64>,
) -> Result<Option<EventId>> {
    let mut head = leaf.clone();
    let mut start = range.start;
    while start < range.end {
        let page = store.events(id, start..range.end.min(start + PAGE)).await?;
        if page.is_empty() {
            break;
        }
        for stored in page {
            let event = decode(&stored);
            let follows = match parent_of(stored.index, &event) {
                Ok(Some(Wanted::Id(parent))) => parent == head,
                Ok(Some(Wanted::Index(index))) => index + 1 == stored.index,
                Ok(None) | Err(_) => false,
            };
            if !follows {
                return Ok(None);
            }
            if becomes_head(event.kind()) {
                head = stored.id;
            }
            start = stored.index + 1;
        }
    }
    Ok((head != *leaf).then_some(head))
}

/// What becomes of a call that a dead page left without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leftover {
    /// The next run runs it: it had not begun, or does no harm twice.
    Run,
    /// The user is asked.
    Ask,
    /// The model is told.
    Answer,
}

/// Calls begin in order and so many at a time, so those behind the first so many without a result had not begun.
fn leftover(may_have_begun: bool, replay: Option<Replay>) -> Leftover {
    match replay {
        // No such tool here: nobody can run it.
        None => Leftover::Answer,
        Some(Replay::Never) if may_have_begun => Leftover::Answer,
        Some(Replay::Ask) if may_have_begun => Leftover::Ask,
        Some(_) => Leftover::Run,
    }
}

#[derive(Default)]
struct Leftovers {
    /// To calls that will not run again.
    answers: Vec<Draft>,
    /// The actions that stay and of which nobody knows whether they took effect.
    unknown: Vec<EventId>,
    is_to_be_asked: bool,
}

impl Conversation {
    /// Brings a conversation whose run died to a status from which it goes on, and stores that.
    pub(super) async fn recover(&self, torn: &[StoredEvent]) -> Result<()> {
        let was_running = self.execution_status() == ExecutionStatus::Running;
        // A pause is stored at once, while tools are still under way.
        let was_pausing = self.execution_status() == ExecutionStatus::Paused;
        let was_pausing = was_pausing && calls::is_any_recorded(&self.state());
        let has_moved = self.warnings().iter().any(|warning| warning.code == WarningCode::HeadMoved);
        if torn.is_empty() && !was_running && !was_pausing && !has_moved {
            return Ok(());
        }
        let mut plan = Plan::default();
        if !torn.is_empty() {
            plan.truncate_to = Some(self.length() - torn.len() as u64);
            plan.files = files_for(torn);
        }
        if !was_running && !was_pausing {
            return self.store(plan.strictly(), &mut |_| {}).await.map(drop);
        }
        let Leftovers { answers, unknown, is_to_be_asked } =
            self.look(|machine| self.leftovers(&machine.calls, was_running)).await?;
        plan.drafts = answers;
        self.perform(Command::Recover { plan, unknown, is_to_be_asked }).await.map(drop)
    }

    /// What becomes of the calls that the dead run left. One that was not paused says only how many may have begun.
    fn leftovers(&self, calls: &Calls, was_running: bool) -> Leftovers {
        let limit = self.concurrency_of_dead_run();
        // What the user had not approved had not begun, and still waits.
        let mut leftovers = Leftovers { is_to_be_asked: calls.others_wait(), ..Leftovers::default() };
        let left = calls.open().filter(|call| call.stage != Stage::LeftOut);
        for (place, call) in left.enumerate() {
            let Body::ActionEvent(action) = call.event.body() else { continue };
            let replay = self.0.agent.tools.get(&action.tool_name).map(|tool| tool.definition().replay);
            let may_have_begun = match was_running {
                true => place < limit,
                false => call.stage == Stage::Unknown,
            };
            if !was_running && !may_have_begun {
                continue;
            }
            let what = leftover(may_have_begun, replay);
            if what == Leftover::Answer {
                leftovers.answers.extend(interruption(&call.event, INTERRUPTED));
            } else if may_have_begun {
                leftovers.unknown.push(call.event.id().clone());
            }
            leftovers.is_to_be_asked |= what == Leftover::Ask;
        }
        leftovers
    }

    /// The dead page, or the Python process, may have allowed itself more than this one does.
    fn concurrency_of_dead_run(&self) -> usize {
        let state = self.state();
        let by_agent = state.agent().and_then(|agent| agent.field::<u64>("tool_concurrency_limit"));
        let by_run = state.in_agent_state::<u64>(TOOL_CONCURRENCY_LIMIT);
        let known = [by_agent, by_run].into_iter().flatten().filter_map(|limit| usize::try_from(limit).ok());
        known.fold(self.0.agent.tool_concurrency_limit, usize::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_have_begun_is_asked_about_or_answered() {
        assert_eq!(leftover(true, Some(Replay::Safe)), Leftover::Run);
        assert_eq!(leftover(true, Some(Replay::Ask)), Leftover::Ask);
        assert_eq!(leftover(true, Some(Replay::Never)), Leftover::Answer);
        assert_eq!(leftover(false, Some(Replay::Never)), Leftover::Run);
        assert_eq!(leftover(false, None), Leftover::Answer);
    }
}
