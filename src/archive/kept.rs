//! An archive whose contents are unpacked once where they are small: what the first pass has read is kept for the
//! second, up to a fixed number of bytes.

use super::{Archive, EntryHeader, limits::KEPT_BYTES};
use futures_util::future::LocalBoxFuture;
use std::cell::{Cell, RefCell};

/// The archive, with a memory.
pub struct Kept<'a> {
    archive: &'a dyn Archive,
    /// By their positions.
    contents: RefCell<Vec<Option<Vec<u8>>>>,
    room: Cell<usize>,
}

impl<'a> Kept<'a> {
    /// Remembers nothing yet.
    pub fn new(archive: &'a dyn Archive) -> Self {
        Self { archive, contents: RefCell::default(), room: Cell::new(KEPT_BYTES) }
    }

    /// Keeps a copy for the next reading, if there is room.
    fn keep(&self, position: usize, content: &[u8]) {
        if let Some(room) = self.room.get().checked_sub(content.len()) {
            self.room.set(room);
            let mut contents = self.contents.borrow_mut();
            if contents.len() <= position {
                contents.resize(position.saturating_add(1), None);
            }
            if let Some(place) = contents.get_mut(position) {
                *place = Some(content.to_vec());
            }
            self.archive.forget(position);
        }
    }

    fn take(&self, position: usize) -> Option<Vec<u8>> {
        self.contents.borrow_mut().get_mut(position)?.take()
    }
}

impl Archive for Kept<'_> {
    fn size(&self) -> u64 {
        self.archive.size()
    }

    fn next_entry(&self) -> LocalBoxFuture<'_, Result<Option<EntryHeader>, String>> {
        self.archive.next_entry()
    }

    /// What was kept is given away: the room is not used twice.
    fn read(&self, position: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, String>> {
        let kept = self.take(position);
        Box::pin(async move {
            if let Some(content) = kept {
                return Ok(content);
            }
            let content = self.archive.read(position).await?;
            self.keep(position, &content);
            Ok(content)
        })
    }

    fn forget(&self, position: usize) {
        drop(self.take(position));
        self.archive.forget(position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_executor::block_on;
    use std::future::ready;

    /// Counts how often it is asked.
    struct Zeros {
        size: usize,
        reads: Cell<usize>,
    }

    impl Archive for Zeros {
        fn size(&self) -> u64 {
            0
        }
        fn next_entry(&self) -> LocalBoxFuture<'_, Result<Option<EntryHeader>, String>> {
            Box::pin(ready(Ok(None)))
        }
        fn read(&self, _: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, String>> {
            self.reads.set(self.reads.get() + 1);
            Box::pin(ready(Ok(vec![0; self.size])))
        }
        fn forget(&self, _: usize) {}
    }

    #[test]
    fn small_contents_are_unpacked_once_and_the_rest_each_time() {
        for (size, expected) in [(10, 3), (KEPT_BYTES / 2, 4), (KEPT_BYTES + 1, 6)] {
            let zeros = Zeros { size, reads: Cell::new(0) };
            let kept = Kept::new(&zeros);
            for _ in 0..2 {
                for position in 0..3 {
                    assert_eq!(block_on(kept.read(position)).unwrap().len(), size);
                }
            }
            assert_eq!(zeros.reads.get(), expected, "{size}");
        }
    }
}
