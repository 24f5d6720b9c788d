//! Imports an archive into a store: checks all of it first, then writes it so that no partial import becomes visible.

use super::{Archive, Progress, comparison::compare, contents::Contents, plan::Plan, verify::verify};
use crate::{
    error::{Error, ErrorCode, Result},
    format::{base_state::BaseState, server_mark::SERVER},
    host::Host,
    id::ConversationId,
    store::Store,
};
use futures_util::future::LocalBoxFuture;
use std::any::Any;

/// The result for one conversation of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The conversation's id.
    pub conversation: ConversationId,
    /// The change of the store.
    pub outcome: Outcome,
    /// The number of events in the stored log.
    pub length: u64,
    /// Warnings for the user: sentences that name the entries.
    pub warnings: Vec<String>,
}

/// The change that an import made to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The conversation did not exist and was created.
    Created,
    /// The conversation has gone on in the archive and not here: HEAD and the state are those of the archive.
    Continued {
        /// The number of events before.
        from: u64,
    },
    /// The conversation has gone on in both, or HEAD was moved here: HEAD and the state stay, and what only the archive has is
    /// added, as branches beside the active one.
    Merged {
        /// The number of events before.
        from: u64,
    },
    /// The stored conversation already had everything; nothing was changed.
    UpToDate,
}

/// The parameters of an import besides the archive and the store.
pub struct ImportOptions<'a> {
    /// Knows where the characters of titles end.
    pub host: &'a dyn Host,
    /// The time of the commits, in milliseconds since the Unix epoch.
    pub now: f64,
    /// Called with the progress in bytes, over both passes.
    pub on_progress: &'a dyn Fn(Progress),
    /// Takes the write lock of a conversation until the returned value is dropped; `None` if it is taken.
    pub claim: &'a dyn Fn(ConversationId) -> LocalBoxFuture<'a, Option<Claim>>,
}

/// The write lock of a conversation.
pub type Claim = Box<dyn Any>;

/// Imports every conversation of an archive, or fails and leaves the store as it was.
///
/// A conversation that did not exist becomes visible with the last commit of the import. An existing one gets the events that it
/// does not have, in one commit up to a few megabytes; not while it is open for writing.
pub async fn import(
    archive: &dyn Archive,
    store: &dyn Store,
    options: &ImportOptions<'_>,
) -> Result<Vec<Imported>> {
    let ImportOptions { host, on_progress, claim, .. } = options;
    let contents = Contents::read(archive).await?;
    let total = contents.size.saturating_mul(2);
    let mut done = 0_u64;
    let mut progress = |bytes: u64| {
        done = done.saturating_add(bytes);
        on_progress(Progress { done: done.min(total), total });
    };
    let verified = verify(archive, &contents, *host, &mut progress).await?;
    let mut plans = Vec::new();
    let mut nesting: Vec<Vec<ConversationId>> = Vec::new();
    for (conversation, verified) in contents.conversations.iter().zip(verified) {
        let above = conversation.parent.and_then(|parent| nesting.get(parent)).cloned().unwrap_or_default();
        let ancestors = above.clone();
        nesting.push(std::iter::once(verified.id).chain(above).collect());
        let claimed = claim(verified.id).await;
        let stored = store.load(verified.id).await?;
        if let Some(stored) = &stored {
            let state = BaseState::of(verified.id, &stored.base_state);
            if state.is_some_and(|state| state.field(SERVER).is_some()) {
                let text = format!(
                    "conversation {} runs on an agent server, and only a copy of it is stored; delete the copy to import it",
                    verified.id
                );
                return Err(Error::new(ErrorCode::InvalidState, text));
            }
        }
        let stored = match stored {
            Some(stored) => {
                let comparison = compare(archive, store, conversation, &verified, &stored).await?;
                Some((stored, comparison))
            }
            None => None,
        };
        let plan = Plan::new(archive, store, options, conversation, ancestors, verified, stored).await?;
        plans.push(plan.claimed(claimed)?);
    }
    if let Err(error) = write(&plans, &mut progress).await {
        for plan in &plans {
            plan.undo(&error).await;
        }
        return Err(error);
    }
    on_progress(Progress { done: total, total });
    let mut imported: Vec<Imported> = plans.into_iter().map(Plan::imported).collect();
    // The warnings about conversations of sub-agents are those of the conversation in whose folder they are.
    for (index, conversation) in contents.conversations.iter().enumerate().rev() {
        let Some(parent) = conversation.parent.filter(|parent| *parent < index) else { continue };
        let nested = imported.remove(index);
        if let Some(parent) = imported.get_mut(parent) {
            parent.warnings.extend(nested.warnings);
        }
    }
    Ok(imported)
}

/// Writes everything except the base states, then these: before that nothing becomes visible.
async fn write(plans: &[Plan<'_>], progress: &mut dyn FnMut(u64)) -> Result<()> {
    let mut last_commits = Vec::new();
    for plan in plans {
        if plan.outcome != Outcome::UpToDate {
            last_commits.push((plan, plan.write(progress).await?));
        }
    }
    for (plan, commit) in last_commits {
        plan.commit(commit).await?;
    }
    Ok(())
}
