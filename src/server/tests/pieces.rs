//! The pieces of answers: which are shown, and when.

use super::*;

#[test]
fn pieces_of_an_answer_are_shown_until_one_is_missing() {
    let copy = open(&MemoryStore::new());
    let item = event_id(7);
    let begins = |attempt| {
        format!(r#"{{"type":"item_started","item_id":"{item}","attempt":{attempt},"anchor_seq":2}}"#)
    };
    let piece = |attempt, order, text: &str| {
        format!(
            r#"{{"type":"delta","item_id":"{item}","attempt":{attempt},"order":{order},"kind":"text","content":"{text}"}}"#
        )
    };
    let live = |text: &str| take(&copy, &[Given::Session(text)]).live;
    assert_eq!(live(&piece(1, 5, "from the middle")), Vec::<String>::new());
    live(&begins(1));
    assert_eq!(
        live(&piece(1, 0, "Hel")),
        [format!(r#"{{"kind":"StreamingDeltaEvent","message_id":"{item}","content":"Hel"}}"#)]
    );
    assert_eq!(live(&piece(1, 2, "!")), Vec::<String>::new());
    assert_eq!(live(&piece(1, 3, "?")), Vec::<String>::new());
    live(&begins(2));
    assert_eq!(live(&piece(1, 4, "of the first attempt")), Vec::<String>::new());
    assert_eq!(live(&piece(2, 0, "Hello")).len(), 1);
    live(&format!(r#"{{"type":"item_aborted","item_id":"{item}","attempt":2,"reason":"error"}}"#));
    assert_eq!(live(&piece(2, 1, " again")), Vec::<String>::new());
    assert_eq!(live(r#"{"type":"of a later version","x":1}"#), Vec::<String>::new());
}

/// A copy of a conversation of which the server has told nothing else.
fn described() -> ServerCopy {
    let copy = open(&MemoryStore::new());
    take(&copy, &[info(&fields("idle", ""))]);
    copy
}

/// A piece of an answer that is whole at `time(number)`.
fn piece_before(number: usize, text: &str) -> String {
    let before = &time(number)[..25];
    format!(
        r#"{{"id":"{}","timestamp":"{before}","source":"agent","content":"{text}","kind":"StreamingDeltaEvent"}}"#,
        Uuid::nil()
    )
}

fn answer(number: usize, text: &str) -> String {
    message(number, text).replacen(r#""source":"user""#, r#""source":"agent""#, 1)
}

#[test]
fn pieces_without_a_number_are_shown_before_their_answer_only() {
    let copy = described();
    let live = |number, text: &str| take(&copy, &[Given::Event(&piece_before(number, text))]).live;
    assert_eq!(live(2, ""), Vec::<String>::new());
    let first = live(2, "Hel");
    assert!(first[0].contains(r#""content":"Hel""#), "{first:?}");
    let events = [answer(1, "Before"), answer(2, "Hello"), answer(3, "Next one")];
    // The first answer to a request has events from before the socket was opened, of which it does not tell.
    take(&copy, &[Given::Page { from: "", text: &page(&events[..1], true) }]);
    assert_eq!(live(2, "l").len(), 1);
    // The end of the answer is stored because another event has led to a request; then pieces of it come.
    take(&copy, &[Given::Page { from: &event_id(1), text: &page(&events[..2], false) }]);
    assert_eq!(live(2, "lo"), Vec::<String>::new());
    assert!(take(&copy, &[Given::Event(&events[1])]).is_behind);
    let second = live(3, "Next");
    assert!(second[0].contains("Next") && first[0][..60] != second[0][..60], "{second:?}");
    // A socket that tells first.
    take(&copy, &[Given::Event(&events[2])]);
    take(&copy, &[Given::Page { from: &event_id(2), text: &page(&events[1..], false) }]);
    assert_eq!(live(4, "Third").len(), 1);
}

#[test]
fn pieces_are_shown_when_the_clock_of_the_server_has_gone_back() {
    let copy = described();
    let event = answer(3, "Before");
    take(&copy, &[Given::Page { from: "", text: &page(std::slice::from_ref(&event), false) }]);
    take(&copy, &[Given::Event(&event)]);
    assert_eq!(take(&copy, &[Given::Event(&piece_before(1, "Well"))]).live.len(), 1);
}

#[test]
fn an_answer_that_two_requests_have_told_of_hides_no_pieces_of_the_next_one() {
    let copy = described();
    let events = [message(0, "Hello"), answer(1, "Hello to you"), message(2, "And?")];
    take(&copy, &[Given::Page { from: "", text: &page(&events[..1], false) }]);
    // Two requests were under way when the answer was whole.
    let both = page(&events[..2], false);
    take(&copy, &[Given::Page { from: &event_id(0), text: &both }]);
    take(&copy, &[Given::Event(&events[1])]);
    take(&copy, &[Given::Page { from: &event_id(0), text: &both }]);
    take(&copy, &[Given::Page { from: &event_id(1), text: &page(&events[1..], false) }]);
    assert_eq!(take(&copy, &[Given::Event(&piece_before(3, "Well"))]).live.len(), 1);
}

#[test]
fn a_log_of_several_pages_hides_no_pieces() {
    let copy = described();
    let events = [answer(0, "Long ago"), answer(1, "Before")];
    take(&copy, &[Given::Page { from: "", text: &page(&events[..1], true) }]);
    take(&copy, &[Given::Page { from: &event_id(0), text: &page(&events, false) }]);
    assert_eq!(take(&copy, &[Given::Event(&piece_before(2, "Well"))]).live.len(), 1);
}

#[test]
fn a_system_prompt_that_was_asked_for_hides_no_pieces() {
    let copy = described();
    // It is made with the first message, before the socket tells anything.
    take(&copy, &[Given::Page { from: "", text: &page(&[], false) }]);
    let prompt = format!(
        r#"{{"id":"{}","timestamp":"{}","source":"agent","system_prompt":{{"cache_prompt":false,"type":"text","text":"Be brief."}},"tools":[],"kind":"SystemPromptEvent"}}"#,
        event_id(0),
        time(0),
    );
    take(&copy, &[Given::Page { from: "", text: &page(&[prompt, message(1, "Hello")], false) }]);
    assert_eq!(take(&copy, &[Given::Event(&piece_before(2, "Hel"))]).live.len(), 1);
}
