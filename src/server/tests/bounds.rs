//! Texts that no server sends: they are refused, and nothing of them is stored.

use super::*;

fn refused(copy: &ServerCopy, given: &[Given<'_>]) -> ErrorCode {
    block_on(copy.take(given)).unwrap_err().code()
}

/// A page that asks from the last event.
fn from(number: usize, events: &[String], has_more: bool) -> (String, String) {
    (event_id(number), page(events, has_more))
}

#[test]
fn an_event_is_in_a_copy_once() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(3);
    take(&copy, &[info(&fields("idle", ""))]);
    let twice = page(&[events[0].clone(), events[1].clone(), events[0].clone()], false);
    assert_eq!(refused(&copy, &[Given::Page { from: "", text: &twice }]), ErrorCode::Network);
    assert_eq!(log_of(&store).len(), 0);
    take(&copy, &[Given::Page { from: "", text: &page(&events, false) }]);
    // Also one that another page has copied, which knows no ids.
    for copy in [copy, open(&store)] {
        let (last, text) = from(2, &[events[2].clone(), events[0].clone()], false);
        assert_eq!(refused(&copy, &[Given::Page { from: &last, text: &text }]), ErrorCode::Network);
        let frames = [durable(3, &message(3, "New")), durable(4, &events[1])];
        let frames = frames.each_ref().map(|text| Given::Session(text));
        assert_eq!(refused(&copy, &frames), ErrorCode::Network);
        copy.reconnect();
        assert_eq!(log_of(&store), events);
    }
    // A server that has come to its senses goes on.
    let copy = open(&store);
    take(&copy, &[Given::Session(&durable(3, &message(3, "New")))]);
    assert_eq!(log_of(&store).len(), 4);
}

#[test]
fn an_event_that_two_pages_store_at_once_is_no_mistake() {
    let store = MemoryStore::new();
    let (copy, other) = (open(&store), open(&store));
    let events = log(4);
    take(&copy, &[info(&fields("idle", "")), Given::Page { from: "", text: &page(&events[..2], false) }]);
    block_on(other.open()).unwrap();
    let (last, text) = from(1, &events[1..], false);
    for copy in [&copy, &other] {
        take(copy, &[Given::Page { from: &last, text: &text }]);
    }
    assert_eq!(log_of(&store), events);
}

#[test]
fn a_copy_that_was_deleted_is_made_anew() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(3);
    let all = page(&events, false);
    let given = [info_of_idle(), Given::Page { from: "", text: &all }];
    take(&copy, &given);
    block_on(store.delete(id())).unwrap();
    block_on(copy.open()).unwrap();
    take(&copy, &given);
    assert_eq!(log_of(&store), events);
}

/// The description of a conversation that rests.
fn info_of_idle() -> Given<'static> {
    info(Box::leak(fields("idle", "").into_boxed_str()))
}

#[test]
fn a_page_has_as_many_events_as_were_asked_for_and_leads_on() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(102);
    take(&copy, &[info(&fields("idle", ""))]);
    assert_eq!(
        refused(&copy, &[Given::Page { from: "", text: &page(&events[..101], true) }]),
        ErrorCode::Network
    );
    assert_eq!(refused(&copy, &[Given::Page { from: "", text: &page(&[], true) }]), ErrorCode::Network);
    take(&copy, &[Given::Page { from: "", text: &page(&events[..100], true) }]);
    let (last, text) = from(99, &events[99..100], true);
    assert_eq!(refused(&copy, &[Given::Page { from: &last, text: &text }]), ErrorCode::Network);
    assert_eq!(log_of(&store).len(), 100);
}

#[test]
fn a_number_that_no_log_reaches_is_refused() {
    let store = MemoryStore::new();
    let copy = open(&store);
    take(&copy, &[info(&fields("idle", ""))]);
    for number in ["18446744073709551615", "1000000000000"] {
        let frame = durable(0, &message(0, "Hi")).replacen("\"seq\":0", &format!("\"seq\":{number}"), 1);
        let sync = format!(r#"{{"type":"sync","from_seq":-1,"through_seq":{number}}}"#);
        assert_eq!(refused(&copy, &[Given::Session(&sync), Given::Session(&frame)]), ErrorCode::TooLarge);
        copy.reconnect();
    }
    assert_eq!(log_of(&store).len(), 0);
}
