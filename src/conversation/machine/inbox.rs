//! The files of the inbox, whose purpose is explained in `conversation/inbox.rs`.

use crate::{
    error::{Error, ErrorCode, Result},
    event::Event,
    format::layout::INBOX,
    id::StorePath,
};

/// The path of a message's file. It begins with the time, so that listing files by name sorts them by time.
pub fn path_of(event: &Event) -> Result<StorePath> {
    let time: String = event.timestamp().chars().filter(char::is_ascii_digit).collect();
    format!("{INBOX}/{time}-{}.json", event.id())
        .parse()
        .map_err(|_| Error::new(ErrorCode::Internal, "the id of a message does not form a valid file name"))
}
