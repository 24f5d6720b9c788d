//! A copy that is written from what a server tells, in any order, with interruptions, and from several pages.

mod bounds;
mod hostile;
mod missed;
mod noted;
mod pieces;

use super::{AfterClose, Given, ServerCopy, Taken, after_close};
use crate::{
    error::ErrorCode,
    format::{
        base_state::BaseState,
        import_mark::IMPORT,
        server_mark::{OUTBOX, SERVER},
        tree::Leaf,
    },
    host::Host,
    id::{ConversationId, EventId},
    json::RawJson,
    store::{Commit, MemoryStore, Store, WriterNumber},
};
use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use proptest::prelude::*;
use std::{
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use uuid::Uuid;

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
const SERVER_ADDRESS: &str = "http://127.0.0.1:8000";

struct Clock;

impl Host for Clock {
    fn now(&self) -> f64 {
        1_000.0
    }

    fn local_time(&self) -> String {
        "2026-01-31T09:15:02.123456".to_owned()
    }

    fn random_uuid(&self) -> Uuid {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Uuid::from_u128(u128::from(LAST.fetch_add(1, Ordering::Relaxed)) + 1)
    }

    fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

fn id() -> ConversationId {
    ID.parse().unwrap()
}

fn unopened(store: &MemoryStore, server: &str) -> ServerCopy {
    ServerCopy::new(Rc::new(store.another()), Rc::new(Clock), id(), server)
}

fn open(store: &MemoryStore) -> ServerCopy {
    let copy = unopened(store, SERVER_ADDRESS);
    block_on(copy.open()).unwrap();
    copy
}

fn event_id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// The time of an event, or with a fraction one between two.
fn time(number: usize) -> String {
    format!("2026-01-31T09:15:{:02}.{:06}", number / 1000, number % 1000 * 1000)
}

fn message(number: usize, text: &str) -> String {
    let parent = match number {
        0 => String::new(),
        _ => format!(r#""parent_id":"{}","#, event_id(number - 1)),
    };
    format!(
        r#"{{"id":"{}","timestamp":"{}","source":"user",{parent}"llm_message":{{"role":"user","content":[{{"cache_prompt":false,"type":"text","text":"{text}"}}],"thinking_blocks":[]}},"activated_skills":[],"extended_content":[],"kind":"MessageEvent"}}"#,
        event_id(number),
        time(number),
    )
}

fn update(number: usize, key: &str, value: &str) -> String {
    format!(
        r#"{{"id":"{}","timestamp":"{}","source":"environment","key":"{key}","value":{value},"kind":"ConversationStateUpdateEvent"}}"#,
        event_id(number),
        time(number),
    )
}

fn fields(status: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{ID}","agent":{{"kind":"Agent","llm":{{"model":"m","api_key":"**********"}}}},"workspace":{{"kind":"LocalWorkspace","working_dir":"/w"}},"execution_status":"{status}","tags":{{}}{more}}}"#
    )
}

fn snapshot(at: &str, fields: &str) -> String {
    format!(
        r#"{{"id":"{}","timestamp":"{at}","source":"environment","key":"full_state","value":{fields},"kind":"ConversationStateUpdateEvent"}}"#,
        Uuid::nil()
    )
}

fn durable(number: usize, event: &str) -> String {
    format!(r#"{{"type":"durable","seq":{number},"event":{event}}}"#)
}

fn sync(through: usize) -> String {
    format!(r#"{{"type":"sync","from_seq":-1,"through_seq":{through}}}"#)
}

fn page(events: &[String], has_more: bool) -> String {
    let next = if has_more { format!("\"{}\"", event_id(99_999)) } else { "null".to_owned() };
    format!(r#"{{"items":[{}],"next_page_id":{next}}}"#, events.join(","))
}

/// Asked for when the copy was empty.
fn info(text: &str) -> Given<'_> {
    Given::Info { length: 0, text }
}

fn take(copy: &ServerCopy, given: &[Given<'_>]) -> Taken {
    block_on(copy.take(given)).unwrap()
}

fn log_of(store: &MemoryStore) -> Vec<String> {
    block_on(store.events(id(), 0..u64::MAX)).unwrap().iter().map(|event| event.json.to_string()).collect()
}

fn state_of(store: &MemoryStore) -> BaseState {
    BaseState::parse(&block_on(store.load(id())).unwrap().unwrap().base_state).unwrap()
}

/// A log of messages and updates of the state.
fn log(length: usize) -> Vec<String> {
    (0..length)
        .map(|number| match number % 5 {
            3 => update(
                number,
                "execution_status",
                if number % 2 == 0 { r#""running""# } else { r#""finished""# },
            ),
            _ => message(number, &format!("Número {number}")),
        })
        .collect()
}

#[test]
fn a_copy_has_the_bytes_of_the_log_and_what_a_list_shows() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(4);
    let pages = [page(&events[..3], true), page(&events[2..], false)];
    let state =
        fields("running", &format!(r#","leaf_event_id":"{}","title":"no field of the state""#, event_id(2)));
    let taken = take(&copy, &[info(&state), Given::Page { from: "", text: &pages[0] }]);
    assert!(taken.is_behind && taken.is_snapshot);
    let from = block_on(copy.last()).unwrap().unwrap();
    assert!(!take(&copy, &[Given::Page { from: from.as_str(), text: &pages[1] }]).is_behind);
    assert_eq!(log_of(&store), events);
    let state = state_of(&store);
    assert_eq!(state.execution_status().as_str(), "finished");
    assert_eq!(state.beginning().as_deref(), Some("Número 0"));
    assert_eq!(state.leaf(), Leaf::Event(event_id(2).parse().unwrap()));
    assert_eq!(state.field(SERVER).unwrap().as_str(), format!(r#"{{"host":"{SERVER_ADDRESS}"}}"#));
    assert!(!state.json().contains("title"));
    // The same again changes nothing, not even the number of the writer.
    let before = block_on(store.load(id())).unwrap();
    take(&copy, &[Given::Page { from: from.as_str(), text: &pages[1] }]);
    assert_eq!(block_on(store.load(id())).unwrap(), before);
}

#[test]
fn small_numbers_are_those_of_the_files() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let text = r#"{"id":"ID","value":{"1e-05":"1e-05 \"1e-07","a":[1e-05,1.234e-05,-1.5e-07,1e-06,2e-10,1e+22,0.0001]}}"#;
    let text = text.replace("ID", &event_id(0));
    let asked = page(std::slice::from_ref(&text), false);
    take(&copy, &[info(&fields("idle", "")), Given::Page { from: "", text: &asked }]);
    let expected = text.replace("[1e-05,1.234e-05,-1.5e-07,1e-06,", "[0.00001,0.00001234,-1.5e-7,1e-6,");
    assert_eq!(log_of(&store), [expected]);
}

#[test]
fn an_older_snapshot_does_not_bring_back_what_was() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(4);
    take(&copy, &[info(&fields("idle", ""))]);
    let frames: Vec<String> =
        events.iter().enumerate().map(|(number, event)| durable(number, event)).collect();
    let old = snapshot(&time(1), &fields("running", &format!(r#","leaf_event_id":"{}""#, event_id(1))));
    let transient = format!(r#"{{"type":"transient","event":{old}}}"#);
    let mut given = vec![sync(3)];
    given.extend(frames);
    given.push(transient);
    let given: Vec<Given<'_>> = given.iter().map(|text| Given::Session(text)).collect();
    take(&copy, &given);
    assert_eq!(state_of(&store).execution_status().as_str(), "finished");
    assert_eq!(state_of(&store).leaf(), Leaf::Event(event_id(2).parse().unwrap()));
    // Nor does a description that was asked for before.
    let old = fields("running", &format!(r#","leaf_event_id":"{}""#, event_id(1)));
    take(&copy, &[Given::Info { length: 2, text: &old }]);
    assert_eq!(state_of(&store).execution_status().as_str(), "finished");
    assert_eq!(state_of(&store).leaf(), Leaf::Event(event_id(2).parse().unwrap()));
    // A newer one does: somebody has moved HEAD.
    let new = snapshot(&time(9), &fields("idle", &format!(r#","leaf_event_id":"{}""#, event_id(0))));
    take(&copy, &[Given::Event(&new)]);
    assert_eq!(state_of(&store).execution_status().as_str(), "idle");
    assert_eq!(state_of(&store).leaf(), Leaf::Event(event_id(0).parse().unwrap()));
    assert_eq!(state_of(&store).beginning().as_deref(), Some("Número 0"));
}

#[test]
fn a_change_that_is_told_after_its_page_does_not_outdate_every_state() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = [message(0, "Go"), update(1, "execution_status", r#""paused""#)];
    take(&copy, &[info(&fields("running", "")), Given::Page { from: "", text: &page(&events, false) }]);
    // It has waited behind the page, whose answer was faster.
    take(&copy, &[Given::Event(&events[1])]);
    assert!(!take(&copy, &[Given::Info { length: 2, text: &fields("paused", "") }]).is_outdated);
    take(&copy, &[Given::Event(&update(1, "execution_status", r#""running""#))]);
    assert_eq!(state_of(&store).execution_status().as_str(), "paused");
}

#[test]
fn a_state_from_before_another_status_is_outdated() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(4);
    take(&copy, &[info(&fields("idle", ""))]);
    let before = snapshot(&time(1), &fields("running", ""));
    assert!(!take(&copy, &[Given::Event(&before)]).is_outdated);
    // Its events are asked for, and come after it. The run has ended meanwhile.
    assert!(!take(&copy, &[Given::Page { from: "", text: &page(&events[..2], true) }]).is_outdated);
    let from = event_id(1);
    assert!(take(&copy, &[Given::Page { from: &from, text: &page(&events[1..], false) }]).is_outdated);
    assert!(take(&copy, &[Given::Info { length: 2, text: &fields("running", "") }]).is_outdated);
    assert!(!take(&copy, &[Given::Info { length: 4, text: &fields("finished", "") }]).is_outdated);
    assert!(!take(&copy, &[Given::Event(&snapshot(&time(9), &fields("finished", "")))]).is_outdated);
}

#[test]
fn secrets_and_own_fields_of_a_server_are_not_stored() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let open_key = fields("idle", r#","threadkeep_beginning":"forged","threadkeep_import":{"new":true}"#)
        .replace("**********", "sk-1234567890");
    take(&copy, &[info(&open_key)]);
    take(&copy, &[Given::Event(&snapshot(&time(1), &open_key))]);
    let text = state_of(&store).json();
    assert!(
        !text.contains("sk-1234567890") && !text.contains("forged") && !text.contains("threadkeep_import"),
        "{text}"
    );
    // No event of the log changes such a field, or the id.
    let events = [update(0, SERVER, r#"{"host":"https://elsewhere"}"#), update(1, "id", r#""x""#)];
    take(&copy, &[Given::Page { from: "", text: &page(&events, false) }]);
    assert_eq!(state_of(&store).json(), text);
    assert_eq!(log_of(&store), events);
}

#[test]
fn a_conversation_that_is_no_copy_of_this_server_is_refused() {
    let store = MemoryStore::new();
    let commit = Commit { base_state: Some(fields("idle", "").into()), ..Commit::new(0, 0.0) };
    block_on(store.commit(id(), commit)).unwrap();
    let reopened = |server| block_on(unopened(&store, server).open());
    assert_eq!(reopened(SERVER_ADDRESS).unwrap_err().code(), ErrorCode::InvalidState);
    block_on(store.delete(id())).unwrap();
    take(&open(&store), &[info(&fields("idle", ""))]);
    assert_eq!(reopened("http://127.0.0.1:9000").unwrap_err().code(), ErrorCode::InvalidState);
    reopened(SERVER_ADDRESS).unwrap();
}

#[test]
fn another_log_is_noticed_and_nothing_of_it_is_stored() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(3);
    take(&copy, &[info(&fields("idle", "")), Given::Page { from: "", text: &page(&events, false) }]);
    // A server that was set up anew has other events under these numbers, or fewer.
    let other = durable(2, &message(7, "Another"));
    assert_eq!(block_on(copy.cursor()).unwrap(), 1);
    assert_eq!(block_on(copy.take(&[Given::Session(&other)])).unwrap_err().code(), ErrorCode::InvalidState);
    let other = page(&[message(7, "Another")], false);
    let asked = Given::Page { from: &event_id(2), text: &other };
    assert_eq!(block_on(copy.take(&[asked])).unwrap_err().code(), ErrorCode::InvalidState);
    assert_eq!(block_on(copy.take(&[Given::Session(&sync(1))])).unwrap_err().code(), ErrorCode::InvalidState);
    assert_eq!(block_on(copy.take(&[Given::Session("nonsense")])).unwrap_err().code(), ErrorCode::Network);
    let state = fields("idle", "").replace(ID, "1f8fad5b-d9cb-469f-a165-70867728950e");
    assert_eq!(block_on(copy.take(&[info(&state)])).unwrap_err().code(), ErrorCode::IdMismatch);
    assert_eq!(log_of(&store), events);
}

#[test]
fn events_that_the_server_cannot_read_are_passed_over() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let events = log(6);
    take(&copy, &[info(&fields("idle", ""))]);
    let given = [sync(3), durable(0, &events[0]), durable(3, &events[3]), durable(4, &events[4])];
    let given: Vec<Given<'_>> = given.iter().map(|text| Given::Session(text)).collect();
    assert!(!take(&copy, &given).has_gap);
    assert_eq!(log_of(&store), [&*events[0], &events[3], &events[4]]);
    // Also after the page was loaded again.
    let copy = open(&store);
    assert_eq!(block_on(copy.cursor()).unwrap(), 3);
    take(&copy, &[Given::Session(&durable(4, &events[4])), Given::Session(&durable(5, &events[5]))]);
    assert_eq!(log_of(&store).len(), 4);
}

#[test]
fn a_change_of_a_field_is_taken_also_if_it_had_no_value() {
    let store = MemoryStore::new();
    let copy = open(&store);
    let analyzer = r#"{"kind":"LLMSecurityAnalyzer"}"#;
    let events =
        [update(0, "security_analyzer", analyzer), update(1, "no_field", "1"), update(2, "stats", "{}")];
    take(&copy, &[info(&fields("idle", "")), Given::Page { from: "", text: &page(&events, false) }]);
    let state = state_of(&store);
    assert_eq!(state.field("security_analyzer").unwrap().as_str(), analyzer);
    assert_eq!(state.field("stats").unwrap().as_str(), "{}");
    assert!(!state.json().contains("no_field"));
}

/// The texts of the messages that wait, and of those that have arrived the ids of their events.
fn outbox_of(store: &MemoryStore) -> Vec<String> {
    let mark = state_of(store).field(SERVER).unwrap();
    let outbox: Vec<RawJson> = mark.field(OUTBOX).unwrap_or_default();
    let text = |kept: &RawJson| {
        let message = kept.field::<RawJson>("event")?.field::<RawJson>("llm_message")?;
        message.field::<Vec<RawJson>>("content")?[0].field::<String>("text")
    };
    outbox.iter().map(|kept| kept.field("arrived").or_else(|| text(kept)).unwrap()).collect()
}

fn keep(copy: &ServerCopy, text: &str) -> EventId {
    block_on(copy.keep(&format!(r#"[{{"type":"text","text":"{text}"}}]"#))).unwrap().id().clone()
}

fn next(copy: &ServerCopy) -> Option<String> {
    block_on(copy.next()).unwrap()
}

fn sent(copy: &ServerCopy, id: &EventId) -> Option<String> {
    block_on(copy.sent(id)).unwrap().map(|json| json.to_string())
}

#[test]
fn a_message_is_in_the_outbox_until_it_is_in_the_log() {
    let store = MemoryStore::new();
    let (copy, other) = (open(&store), open(&store));
    assert_eq!(block_on(copy.keep("[]")).unwrap_err().code(), ErrorCode::InvalidOptions);
    assert_eq!(next(&copy), None);
    let before = message(0, "Go");
    take(&copy, &[info(&fields("idle", "")), Given::Page { from: "", text: &page(&[before], false) }]);
    let (first, second) = (keep(&copy, "Go"), keep(&other, "Go"));
    assert_eq!(outbox_of(&store), ["Go", "Go"]);
    let expected = |was_sent| {
        format!(
            r#"{{"id":"{first}","content":[{{"cache_prompt":false,"type":"text","text":"Go"}}],"runs":false,"wasSent":{was_sent}}}"#
        )
    };
    assert_eq!(next(&copy), Some(expected(false)));
    // The page has died. Another one asks first whether it has arrived.
    assert_eq!(next(&other), Some(expected(true)));
    // One that was not sent is not taken for one of the log, though it says the same.
    let log = [message(0, "Go"), message(1, "Go"), message(2, "Go")];
    take(&other, &[Given::Page { from: &event_id(0), text: &page(&log, false) }]);
    assert_eq!(outbox_of(&store), [event_id(1), "Go".to_owned()]);
    assert_eq!((sent(&copy, &first), sent(&copy, &second)), (Some(log[1].clone()), None));
    next(&copy);
    let more = [log[2].clone(), message(3, "Go")];
    // Both pages hear of it.
    for copy in [&copy, &other] {
        take(copy, &[Given::Session(&durable(3, &more[1]))]);
    }
    assert_eq!((sent(&copy, &second), next(&copy)), (Some(more[1].clone()), None));
    assert_eq!(outbox_of(&store), [event_id(1), event_id(3)]);
}

#[test]
fn only_a_message_that_was_not_sent_is_changed_or_taken_back() {
    let store = MemoryStore::new();
    let copy = open(&store);
    take(&copy, &[info(&fields("idle", ""))]);
    assert!(!block_on(copy.keep_run()).unwrap());
    let (first, second, third) = (keep(&copy, "1"), keep(&copy, "2"), keep(&copy, "3"));
    block_on(copy.take_back(&second)).unwrap();
    assert!(block_on(copy.keep_run()).unwrap());
    let changed = block_on(copy.replace(&third, r#"[{"type":"text","text":"Three"}]"#)).unwrap();
    assert_eq!(outbox_of(&store), ["1", "Three"]);
    next(&copy);
    let code = |result: crate::error::Result<()>| result.unwrap_err().code();
    assert_eq!(code(block_on(copy.take_back(&first))), ErrorCode::InvalidState);
    assert_eq!(code(block_on(copy.take_back(&second))), ErrorCode::NotFound);
    assert_eq!(code(block_on(copy.replace(&first, "[{}]")).map(drop)), ErrorCode::InvalidOptions);
    block_on(copy.drop_refused(&first)).unwrap();
    assert!(next(&copy).unwrap().contains(r#""runs":true,"wasSent":false"#));
    assert_eq!(changed.id(), &next(&copy).unwrap()[7..43].parse().unwrap());
}

#[test]
fn a_call_of_the_page_is_begun_until_its_result_is_in_the_log() {
    let store = MemoryStore::new();
    let (copy, other) = (open(&store), open(&store));
    take(&copy, &[info(&fields("idle", ""))]);
    let call: EventId = event_id(77).parse().unwrap();
    let begin = |copy: &ServerCopy| block_on(copy.begin_call(&call)).unwrap();
    assert_eq!((begin(&copy), begin(&other)), (false, true));
    let log = [message(0, "Hi"), message(1, &format!("Result of {call}: 4"))];
    take(&copy, &[Given::Page { from: "", text: &page(&log[..1], true) }]);
    assert!(begin(&other));
    take(&copy, &[Given::Page { from: &event_id(0), text: &page(&log, false) }]);
    assert!(!state_of(&store).json().contains(call.as_str()));
}

#[test]
fn a_conversation_on_its_way_is_on_one_side() {
    let store = MemoryStore::new();
    let (copy, other) = (unopened(&store, SERVER_ADDRESS), unopened(&store, "http://127.0.0.1:9000"));
    let code = |result: crate::error::Result<()>| result.unwrap_err().code();
    assert_eq!(code(block_on(copy.depart(0))), ErrorCode::NotFound);
    let here = |status: &str, at| {
        let length = block_on(store.load(id())).unwrap().map_or(0, |listing| listing.length);
        let events = vec![(event_id(at).parse().unwrap(), Rc::from(message(at, "Hi")))];
        let state =
            fields(status, r#","secret_registry":{"secret_sources":{"T":{"value":"gAAAAAB-token"}}}"#);
        let writer = block_on(store.load(id())).unwrap().and_then(|listing| listing.writer).unwrap_or(0);
        let writer = Some(WriterNumber { expected: writer, next: writer + 1 });
        let commit = Commit { base_state: Some(state.into()), events, writer, ..Commit::new(length, 0.0) };
        block_on(store.commit(id(), commit)).unwrap();
    };
    here("running", 0);
    assert_eq!(code(block_on(copy.depart(1))), ErrorCode::InvalidState);
    here("idle", 1);
    assert_eq!(code(block_on(copy.depart(1))), ErrorCode::InvalidState);
    let text = state_of(&store).json();
    let sent = ServerCopy::state_for_server(&text);
    assert!(!sent.contains("gAAAAA") && sent.contains("secret_registry"), "{sent}");
    block_on(copy.depart(2)).unwrap();
    // The page dies, and the server does not know it: it is as it was.
    block_on(copy.depart(2)).unwrap();
    assert_eq!(code(block_on(other.depart(2))), ErrorCode::InvalidState);
    block_on(copy.arrive()).unwrap();
    assert_eq!(state_of(&store).json(), text);
    // The server tells of it.
    block_on(copy.depart(2)).unwrap();
    take(&copy, &[Given::Info { length: 2, text: &fields("idle", "") }]);
    assert_eq!(code(block_on(copy.depart(2))), ErrorCode::InvalidState);
    assert_eq!(log_of(&store).len(), 2);
    keep(&copy, "Wait");
    assert_eq!(code(block_on(copy.ensure_at_rest())), ErrorCode::InvalidState);
    block_on(copy.drop_refused(&keep(&copy, "And this"))).unwrap();
    let waiting = block_on(copy.next()).unwrap().unwrap()[7..43].parse().unwrap();
    block_on(copy.drop_refused(&waiting)).unwrap();
    block_on(copy.ensure_at_rest()).unwrap();
    take(&copy, &[Given::Info { length: 2, text: &fields("running", "") }]);
    assert_eq!(code(block_on(copy.ensure_at_rest())), ErrorCode::InvalidState);
    // It comes back, as from elsewhere.
    block_on(copy.arrive()).unwrap();
    let state = state_of(&store);
    assert!(state.field(SERVER).is_none() && state.field(IMPORT).is_some(), "{}", state.json());
}

#[test]
fn a_wait_grows_and_a_refusal_is_final() {
    let wait = |attempts, random| match after_close(1006, "", attempts, random) {
        AfterClose::Wait(wait) => wait,
        AfterClose::Fatal(error) => panic!("{error}"),
    };
    assert_eq!(
        (wait(0, 1.0), wait(1, 1.0), wait(3, 0.0), wait(30, 1.0)),
        (500.0, 1_000.0, 2_000.0, 30_000.0)
    );
    for (code, expected) in [(4001, ErrorCode::ServerAuth), (4004, ErrorCode::NotFound)] {
        match after_close(code, "", 0, 0.5) {
            AfterClose::Fatal(error) => assert_eq!(error.code(), expected),
            AfterClose::Wait(_) => panic!("{code}"),
        }
    }
}

/// One thing that reaches one of two pages.
#[derive(Clone, Debug)]
enum Step {
    /// The socket of a page is opened anew, and sends what that page's copy lacks of so many events.
    Replay { page: usize, through: usize },
    /// Live frames of these events, in this order.
    Live { page: usize, numbers: Vec<usize> },
    /// A page of so many events, from the end of the copy. One alone would lead nowhere.
    Asked { page: usize, count: usize },
}

fn steps(length: usize) -> impl Strategy<Value = Vec<Step>> {
    let page = 0..2usize;
    let step = prop_oneof![
        (page.clone(), 0..length).prop_map(|(page, through)| Step::Replay { page, through }),
        (page.clone(), prop::collection::vec(0..length, 1..6))
            .prop_map(|(page, numbers)| Step::Live { page, numbers }),
        (page, 2..9usize).prop_map(|(page, count)| Step::Asked { page, count }),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    /// A copy is a beginning of the log at every moment, whatever comes when, and all of it in the end.
    #[test]
    fn a_copy_is_always_a_beginning_of_the_log(steps in steps(40)) {
        let store = MemoryStore::new();
        let copies = [open(&store), open(&store)];
        let events = log(40);
        let frame = |number: usize| durable(number, &events[number]);
        take(&copies[0], &[info(&fields("idle", ""))]);
        for step in steps {
            match step {
                Step::Replay { page, through } => {
                    copies[page].reconnect();
                    let start = usize::try_from(block_on(copies[page].cursor()).unwrap() + 1).unwrap();
                    // The server has at least what was copied.
                    let through = through.max(log_of(&store).len().saturating_sub(1));
                    let mut frames = vec![sync(through)];
                    frames.extend((start..=through).map(frame));
                    let given: Vec<Given<'_>> = frames.iter().map(|text| Given::Session(text)).collect();
                    take(&copies[page], &given);
                }
                Step::Live { page, numbers } => {
                    let known = log_of(&store).len();
                    // Behind the replay, no event is missing for good.
                    copies[page].reconnect();
                    for frame in numbers.iter().map(|number| frame(*number)) {
                        take(&copies[page], &[Given::Session(&frame)]);
                    }
                    prop_assert!(log_of(&store).len() >= known);
                }
                Step::Asked { page: of, count } => {
                    let from = block_on(copies[of].last()).unwrap();
                    let start = from.as_ref().map_or(0, |from| {
                        events.iter().position(|event| event.contains(&format!(r#"{{"id":"{from}""#))).unwrap()
                    });
                    let end = (start + count).min(events.len());
                    let text = page(&events[start..end], end < events.len());
                    let from = from.as_ref().map(|from| from.as_str()).unwrap_or_default();
                    take(&copies[of], &[Given::Page { from, text: &text }]);
                }
            }
            let stored = log_of(&store);
            prop_assert_eq!(&stored[..], &events[..stored.len()]);
        }
        copies[1].reconnect();
        let start = usize::try_from(block_on(copies[1].cursor()).unwrap() + 1).unwrap();
        let mut frames = vec![sync(39)];
        frames.extend((start..40).map(frame));
        let given: Vec<Given<'_>> = frames.iter().map(|text| Given::Session(text)).collect();
        take(&copies[1], &given);
        prop_assert_eq!(log_of(&store), events);
    }
}
