//! Drafts: while an answer streams, its text is stored beside the log, so that the death of the page loses at most the
//! last second of it.
//!
//! The stream never waits for it. At most once in [`INTERVAL`] a small file with what is new is committed, relaxed, and not
//! before the first interval is over. A store that needs longer gets fewer and longer pieces; what else is in the
//! conversation makes no difference. The commit of the answer, or of what takes its place, removes the files; one that goes
//! past what a dead page has left makes it an event first (`machine/drafts.rs`). Until then nothing of a draft is in the
//! log: no follower sees it, and neither does the model.
//!
//! The work is done by code that a page loads once the conversation is open, and which also stores the ids of
//! background responses. Until it is loaded, neither is written, and a draft that an earlier page has left stays where it is.

mod background;

use crate::{
    agent::{CutOff, Piece, ShownAnswer, partial_answer, underway::Underway},
    error::Result,
    event::{Body, Event},
    fair_mutex::FairGuard,
    format::{
        drafts::{DraftPiece, answer_of, path_of},
        layout::DRAFTS,
    },
    handle::Conversation,
    id::{EventId, StorePath},
    log::{
        active_branch::{is_seen, walk_back},
        warning::WarningCode,
    },
    machine::{Command, Remains, Resume, StoredDraft},
    store::Durability,
    tool::FileChange,
};
use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, join, select};
use std::{pin::pin, time::Duration};
use wasm_file::wasm_file;

/// The time between two pieces.
const INTERVAL: Duration = Duration::from_secs(1);

/// What stores, until a request is over, what a later page needs of it.
#[wasm_file(run)]
async fn storing<'a>(
    conversation: &'a Conversation,
    request: &'a Underway,
) -> Result<LocalBoxFuture<'a, ()>> {
    let both = join(conversation.store_responses(request), conversation.store_pieces(request));
    Ok(Box::pin(both.map(drop)))
}

/// What reads the draft in these files, and does with it as the host wants. One that the log has gone past, because another program has
/// continued it, is removed.
#[wasm_file(run)]
async fn reading<'a>(
    conversation: &'a Conversation,
    paths: Vec<StorePath>,
    resume: Resume,
) -> Result<LocalBoxFuture<'a, Result<()>>> {
    Ok(Box::pin(conversation.read_draft(paths, resume)))
}

impl Conversation {
    /// The draft that a page has left when it died: the id under which the answer was shown, and its text.
    pub fn draft(&self) -> Option<(EventId, String)> {
        let page = self.0.page.borrow();
        let draft = page.draft.as_ref()?;
        Some((draft.id.clone(), draft.left.as_ref()?.text.clone()))
    }

    /// Stores what a later page needs of a request until it is over. Does not wait for the code once it is.
    pub(crate) async fn store_for_later(&self, request: &Underway) {
        request.news().await;
        if let Either::Right((Ok(storing), _)) = select(pin!(request.over()), storing(self, request)).await {
            storing.await;
        }
    }

    /// Reads the draft that an earlier page has left. `listed`: the paths of files, those of drafts among them, if they are known.
    pub(crate) async fn open_draft(&self, resume: Resume, listed: Option<Vec<StorePath>>) -> Result<()> {
        let paths = self.0.log.files_in(DRAFTS, listed).await?;
        if paths.is_empty() {
            return Ok(());
        }
        // If the code for drafts cannot be loaded, the conversation opens all the same, and the draft stays stored.
        match reading(self, paths, resume).await {
            Ok(reading) => reading.await,
            Err(_) => Ok(()),
        }
    }

    async fn store_pieces(&self, request: &Underway) {
        let answer = &request.answer;
        loop {
            request.text().await;
            if let Either::Left(_) = select(pin!(request.over()), self.0.log.host.sleep(INTERVAL)).await {
                return;
            }
            let lock = self.0.log.lock().await;
            let Some(piece) = answer.next_piece() else { continue };
            // If the store fails, the commit of the answer says so.
            if self.store_piece(&lock, answer, &piece).await.is_err() {
                return;
            }
            answer.note_stored(&piece);
        }
    }

    async fn store_piece(&self, lock: &FairGuard, answer: &ShownAnswer, piece: &Piece) -> Result<()> {
        let path = path_of(&answer.id, piece.number)?;
        let content = DraftPiece { after: answer.question.clone(), text: piece.text.clone() };
        let mut files = vec![FileChange::new(path.clone(), Some(content.json()))];
        {
            let page = &mut *self.0.page.borrow_mut();
            let draft = page.draft.get_or_insert_with(|| StoredDraft::of(answer.id.clone()));
            if piece.is_first {
                files.extend(draft.removal());
            }
            // Also if the commit fails: nobody knows whether the store has the file all the same.
            draft.paths.push(path.clone());
        }
        self.perform_now(lock, Command::StoreBeside { files }).await?;
        if piece.is_first {
            let draft = StoredDraft { paths: vec![path], ..StoredDraft::of(answer.id.clone()) };
            self.0.page.borrow_mut().draft = Some(draft);
        }
        Ok(())
    }

    async fn read_draft(&self, paths: Vec<StorePath>, resume: Resume) -> Result<()> {
        let Some(id) = paths.last().and_then(answer_of) else { return Ok(()) };
        let remains = self.read_pieces(&id, &paths).await?;
        let partial = partial_answer(id.clone(), &remains.text, CutOff::BrokenOff);
        let is_open = self.is_open(&remains.question).await?;
        let draft = StoredDraft { id, left: Some(remains), paths };
        let Some(partial) = partial.filter(|_| is_open) else {
            let files = draft.removal().collect();
            let command = Command::WriteFiles { files, durability: Durability::Relaxed };
            return self.perform(command).await.map(drop);
        };
        // A message that waits in the inbox is appended at once, so the draft becomes an event in front of it.
        let resume = if self.0.page.borrow().inbox.is_empty() { resume } else { Resume::Keep };
        self.0.page.borrow_mut().draft = Some(draft);
        for warning in self.0.warnings.borrow_mut().iter_mut() {
            if warning.code == WarningCode::Interrupted {
                warning.message.push_str(match resume {
                    Resume::Again => "; the answer that was being written is a draft until then",
                    Resume::Keep => "; the answer that was being written is kept as far as it was stored",
                });
            }
        }
        match resume {
            Resume::Again => Ok(()),
            Resume::Keep => self.append(vec![partial], Durability::Strict).await,
        }
    }

    /// Whether the active branch has nothing behind this event that answers it or goes past it. Summaries do neither.
    async fn is_open(&self, question: &str) -> Result<bool> {
        let log = &self.0.log;
        let mut is_open = false;
        let visit = &mut |_, event: Event| {
            is_open = event.id().as_str() == question;
            !is_open && (!is_seen(&event) || matches!(event.body(), Body::Condensation(_)))
        };
        walk_back(&*log.store, log.id, log.head(), visit).await?;
        Ok(is_open)
    }

    /// The text of an answer's pieces, up to one that cannot be read, and the event that the answer follows.
    async fn read_pieces(&self, id: &EventId, paths: &[StorePath]) -> Result<Remains> {
        let log = &self.0.log;
        let (mut question, mut text) = (None, String::new());
        for path in paths.iter().filter(|path| answer_of(path).as_ref() == Some(id)) {
            let bytes = log.store.read_file(log.id, path).await?.unwrap_or_default();
            let Some(piece) = DraftPiece::parse(&bytes) else { break };
            if *question.get_or_insert_with(|| piece.after.clone()) != piece.after {
                break;
            }
            text.push_str(&piece.text);
        }
        Ok(Remains { question: question.unwrap_or_default(), text })
    }
}
