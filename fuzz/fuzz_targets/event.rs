//! Event files with any bytes, one per line: they are decoded, encoded, and converted to a branch, a view and messages.
#![no_main]

use libfuzzer_sys::fuzz_target;
use threadkeep::{
    context::{
        branch::{active_branch, unmatched_actions},
        view::View,
    },
    event::{Body, Event},
    format::{base_state::BaseState, tree::Leaf},
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(state) = BaseState::parse(text) {
        assert_eq!(&*state.json(), text);
    }
    let log: Vec<Event> = text
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let id = Event::id_in(line)
                .or_else(|| format!("{index:08}").parse().ok())
                .expect("eight digits are an id");
            let event = Event::decode(id, line.into());
            assert_eq!(&**event.json(), line);
            event
        })
        .collect();
    for event in &log {
        let written = event.body().encode(event.head());
        assert_eq!(written.is_none(), matches!(event.body(), Body::Unknown | Body::Unreadable));
        if let Some(written) = written {
            let again = Event::decode(event.id().clone(), written.into());
            assert_eq!(again.body(), event.body());
        }
    }
    let branch = active_branch(&log, &Leaf::Unset);
    unmatched_actions(&branch.events);
    View::of_branch(&branch.events).messages();
});
