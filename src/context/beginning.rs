//! The beginning of the first message of the user, which stands for the title of a conversation without one.
//!
//! Lists show it without reading events, so it is stored with the base state. It depends on the first events of the log only,
//! and can be derived from them again.

use crate::{
    event::{Body, Event, Source},
    format::base_state::BaseState,
    host::{self, Host},
    llm::message::Content,
};

/// How many events of a log are searched.
pub const SEARCHED: u64 = 16;

/// The most characters of a beginning: a list shows one line.
const LENGTH: usize = 60;

/// Stores the beginning, if these events at the start of a log have one and it is not known. `start` is the index of the
/// first of them.
pub fn note_beginning<'a>(
    state: &mut BaseState,
    host: &dyn Host,
    start: u64,
    events: impl IntoIterator<Item = &'a Event>,
) {
    if start < SEARCHED
        && state.beginning().is_none()
        && let Some(beginning) = events
            .into_iter()
            .take(usize::try_from(SEARCHED - start).unwrap_or(0))
            .find_map(|event| beginning(host, event))
    {
        state.set_beginning(&beginning);
    }
}

/// The beginning of this event, if it is a message of the user with a text.
pub fn beginning(host: &dyn Host, event: &Event) -> Option<String> {
    let Body::MessageEvent(message) = event.body() else { return None };
    if event.source() != Source::User {
        return None;
    }
    let texts = message.llm_message.content.iter().filter_map(Content::as_text);
    let mut words = texts.flat_map(str::split_whitespace);
    let mut found = words.next()?.to_owned();
    let mut is_cut = false;
    for word in words {
        if found.len() > LENGTH * 4 {
            is_cut = true;
            break;
        }
        found.push(' ');
        found.push_str(word);
    }
    if !is_cut && found.chars().count() <= LENGTH {
        return Some(found);
    }
    let mut start = host::beginning(host, &found, LENGTH - 1).to_owned();
    start.truncate(start.trim_end().len());
    start.push('…');
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{Head, MessageEvent, Parent},
        host::tests::Accents,
        llm::message::{Message, Role},
    };

    fn message(source: Source, texts: &[&str]) -> Event {
        let head = Head {
            id: "0f8fad5b-d9cb-469f-a165-708677289501".parse().unwrap(),
            timestamp: "2026-01-31T09:15:02.123456".into(),
            source,
            parent: Parent::Unset,
        };
        let content = texts.iter().map(|text| Content::text(*text)).collect();
        Event::new(head, MessageEvent::new(Message::new(Role::User, content))).unwrap()
    }

    #[test]
    fn the_beginning_is_one_line_of_at_most_sixty_characters() {
        let of = |texts: &[&str]| beginning(&Accents, &message(Source::User, texts));
        assert_eq!(of(&["  Add\n two\tnumbers ", "please"]).as_deref(), Some("Add two numbers please"));
        assert_eq!(of(&["", " \n "]), None);
        let sixty = "ü".repeat(60);
        assert_eq!(of(&[&sixty]).as_deref(), Some(&*sixty));
        assert_eq!(of(&[&"ü".repeat(61)]), Some(format!("{}…", "ü".repeat(59))));
        assert_eq!(
            of(&[&format!("{} b", "a".repeat(58))]).as_deref(),
            Some(&*format!("{} b", "a".repeat(58)))
        );
        assert_eq!(of(&[&format!("{} bcd", "a".repeat(58))]), Some(format!("{}…", "a".repeat(58))));
        assert_eq!(of(&[&"word ".repeat(10_000)]).map(|text| text.chars().count()), Some(60));
        let accent = format!("{}e\u{301}bcd", "a".repeat(58));
        assert_eq!(of(&[&accent]), Some(format!("{}…", "a".repeat(58))), "no letter loses its accent");
        assert_eq!(beginning(&Accents, &message(Source::Agent, &["Hello"])), None);
    }
}
