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

#[test]
fn pieces_without_a_number_are_shown_before_their_answer_only() {
    let store = MemoryStore::new();
    let copy = open(&store);
    take(&copy, &[info(&fields("idle", ""))]);
    let piece = |text: &str| {
        format!(
            r#"{{"id":"{}","source":"agent","content":"{text}","kind":"StreamingDeltaEvent"}}"#,
            Uuid::nil()
        )
    };
    let live = |text: &str| take(&copy, &[Given::Event(text)]).live;
    assert_eq!(live(&piece("")), Vec::<String>::new());
    let first = live(&piece("Hel"));
    assert!(first[0].contains(r#""content":"Hel""#), "{first:?}");
    let of_agent =
        |number, text| message(number, text).replacen(r#""source":"user""#, r#""source":"agent""#, 1);
    let events = [of_agent(0, "Before"), of_agent(1, "Hello"), of_agent(2, "Next one")];
    // The first answer has events from before the socket was opened, of which it does not tell.
    take(&copy, &[Given::Page { from: "", text: &page(&events[..1], false) }]);
    assert_eq!(live(&piece("l")).len(), 1);
    // The end of the answer is stored because another event has led to a request; then pieces of it come.
    take(&copy, &[Given::Page { from: &event_id(0), text: &page(&events[..2], false) }]);
    assert_eq!(live(&piece("lo")), Vec::<String>::new());
    assert!(take(&copy, &[Given::Event(&events[1])]).is_behind);
    let second = live(&piece("Next"));
    assert!(second[0].contains("Next") && first[0][..60] != second[0][..60], "{second:?}");
    // A socket that tells first.
    take(&copy, &[Given::Event(&events[2])]);
    take(&copy, &[Given::Page { from: &event_id(1), text: &page(&events[1..], false) }]);
    assert_eq!(live(&piece("Third")).len(), 1);
}

#[test]
fn a_system_prompt_that_was_asked_for_hides_no_pieces() {
    let store = MemoryStore::new();
    let copy = open(&store);
    take(&copy, &[info(&fields("idle", ""))]);
    // It is made with the first message, before the socket tells anything.
    take(&copy, &[Given::Page { from: "", text: &page(&[], false) }]);
    let prompt = format!(
        r#"{{"id":"{}","timestamp":"{}","source":"agent","system_prompt":{{"cache_prompt":false,"type":"text","text":"Be brief."}},"tools":[],"kind":"SystemPromptEvent"}}"#,
        event_id(0),
        time(0),
    );
    take(&copy, &[Given::Page { from: "", text: &page(&[prompt, message(1, "Hello")], false) }]);
    let piece = format!(
        r#"{{"id":"{}","source":"agent","content":"Hel","kind":"StreamingDeltaEvent"}}"#,
        Uuid::nil()
    );
    assert_eq!(take(&copy, &[Given::Event(&piece)]).live.len(), 1);
}
