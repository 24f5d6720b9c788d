//! Live events of commits: what has changed beside the log. They are reported to listeners and never stored.

use super::Conversation;
use crate::{
    event::Event,
    fair_mutex::FairGuard,
    format::{
        base_state::{BEGINNING, BaseState, ExecutionStatus},
        import_mark::IMPORT,
        secrets::without_ciphers,
        server_mark::SERVER,
    },
    id::EventId,
    json::{Json, ListWriter, object, quoted},
    log::{EventLog, active_branch::BranchPart},
    machine::{Calls, calls::InPage},
};

/// The fields of the state that are not reported as they are: the first two because of what is only in memory, the others
/// because they are the library's own, or say the same as another one.
const APART: [&str; 6] = ["execution_status", "leaf_event_id", "head_is_empty", BEGINNING, IMPORT, SERVER];

/// The values that listeners know.
pub(crate) struct Reported {
    status: ExecutionStatus,
    leaf: Option<EventId>,
    state: BaseState,
    /// `None` until the active branch has been read.
    pending: Option<Pending>,
}

/// Ids of actions.
#[derive(Default, PartialEq)]
struct Pending {
    /// The calls without a result.
    actions: Vec<String>,
    /// Those of them that wait for the user.
    waiting: Vec<String>,
}

impl Reported {
    /// The values that a caller finds in the conversation that it has opened.
    pub fn new(log: &EventLog) -> Self {
        let state = log.state().clone();
        Self { status: state.execution_status(), leaf: log.head(), state, pending: None }
    }
}

impl Conversation {
    /// Takes the pending calls before a commit as known, if they are not known yet.
    pub(crate) fn learn_pending(&self) {
        if self.0.reported.borrow().pending.is_none() {
            let pending = self.pending_ids();
            self.0.reported.borrow_mut().pending = pending;
        }
    }

    /// Reports the live events of a commit.
    pub(crate) async fn report_commit(&self, lock: &FairGuard) {
        let had_pending =
            self.0.reported.borrow().pending.as_ref().is_some_and(|pending| !pending.actions.is_empty());
        if had_pending {
            // A move of HEAD may have dropped the branch. If it cannot be read now, a later commit reports the calls.
            let _ = self.0.log.load_branch(lock, BranchPart::End).await;
        }
        self.report();
    }

    /// Reports what has changed, as far as it is in memory.
    pub(crate) fn report(&self) {
        let (status, leaf, pending) = (self.execution_status(), self.0.log.head(), self.pending_ids());
        let state = self.state().clone();
        let mut events = ListWriter::new();
        {
            let reported = &mut *self.0.reported.borrow_mut();
            if reported.status != status {
                events.item(&update("execution_status", &quoted(status.as_str())));
                reported.status = status;
            }
            if reported.leaf != leaf {
                events.item(&update(
                    "leaf_event_id",
                    &leaf.as_ref().map_or("null".into(), |leaf| quoted(leaf.as_str())),
                ));
                reported.leaf = leaf;
            }
            reported.state.differences(&state, &mut |name, value| match value {
                _ if APART.contains(&name) => {}
                // A listener hears of the tags themselves.
                _ if name == "agent_state" && reported.state.is_equal_but_for_tag_times(&state) => {}
                Some(_) if name == "stats" => events.item(&update(name, &self.usage_snapshot(&state))),
                _ => events.item(&update(name, &without_ciphers(value.unwrap_or("null")))),
            });
            reported.state = state;
            if let Some(pending) = pending
                && *reported.pending.get_or_insert_default() != pending
            {
                let event = object! {
                    "kind": "PendingActionsEvent",
                    "action_ids": pending.actions,
                    "waiting_ids": pending.waiting,
                };
                events.item(&event.finish());
                reported.pending = Some(pending);
            }
        }
        // No cell is borrowed any more.
        (self.0.on_commit)(&events.finish());
    }

    /// `None` if the active branch is not loaded.
    fn pending_ids(&self) -> Option<Pending> {
        let log = &self.0.log;
        if !log.has(BranchPart::End) {
            return None;
        }
        let (page, state) = (self.0.page.borrow(), self.state());
        let in_page =
            InPage { begun: page.begun(), is_answered: &|tool_call_id| log.holds_answer_to(tool_call_id) };
        let id = |action: &Event| action.id().to_string();
        Some(log.with_branch(|branch| {
            let calls = Calls::of(&branch.pending, &state, &in_page);
            Pending {
                actions: calls.open().map(|call| id(&call.event)).collect(),
                waiting: calls.waiting_for_user(&state).map(id).collect(),
            }
        }))
    }
}

fn update(key: &str, value: &str) -> String {
    object! { "kind": "ConversationStateUpdateEvent", "key": key, "value": Json(value) }.finish()
}
