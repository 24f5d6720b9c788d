//! Messages that a server takes and does not log, and calls that it would lose.

use super::*;

#[test]
fn a_message_that_the_server_takes_and_does_not_log_is_the_users_again() {
    let store = MemoryStore::new();
    let copy = open(&store);
    take(&copy, &[info(&fields("idle", ""))]);
    let (lost, other) = (keep(&copy, "Go"), keep(&copy, "On"));
    block_on(copy.miss(&lost)).unwrap();
    assert!(next(&copy).unwrap().contains("Go"), "one that was not sent cannot be missed");
    block_on(copy.miss(&lost)).unwrap();
    // It is not sent again by itself, and what is behind it does not wait for it.
    assert!(next(&copy).unwrap().contains(r#""text":"On""#));
    assert_eq!(outbox_of(&store), ["Go", "On"]);
    take(&copy, &[Given::Page { from: "", text: &page(&[message(0, "On")], false) }]);
    assert_eq!((next(&copy), outbox_of(&store)), (None, vec!["Go".to_owned(), event_id(0)]));
    assert!(!block_on(copy.keep_run()).unwrap() && sent(&copy, &other).is_some());
    // The user says so; the log is read first.
    block_on(copy.try_again()).unwrap();
    assert!(next(&copy).unwrap().contains(r#""wasSent":true"#));
    block_on(copy.miss(&lost)).unwrap();
    // It may come late, and be changed and taken back until then.
    let late = [message(0, "On"), message(1, "Go")];
    take(&copy, &[Given::Page { from: &event_id(0), text: &page(&late, false) }]);
    assert_eq!(sent(&copy, &lost), Some(late[1].clone()));
    let another = keep(&copy, "Stop");
    next(&copy);
    block_on(copy.miss(&another)).unwrap();
    let changed =
        block_on(copy.replace(&another, r#"[{"type":"text","text":"Wait"}]"#)).unwrap().id().clone();
    assert!(next(&copy).unwrap().contains(r#""wasSent":false"#));
    block_on(copy.miss(&changed)).unwrap();
    block_on(copy.take_back(&changed)).unwrap();
    assert_eq!(outbox_of(&store).len(), 2);
}

fn action(number: usize, tool: &str) -> String {
    format!(
        r#"{{"id":"{}","timestamp":"{}","source":"agent","parent_id":"{}","thought":[],"thinking_blocks":[],"action":{{"kind":"MCPToolAction","data":{{}}}},"tool_name":"{tool}","tool_call_id":"call-{number}","tool_call":{{"id":"call-{number}","name":"{tool}","arguments":"{{}}","origin":"completion"}},"llm_response_id":"r","kind":"ActionEvent"}}"#,
        event_id(number),
        time(number),
        event_id(number - 1),
    )
}

fn rejection(number: usize, of: usize) -> String {
    format!(
        r#"{{"id":"{}","timestamp":"{}","source":"environment","parent_id":"{}","tool_name":"t","tool_call_id":"call-{of}","action_id":"{}","rejection_reason":"No","kind":"UserRejectObservation"}}"#,
        event_id(number),
        time(number),
        event_id(number - 1),
        event_id(of),
    )
}

#[test]
fn a_call_that_waits_for_a_tool_of_the_server_does_not_move() {
    let store = MemoryStore::new();
    let copy = unopened(&store, SERVER_ADDRESS);
    let decided = |of_page: &[String]| block_on(copy.ensure_decided(of_page));
    assert_eq!(decided(&[]).unwrap_err().code(), ErrorCode::NotFound);
    let store_events = |events: &[String], head: usize| {
        let stored = block_on(store.load(id())).unwrap();
        let length = stored.as_ref().map_or(0, |listing| listing.length);
        let writer = stored.and_then(|listing| listing.writer).unwrap_or(0);
        let state = fields("idle", &format!(r#","leaf_event_id":"{}""#, event_id(head)));
        let numbered = events.iter().zip(length as usize..);
        let events =
            numbered.map(|(json, number)| (event_id(number).parse().unwrap(), Rc::from(&**json))).collect();
        let writer = Some(WriterNumber { expected: writer, next: writer + 1 });
        let commit = Commit { base_state: Some(state.into()), events, writer, ..Commit::new(length, 0.0) };
        block_on(store.commit(id(), commit)).unwrap();
    };
    store_events(&[message(0, "Go"), action(1, "terminal"), action(2, "page_title")], 2);
    let error = decided(&["page_title".to_owned()]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidState);
    let names = format!("\"terminal\" ({})", event_id(1));
    assert!(error.message().contains(&names) && !error.message().contains("page_title"), "{error}");
    // Those of the page are carried out by the page, there as well.
    decided(&["page_title".to_owned(), "terminal".to_owned()]).unwrap();
    // Another branch is not the one that goes on.
    store_events(&[], 0);
    decided(&[]).unwrap();
    store_events(&[rejection(3, 1), rejection(4, 2)], 4);
    decided(&[]).unwrap();
}
