//! Calls of the page that have no result when a conversation comes home.

use super::*;
use crate::server::noted;

/// An action of the page, and what the server answers at once in its name.
fn call(number: usize, note: &str) -> [String; 2] {
    let (action, answer) = (event_id(number), event_id(number + 1));
    let parent = event_id(number - 1);
    let of_call = format!(r#""tool_name":"count","tool_call_id":"c{number}""#);
    [
        format!(
            r#"{{"id":"{action}","timestamp":"{}","source":"agent","parent_id":"{parent}","thought":[],"thinking_blocks":[],"action":{{"kind":"ClientAction_count"}},{of_call},"tool_call":{{"id":"c{number}","name":"count","arguments":"{{}}","origin":"completion"}},"llm_response_id":"r{number}","security_risk":"LOW","kind":"ActionEvent"}}"#,
            time(number)
        ),
        format!(
            r#"{{"id":"{answer}","timestamp":"{}","source":"environment","parent_id":"{action}",{of_call},"action_id":"{action}",{note}}}"#,
            time(number + 1)
        ),
    ]
}

const DISPATCHED: &str =
    r#""observation":{"kind":"ClientToolObservation","content":[]},"kind":"ObservationEvent""#;

/// The messages that wait to be appended.
fn queued(store: &MemoryStore) -> Vec<String> {
    let inbox = block_on(store.files(id(), Some(&"inbox".parse().unwrap()))).unwrap();
    let text = |path| String::from_utf8(block_on(store.read_file(id(), path)).unwrap().unwrap()).unwrap();
    inbox.iter().map(text).collect()
}

#[test]
fn a_call_of_the_page_without_a_result_is_told_of_when_the_conversation_comes_home() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let taken_over = r#""rejection_reason":"The page carries this call out, and tells its result in a message of the user.","kind":"UserRejectObservation""#;
    let mut log = vec![message(0, "Hi")];
    log.extend(call(1, DISPATCHED));
    log.extend(call(3, taken_over));
    log.extend(call(5, DISPATCHED));
    log.extend(call(7, r#""rejection_reason":"No","kind":"UserRejectObservation""#));
    log.push(message(9, &format!("The call {} of the tool count has this result:\\n5", event_id(5))));
    take(&copy, &[info(&fields("finished", ""))]);
    take(&copy, &[Given::Page { from: "", text: &page(&log, false) }]);
    assert!(!block_on(copy.begin_call(&event_id(3).parse().unwrap())).unwrap());
    block_on(copy.arrive()).unwrap();

    let queued = queued(&store);
    let [message] = &queued[..] else { panic!("{queued:?}") };
    let said = |number: usize| {
        let start = format!("The call {} of the tool count has failed:", event_id(number));
        message.split_once(&start).map(|(_, rest)| rest.split_once("\"}").unwrap().0.to_owned())
    };
    assert!(said(1).unwrap().contains("was not carried out"), "{message}");
    assert!(said(3).unwrap().contains("nobody knows whether it took effect"), "{message}");
    assert_eq!((said(5), said(7)), (None, None), "{message}");
}

#[test]
fn a_conversation_without_calls_of_the_page_comes_home_as_it_is() {
    let store = MemoryStore::new();
    let copy = open(&store);
    take(&copy, &[info(&fields("finished", ""))]);
    take(&copy, &[Given::Page { from: "", text: &page(&[message(0, "Hi")], false) }]);
    block_on(copy.arrive()).unwrap();
    assert_eq!(queued(&store), [""; 0]);
}

#[test]
fn the_words_of_the_page_are_those_that_are_looked_for() {
    let page = include_str!("../../../js/conversation/server/client-tools.ts");
    assert!(page.contains(noted::TAKEN_OVER) && page.contains("`The call ${id} of the tool ${tool_name} "));
    for answer in noted::ANSWERS {
        assert!(page.contains(&format!("\"{}\"", answer.trim_end_matches(':'))), "{answer}");
    }
}
