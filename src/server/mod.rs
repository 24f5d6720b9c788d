//! Conversations that an OpenHands agent server runs, and their copies in a store.
//!
//! A copy has the layout of every conversation, so that followers, lists, exports and searches read it as any other. It is
//! written only from what the server sends, in the order of the server's log; handles on it are followers, also in the page that
//! writes it. Several pages may write the same copy: each commit compares the log's length and the number of the writer, and one
//! that another page has overtaken looks again at what is new. So nothing of such a conversation is repaired, repeated or run here.
//!
//! Performs no network I/O: a page passes in the frames of a socket and the answers to requests ([`Given`]), and is told what
//! to ask for ([`Taken`]).

mod answers;
mod copy;
mod given;
mod link;
mod mark;
mod moving;
mod noted;
mod outbox;
mod run_end;

#[cfg(test)]
mod tests;

pub use copy::{ServerCopy, Taken};
pub use given::Given;
pub use link::{AfterClose, after_close};
pub use run_end::RunEnd;
