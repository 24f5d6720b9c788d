//! Copies a conversation or one of its branches under a new id (`conversation/impl/local_conversation.py`, `fork`).
//!
//! The texts of the events are copied page by page and never changed; their ids stay. The files of the agent's work are
//! copied as well. The copy exists once its base state
//! is stored, which is the last commit. So a page that dies leaves no part of a conversation.

use super::cut_batch;
use crate::{
    error::{Error, ErrorCode, Result},
    event::{Body, Event},
    features::file_versions::BranchFiles,
    format::{
        base_state::{BaseState, Tags},
        file_versions::is_version,
        import_mark::IMPORT,
        layout::{COMMANDS, DRAFTS, INBOX, QUARANTINE, SUBAGENTS},
        tree::Leaf,
    },
    handle::Conversation,
    id::{ConversationId, EventId, StorePath},
    log::active_branch::{BranchPart, walk_back},
    machine::{Calls, Command, Setting, Transition, background::forget_response},
    store::{Commit, Durability, StoreError},
};
use std::{ops::Range, rc::Rc};

/// The number of events that are copied at once.
const PAGE: u64 = 512;

/// The number of bytes after which the files read so far are stored.
const COPIED_AT_ONCE: usize = 4 << 20;

/// The fields of the base state that are copied. In contrast to the SDK these include the policy and the analyzer: the
/// copy must not run calls that the original would ask about.
const COPIED: [&str; 8] = [
    "workspace",
    "max_iterations",
    "stuck_detection",
    "confirmation_policy",
    "security_analyzer",
    "activated_knowledge_skills",
    "activated_path_rules",
    "agent_state",
];

/// Options for a copy of a conversation.
pub struct ForkOptions {
    /// The id of the copy, which no other conversation has.
    pub id: ConversationId,
    /// The last event to copy, together with its ancestors. `None` copies the complete log and the position of HEAD.
    pub from: Option<EventId>,
    /// The tags of the copy. Those of the original are not copied.
    pub tags: Tags,
    /// Whether costs and tokens are counted from zero.
    pub resets_stats: bool,
}

impl Conversation {
    /// Copies the conversation, or the branch that ends at an event. The original does not change.
    ///
    /// # Errors
    /// `not_found` for an event that does not exist, `invalid_options` for one that separates calls from their results and
    /// for tags that cannot be stored, `invalid_state` during a run and if calls would be copied that have no result, and
    /// those of the store; no copy exists then.
    pub async fn fork(&self, options: ForkOptions) -> Result<()> {
        let ForkOptions { id, from, tags, resets_stats } = options;
        let store = &self.0.log.store;
        if store.load(id).await?.is_some() {
            let text = format!("there is a conversation {id} already; choose another id");
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        if let Some(event) = &from {
            self.index_of(event).await?;
        }
        let (source, length, head) = self.snapshot(from.is_none()).await?;
        let ranges = match &from {
            Some(event) => self.places_of_branch(event).await?,
            None => std::iter::once(0..length).collect(),
        };
        // The files and their versions have to be of the same moment.
        let unchanged = self.0.log.files.lock().await;
        let files = match &from {
            Some(event) => Some(self.stored_versions().of_branch(event, &ranges).await?),
            None => None,
        };
        let is_branch = from.is_some();
        let leaf = from.or(head);
        let end = match &leaf {
            Some(leaf) => self.inspect_end(leaf).await?,
            None => Transition::NavigateTo,
        };
        if let (Transition::NavigateToCalls, Some(leaf)) = (end, &leaf) {
            return Err(cut_batch(leaf));
        }
        let mut state = self.state_of_copy(&source, id);
        state.set_tags(&tags)?;
        if end == Transition::NavigateToAnswer {
            Transition::NavigateToAnswer.apply(&mut state)?;
        }
        if length > 0 {
            state.set_leaf(&leaf.map_or(Leaf::Empty, Leaf::Event));
        }
        if is_branch {
            state.note_head_move(None);
        }
        if !is_branch && let Some(beginning) = source.beginning() {
            state.set_beginning(&beginning);
        }
        if !resets_stats && let Some(stats) = source.stats() {
            state.set_stats(stats.clone());
        }
        let copied = self.copy(ranges, files, id, state.json()).await;
        drop(unchanged);
        // After a conflict nothing is deleted: somebody else is writing a conversation with this id.
        if let Err(error) = &copied
            && error.code() != ErrorCode::LockedElsewhere
        {
            let _ = store.delete(id).await;
        }
        copied
    }

    /// Stores this handle's agent in place of the stored one, for a copy that continues with another agent.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn store_agent(&self) -> Result<()> {
        self.perform(Command::ChangeSetting(Setting::Agent)).await.map(drop)
    }

    /// The base state, the length of the log, and HEAD, at a moment at which they may be copied.
    async fn snapshot(&self, includes_head: bool) -> Result<(BaseState, u64, Option<EventId>)> {
        let log = &self.0.log;
        let lock = log.lock().await;
        self.ensure_open()?;
        // Results that wait for a commit are stored first, or their calls would run again in the copy.
        self.append_held(&lock).await?;
        log.load_branch(&lock, BranchPart::End).await?;
        self.with_machine(|machine| machine.check_fork(includes_head))?;
        Ok((self.state().clone(), log.length(), log.head()))
    }

    /// The indices of the events from the root to this one. The SDK does not open a log without a system prompt, but
    /// writes branches without one behind an empty HEAD; with such a branch the prompt of the log is copied.
    async fn places_of_branch(&self, leaf: &EventId) -> Result<Vec<Range<u64>>> {
        let log = &self.0.log;
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let mut has_prompt = false;
        let visit = &mut |index: u64, event: Event| {
            has_prompt |= matches!(event.body(), Body::SystemPromptEvent(_));
            match ranges.last_mut() {
                Some(range) if range.start == index + 1 => range.start = index,
                _ => ranges.push(index..index + 1),
            }
            true
        };
        walk_back(&*log.store, log.id, Some(leaf.clone()), visit).await?;
        if !has_prompt {
            let first = log.store.events(log.id, 0..1).await?.pop();
            let first = first.map(|event| Event::decode(event.id, event.json));
            if first.is_some_and(|event| matches!(event.body(), Body::SystemPromptEvent(_))) {
                ranges.push(0..1);
            }
        }
        ranges.reverse();
        Ok(ranges)
    }

    /// The base state of a copy without events. It has no secrets, and no messages that a hook has blocked.
    fn state_of_copy(&self, source: &BaseState, id: ConversationId) -> BaseState {
        let agent = source.agent().unwrap_or_else(|| self.0.agent.to_sdk_json());
        let mut state = BaseState::new(id, &agent);
        for name in COPIED {
            if let Some(value) = source.field(name) {
                state.set_field(name, Some(&value));
            }
        }
        if let Some(mark) = source.field(IMPORT) {
            state.set_import_mark(&mark);
        }
        // All calls that are copied have results.
        Calls::default().store(&mut state);
        forget_response(&mut state);
        state
    }

    /// Stores the events of these ranges and the base state as another conversation.
    async fn copy(
        &self,
        ranges: Vec<Range<u64>>,
        files: Option<BranchFiles>,
        id: ConversationId,
        base_state: Rc<str>,
    ) -> Result<()> {
        let log = &self.0.log;
        let mut length = 0;
        for mut range in ranges {
            while range.start < range.end {
                let end = range.end.min(range.start + PAGE);
                let page = log.store.events(log.id, range.start..end).await?;
                if page.is_empty() {
                    return Err(StoreError::Lost.into());
                }
                let count = page.len() as u64;
                let events = page.into_iter().map(|event| (event.id, event.json)).collect();
                let commit =
                    Commit { events, durability: Durability::Relaxed, ..Commit::new(length, log.host.now()) };
                self.store_copied(id, commit).await?;
                length += count;
                range.start += count;
            }
        }
        self.copy_files(files, id, length).await?;
        let commit = Commit { base_state: Some(base_state), ..Commit::new(length, log.host.now()) };
        self.store_copied(id, commit).await
    }

    /// Stores a part of the copy, which has no log because nobody has it open.
    async fn store_copied(&self, id: ConversationId, commit: Commit) -> Result<()> {
        Ok(self.0.log.store.commit(id, commit).await?)
    }

    /// Copies the files of the workspace and of tools: with a branch those of its last event and the versions that it
    /// needs, or as they are now if that event has no known files.
    async fn copy_files(
        &self,
        of_branch: Option<BranchFiles>,
        id: ConversationId,
        length: u64,
    ) -> Result<()> {
        let log = &self.0.log;
        let is_branch = of_branch.is_some();
        let BranchFiles { files, replaced } = of_branch.unwrap_or_default();
        let is_copied = |path: &StorePath| {
            let is_left = is_branch && is_version(path);
            !is_of_the_log(path) && !is_left && !replaced.contains(path)
        };
        let mut given = files.into_iter();
        let mut paths = log.store.files(log.id, None).await?.into_iter().peekable();
        while paths.peek().is_some() || given.len() > 0 {
            let (mut files, mut size) = (Vec::new(), 0);
            while size < COPIED_AT_ONCE
                && let Some((path, content)) = given.next()
            {
                size += content.as_ref().map_or(0, Vec::len);
                files.push((path, content));
            }
            while size < COPIED_AT_ONCE
                && let Some(path) = paths.next()
            {
                if is_copied(&path)
                    && let Some(content) = log.store.read_file(log.id, &path).await?
                {
                    size += content.len();
                    files.push((path, Some(content)));
                }
            }
            let durability = Durability::Relaxed;
            let commit = Commit { files, durability, ..Commit::new(length, log.host.now()) };
            self.store_copied(id, commit).await?;
        }
        Ok(())
    }
}

/// Whether a file belongs to the log of the original, and not to the work of its agent: a waiting message, a draft, a file that
/// could not be read, or a conversation of a sub-agent, which its parent continues.
fn is_of_the_log(path: &StorePath) -> bool {
    let folder = path.as_str().split('/').next().unwrap_or_default();
    [COMMANDS, DRAFTS, INBOX, QUARANTINE, SUBAGENTS].contains(&folder)
}
