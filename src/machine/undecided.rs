//! The note of an import in the base state: which of its settings the host has not decided about. Its fields are
//! explained in `format/import_mark.rs`.

use crate::{
    format::{
        base_state::BaseState,
        import_mark::{IMPORT, LAST_EVENT},
    },
    json::{EditableObject, RawJson},
};

/// Whether the host still has to decide about this field of [`IMPORT`].
pub fn awaits_decision(state: &BaseState, field: &str) -> bool {
    undecided_in(state).get(field).is_some()
}

/// The note's fields.
pub fn undecided_in(state: &BaseState) -> EditableObject {
    state.field(IMPORT).and_then(|import| import.read()).unwrap_or_default()
}

/// Removes these fields of [`IMPORT`], because the host has decided about them.
pub fn mark_decided(state: &mut BaseState, fields: &[&str]) {
    let mut undecided = undecided_in(state);
    let mut has_changed = false;
    for name in fields {
        has_changed |= undecided.remove(name).is_some();
    }
    if has_changed {
        set_note(state, &undecided);
    }
}

/// Removes the time of the import's last event, if it is there: from this commit on, a list shows the time of the conversation.
pub fn forget_imported_time(state: &mut BaseState) -> bool {
    let mut note = undecided_in(state);
    let is_there = note.remove(LAST_EVENT).is_some();
    if is_there {
        set_note(state, &note);
    }
    is_there
}

/// Without fields there is no note.
fn set_note(state: &mut BaseState, note: &EditableObject) {
    let is_empty = note.iter().next().is_none();
    state.set_field(IMPORT, (!is_empty).then(|| RawJson::of(note)).as_ref());
}
