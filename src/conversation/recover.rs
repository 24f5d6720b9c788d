//! Recovers a conversation whose page or process died during a run. Every repair is reported as a warning.
//!
//! * Unreadable events at the end become files of the conversation; nothing is deleted.
//! * Calls that were under way are run again, asked about or answered, depending on their tools.

use crate::{
    error::Result,
    event::Body,
    format::{
        agent_state::TOOL_CONCURRENCY_LIMIT,
        base_state::ExecutionStatus,
        layout::{QUARANTINE, event_file_name},
    },
    handle::Conversation,
    log::warning::WarningCode,
    machine::{
        Calls, Command, Leftovers,
        answers::{INTERRUPTED, interruption},
        calls::{self, Stage},
    },
    store::StoredEvent,
    tool::{FileChange, Replay},
};

/// The treatment of a call that a dead page left without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// The next run runs it, because it had not begun or can be repeated safely.
    Run,
    /// The user has to decide about it.
    Ask,
    /// An error answers it: it may have taken effect.
    Answer,
}

fn treatment(may_have_begun: bool, replay: Option<Replay>) -> Treatment {
    match replay {
        // The agent does not have this tool.
        None => Treatment::Answer,
        Some(Replay::Never) if may_have_begun => Treatment::Answer,
        Some(Replay::Ask) if may_have_begun => Treatment::Ask,
        Some(_) => Treatment::Run,
    }
}

/// The files for quarantined events.
fn quarantine_files(torn: &[StoredEvent]) -> Result<Vec<FileChange>> {
    torn.iter()
        .map(|event| {
            let path = format!("{QUARANTINE}/{}", event_file_name(event.index, &event.id));
            Ok(FileChange::new(path.parse()?, Some(event.json.as_bytes().to_vec())))
        })
        .collect()
}

impl Conversation {
    /// Gives a conversation whose run died a status in which it can continue, and stores that.
    pub(crate) async fn recover(&self, torn: &[StoredEvent]) -> Result<()> {
        let was_running = self.execution_status() == ExecutionStatus::Running;
        // A pause is stored while tools are still running.
        let was_pausing = self.execution_status() == ExecutionStatus::Paused;
        let was_pausing = was_pausing && calls::is_any_recorded(&self.state());
        let has_moved = self.warnings().iter().any(|warning| warning.code == WarningCode::HeadMoved);
        if torn.is_empty() && !was_running && !was_pausing && !has_moved {
            return Ok(());
        }
        let truncate_to = (!torn.is_empty()).then(|| self.length() - torn.len() as u64);
        let files = quarantine_files(torn)?;
        let leftovers = match was_running || was_pausing {
            true => Some(self.inspect(|machine| self.leftovers(&machine.calls, was_running)).await?),
            false => None,
        };
        self.perform(Command::Recover { truncate_to, files, leftovers }).await.map(drop)
    }

    /// Decides how each call of the dead run is treated. A pause had stored which calls were begun. Without a pause, any
    /// of the first `limit` calls may have begun, because calls begin in order and at most so many at a time.
    fn leftovers(&self, calls: &Calls, was_running: bool) -> Leftovers {
        let limit = self.concurrency_of_dead_run();
        // Calls that the user had left out had not begun, and still wait.
        let mut leftovers = Leftovers { is_to_be_asked: calls.has_left_out(), ..Leftovers::default() };
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
            let treatment = treatment(may_have_begun, replay);
            if treatment == Treatment::Answer {
                leftovers.answers.extend(interruption(&call.event, INTERRUPTED));
            } else if may_have_begun {
                leftovers.unknown.push(call.event.id().clone());
            }
            leftovers.is_to_be_asked |= treatment == Treatment::Ask;
        }
        leftovers
    }

    /// The largest known limit: the dead page or Python process may have had a higher one than this page.
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
    fn only_calls_that_may_have_begun_are_asked_about_or_answered() {
        assert_eq!(treatment(true, Some(Replay::Safe)), Treatment::Run);
        assert_eq!(treatment(true, Some(Replay::Ask)), Treatment::Ask);
        assert_eq!(treatment(true, Some(Replay::Never)), Treatment::Answer);
        assert_eq!(treatment(false, Some(Replay::Never)), Treatment::Run);
        assert_eq!(treatment(false, None), Treatment::Answer);
    }
}
