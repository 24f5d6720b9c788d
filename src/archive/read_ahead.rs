//! Contents of entries in a given order, unpacked a little ahead of their use.
//!
//! Unpacking goes through streams that wait on each other; a few at a time keep the machine busy. What is unpacked
//! ahead is bounded in bytes, so that memory is bounded by the largest entry.

use super::{
    Archive,
    contents::{Entry, Tag},
    invalid, limits,
};
use crate::{
    error::{Error, Result},
    together::Together,
};

/// An entry that is being unpacked.
type Read = (Tag, Entry, std::result::Result<Vec<u8>, String>);

/// Reads entries in the order of `entries`.
pub struct ReadAhead<'a> {
    archive: &'a dyn Archive,
    waiting: std::iter::Peekable<std::vec::IntoIter<(Tag, Entry)>>,
    reading: Together<'a, Read>,
    bytes: u64,
}

impl<'a> ReadAhead<'a> {
    /// Starts reading when first asked.
    pub fn new(archive: &'a dyn Archive, entries: Vec<(Tag, Entry)>) -> Self {
        Self { archive, waiting: entries.into_iter().peekable(), reading: Together::default(), bytes: 0 }
    }

    /// The next content; `name` says what its entry is called, for the error.
    pub async fn next(&mut self, name: &dyn Fn(Tag) -> String) -> Option<Result<(Tag, Vec<u8>)>> {
        self.fill();
        let (tag, entry, content) = self.reading.first().await?;
        self.bytes = self.bytes.saturating_sub(entry.size);
        Some(match content {
            Ok(content) if content.len() as u64 == entry.size => Ok((tag, content)),
            Ok(content) => Err(unreadable(
                &name(tag),
                &format!("it has {} bytes where its header says {}", content.len(), entry.size),
            )),
            Err(reason) => Err(unreadable(&name(tag), &reason)),
        })
    }

    fn fill(&mut self) {
        while self.reading.len() < limits::READ_AHEAD_ENTRIES {
            let room = limits::READ_AHEAD_BYTES.saturating_sub(self.bytes);
            let fits = |(_, entry): &(Tag, Entry)| self.reading.is_empty() || entry.size <= room;
            let Some((tag, entry)) = self.waiting.next_if(fits) else { return };
            self.bytes = self.bytes.saturating_add(entry.size);
            let read = self.archive.read(entry.position);
            self.reading.push(Box::pin(async move { (tag, entry, read.await) }));
        }
    }
}

fn unreadable(name: &str, reason: &str) -> Error {
    invalid(format!("entry {name} cannot be unpacked: {reason}; the archive is damaged, get it again"))
}
