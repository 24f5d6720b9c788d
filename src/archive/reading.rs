//! Reads entries in groups: many small ones at once, a large one alone.

use super::{
    Archive,
    contents::{Entry, Tag},
    limits::{GROUP_BYTES, GROUP_ENTRIES},
    writing::Unreadable,
};
use crate::error::Result;

/// An entry to read, with its identity.
pub type Tagged = (Tag, Entry);

/// The entries in their order, in groups that are read at once. The memory for a group is bounded by its largest entry and
/// [`GROUP_BYTES`].
pub fn groups(entries: Vec<Tagged>) -> Vec<Vec<Tagged>> {
    let mut groups = Vec::new();
    let mut group: Vec<Tagged> = Vec::new();
    let mut bytes = 0_u64;
    for (tag, entry) in entries {
        if !group.is_empty()
            && (group.len() >= GROUP_ENTRIES || bytes.saturating_add(entry.size) > GROUP_BYTES)
        {
            groups.push(std::mem::take(&mut group));
            bytes = 0;
        }
        bytes = bytes.saturating_add(entry.size);
        group.push((tag, entry));
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

/// Calls `each` with every content of a group; `name` gives the name of the entry at a position, for errors.
pub async fn read(
    archive: &dyn Archive,
    group: &[Tagged],
    name: &dyn Fn(usize) -> String,
    each: &mut dyn FnMut(Tag, &[u8]) -> Result<()>,
) -> Result<()> {
    let named = |unreadable: Unreadable| unreadable.error(&name(unreadable.position));
    let content = archive.read(&positions(group)).await.map_err(named)?;
    let mut rest = content.as_slice();
    for (tag, entry) in group {
        let length = usize::try_from(entry.size).unwrap_or(usize::MAX);
        let Some((content, after)) = rest.split_at_checked(length) else {
            let reason = "it is shorter than the size in its header".to_owned();
            return Err(named(Unreadable { position: entry.position, reason }));
        };
        each(*tag, content)?;
        rest = after;
    }
    Ok(())
}

/// The positions of a group's entries in the archive's directory.
pub fn positions(group: &[Tagged]) -> Vec<usize> {
    group.iter().map(|(_, entry)| entry.position).collect()
}
