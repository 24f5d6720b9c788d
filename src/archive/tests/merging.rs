//! Imports of archives whose log has gone on apart from the stored one.

use super::{faults::Failing, *};
use crate::{archive::Outcome, error::ErrorCode, store::Commit};
use serde_json::{Value, json};

/// An event of a device, which follows another event, that of the same or of another device.
fn event_of(device: char, number: u64, parent: &str) -> (String, String) {
    let id = format!("{number:07x}{device}-0000-4000-8000-000000000000");
    let json = format!("{{\"id\":\"{id}\",\"parent_id\":\"{parent}\",\"kind\":\"MessageEvent\"}}");
    (id, json)
}

/// An archive with the first `common` events, and `own` ones of this device that follow the last of them.
fn archive_of(device: char, common: u64, own: u64, state: &Value) -> Listed {
    let mut archive = Listed::conversation(common);
    let mut parent = event_id(common - 1);
    for number in 0..own {
        let (id, json) = event_of(device, number, &parent);
        archive.add(&format!("{FOLDER}/events/event-{:05}-{id}.json", common + number), json.as_bytes());
        parent = id;
    }
    let mut base: Value = serde_json::from_str(&base_state()).unwrap();
    base["leaf_event_id"] = parent.into();
    for (name, value) in state.as_object().unwrap() {
        base[name] = value.clone();
    }
    archive.replace(&format!("{FOLDER}/base_state.json"), base.to_string().as_bytes())
}

fn state_in(store: &dyn Store) -> Value {
    serde_json::from_str(&block_on(store.load(id())).unwrap().unwrap().base_state).unwrap()
}

fn ids_in(store: &dyn Store) -> Vec<String> {
    block_on(store.events(id(), 0..u64::MAX)).unwrap().iter().map(|event| event.id.to_string()).collect()
}

#[test]
fn events_of_both_are_kept_and_head_stays() {
    let store = stored(&archive_of('a', 5, 3, &json!({})));
    let before = snapshot(&store)[0].2.clone();
    let imported = run(&archive_of('b', 5, 4, &json!({})), &store).unwrap();
    assert_eq!((imported[0].outcome, imported[0].length), (Outcome::Merged { from: 8 }, 12));
    let after = snapshot(&store)[0].2.clone();
    assert_eq!(after[..8], before);
    assert_eq!(state_in(&store)["leaf_event_id"], event_of('a', 2, "").0);
    assert_eq!(&*after[8].json, event_of('b', 0, &event_id(4)).1);
    // And the other way round: the same events.
    let other = stored(&archive_of('b', 5, 4, &json!({})));
    run(&archive_of('a', 5, 3, &json!({})), &other).unwrap();
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(ids_in(&other)), sorted(ids_in(&store)));
    assert_eq!(state_in(&other)["leaf_event_id"], event_of('b', 3, "").0);
}

/// The Python SDK before it had a tree wrote events without the names of their parents.
#[test]
fn an_event_that_does_not_name_its_parent_names_it_behind_other_events() {
    let unnamed = |device: char| {
        let mut archive = Listed::conversation(5);
        for index in 5..7 {
            let json = event(index)
                .replacen("00000000", "", 1)
                .replace(&event_id(index), &format!("{index:07x}{device}-0000-4000-8000-000000000000"));
            archive.add(
                &format!(
                    "{FOLDER}/events/event-{index:05}-{index:07x}{device}-0000-4000-8000-000000000000.json"
                ),
                json.as_bytes(),
            );
        }
        archive
    };
    let store = stored(&unnamed('a'));
    assert_eq!(run(&unnamed('b'), &store).unwrap()[0].outcome, Outcome::Merged { from: 7 });
    let events = snapshot(&store)[0].2.clone();
    let parents: Vec<Value> = events[7..]
        .iter()
        .map(|event| serde_json::from_str::<Value>(&event.json).unwrap()["parent_id"].clone())
        .collect();
    assert_eq!(parents, [event_id(4).into(), Value::from("0000005b-0000-4000-8000-000000000000")]);
    // Without a name, HEAD would be at the end of the log.
    assert_eq!(state_in(&store)["leaf_event_id"], "0000006a-0000-4000-8000-000000000000");
    assert_eq!(run(&unnamed('b'), &store).unwrap()[0].outcome, Outcome::UpToDate);
    assert_eq!(run(&unnamed('a'), &store).unwrap()[0].outcome, Outcome::UpToDate);
}

#[test]
fn settings_stay_or_become_stricter_and_an_archive_says_nothing_about_events_of_this_device() {
    let own = event_of('a', 0, "").0;
    let other = event_of('b', 0, "").0;
    let ours = json!({
        "confirmation_policy": { "kind": "ConfirmRisky", "threshold": "HIGH", "confirm_unknown": false },
        "agent_state": { "allowed_tools": ["read"], "mine": 1 },
        "max_iterations": 7,
        "execution_status": "paused",
    });
    let theirs = json!({
        "confirmation_policy": { "kind": "ConfirmRisky", "threshold": "LOW", "confirm_unknown": true },
        "agent_state": {
            "allowed_tools": ["read", "pay"],
            "yours": 1,
            "security_risks": { &own: "LOW", &other: "HIGH" },
            "unapproved_actions": [&own, &other],
        },
        "blocked_actions": { &own: "no", &other: "no" },
        "secret_registry": { "secret_sources": { "K": { "kind": "LookupSecret", "url": "https://x.example" } } },
        "max_iterations": 9000,
        "execution_status": "finished",
    });
    // As this device had decided about them.
    let store = stored(&archive_of('a', 5, 1, &ours));
    let listing = block_on(store.load(id())).unwrap().unwrap();
    let decided = archive_of('a', 5, 1, &ours).entries[1].1.clone().unwrap();
    let base_state = Some(String::from_utf8(decided).unwrap().into());
    block_on(store.commit(id(), Commit { base_state, ..Commit::new(listing.length, 0.0) })).unwrap();
    run(&archive_of('b', 5, 1, &theirs), &store).unwrap();
    let state = state_in(&store);
    assert_eq!(
        state["confirmation_policy"],
        json!({ "threshold": "LOW", "confirm_unknown": true, "kind": "ConfirmRisky" })
    );
    assert_eq!(
        state["agent_state"],
        json!({
            "allowed_tools": ["read"], "mine": 1,
            "security_risks": { &other: "HIGH" }, "unapproved_actions": [&other],
        })
    );
    assert_eq!(state["blocked_actions"], json!({ &other: "no" }));
    assert_eq!((&state["max_iterations"], &state["execution_status"]), (&json!(7), &json!("paused")));
    assert_eq!(state["secret_registry"], Value::Null);
    assert_eq!(state["threadkeep_import"], Value::Null, "nothing of this device has to be decided again");
}

#[test]
fn of_each_tag_the_value_that_was_set_last_counts_also_its_removal() {
    let state = |tags: Value, times: Value| json!({ "tags": tags, "agent_state": { "tag_times": times } });
    let ours = state(json!({ "title": "old", "a": "kept", "c": "1" }), json!({ "title": 1, "a": 9 }));
    let theirs =
        state(json!({ "title": "new", "b": "theirs" }), json!({ "title": 2, "a": 3, "b": 4, "d": 5 }));
    let merged = json!({ "title": "new", "a": "kept", "b": "theirs", "c": "1" });
    for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
        let store = stored(&archive_of('a', 5, 1, one));
        run(&archive_of('b', 5, 1, other), &store).unwrap();
        assert_eq!(state_in(&store)["tags"], merged);
        // A title that was changed on another device comes without new events as well.
        let renamed = state(json!({ "title": "newest" }), json!({ "title": 7, "b": 8 }));
        let imported = run(&archive_of('b', 5, 1, &renamed), &store).unwrap();
        assert_eq!(imported[0].outcome, Outcome::Merged { from: 7 });
        assert_eq!(state_in(&store)["tags"], json!({ "title": "newest", "a": "kept", "c": "1" }));
    }
    // An older copy of the same conversation brings nothing back that has no time.
    let store = stored(&archive_of('a', 5, 2, &json!({ "tags": { "title": "now" } })));
    let older = archive_of('a', 5, 1, &json!({ "tags": { "title": "then", "gone": "1" } }));
    assert_eq!(run(&older, &store).unwrap()[0].outcome, Outcome::UpToDate);
}

#[test]
fn the_conversation_goes_on_where_only_the_archive_has_gone_on() {
    let start = archive_of('a', 5, 0, &json!({}));
    let on = archive_of('b', 5, 2, &json!({ "execution_status": "finished" }));
    // A branch that only this device has does not matter.
    let store = stored(&archive_of('a', 5, 2, &json!({ "leaf_event_id": event_id(4) })));
    for (store, from) in [(stored(&start), 5), (store, 7)] {
        assert_eq!(run(&on, &store).unwrap()[0].outcome, Outcome::Continued { from });
        let state = state_in(&store);
        assert_eq!(state["leaf_event_id"], event_of('b', 1, "").0);
        assert_eq!(state["execution_status"], "finished");
        assert_eq!(state["threadkeep_import"]["calls"], true);
    }
    // The user has gone back here meanwhile, and stays there.
    let store = stored(&archive_of('a', 5, 0, &json!({ "leaf_event_id": event_id(2) })));
    assert_eq!(run(&on, &store).unwrap()[0].outcome, Outcome::Merged { from: 5 });
    assert_eq!(state_in(&store)["leaf_event_id"], event_id(2));
}

#[test]
fn files_that_follow_head_stay_and_missing_ones_are_added() {
    let file =
        |archive: Listed, name: &str, text: &str| archive.with(&format!("{FOLDER}/{name}"), text.as_bytes());
    let store = stored(&file(archive_of('a', 5, 1, &json!({})), "workspace/a.txt", "ours"));
    let mut theirs = file(archive_of('b', 5, 1, &json!({})), "workspace/a.txt", "theirs");
    theirs = file(theirs, "workspace/b.txt", "theirs");
    theirs = file(theirs, "observations/long.txt", "all of it");
    run(&theirs, &store).unwrap();
    let files = snapshot(&store)[0].3.clone();
    let named: Vec<(&str, &[u8])> =
        files.iter().map(|(path, content)| (path.as_str(), &content[..])).collect();
    assert_eq!(named, [("observations/long.txt", &b"all of it"[..]), ("workspace/a.txt", b"ours")]);
}

#[test]
fn a_run_that_has_died_is_not_looked_for_among_the_events_of_the_other_device() {
    let store = stored(&archive_of('a', 5, 1, &json!({ "execution_status": "running" })));
    let head = event_of('a', 0, "").0;
    // The first event of the other device follows HEAD, its HEAD is elsewhere.
    let mut other = archive_of('a', 5, 1, &json!({ "leaf_event_id": event_id(1) }));
    let (id, json) = event_of('b', 0, &head);
    other.add(&format!("{FOLDER}/events/event-00006-{id}.json"), json.as_bytes());
    assert_eq!(run(&other, &store).unwrap()[0].outcome, Outcome::Merged { from: 6 });
    let state = state_in(&store);
    assert_eq!(state["leaf_event_id"], *head);
    assert_eq!(state["agent_state"]["head_move"], json!({ "head": head, "length": 7 }));
}

#[test]
fn a_state_that_cannot_be_read_is_replaced_by_that_of_the_archive() {
    let archive = archive_of('a', 5, 1, &json!({ "tags": { "title": "kept" } }));
    let store = stored(&archive);
    block_on(store.commit(id(), Commit { base_state: Some("{".into()), ..Commit::new(6, 0.0) })).unwrap();
    assert_eq!(run(&archive, &store).unwrap()[0].outcome, Outcome::Continued { from: 6 });
    assert_eq!((state_in(&store)["tags"].clone(), ids_in(&store).len()), (json!({ "title": "kept" }), 6));
}

/// A long merge needs several commits; whichever fails, HEAD and the log are as before.
#[test]
fn a_long_merge_that_fails_at_any_commit_is_undone() {
    let large = "x".repeat(3 << 20);
    let mut long = archive_of('b', 5, 0, &json!({ "leaf_event_id": event_of('b', 3, "").0 }));
    let mut parent = event_id(4);
    for number in 0..4 {
        let (id, json) = event_of('b', number, &parent);
        let json = json.replacen("\"kind\"", &format!("\"text\":\"{large}\",\"kind\""), 1);
        long.add(&format!("{FOLDER}/events/event-{:05}-{id}.json", 5 + number), json.as_bytes());
        parent = id;
    }
    let ours = Listed::conversation(6);
    let before = snapshot(&stored(&ours));
    for (dies, at) in [false, true].into_iter().flat_map(|dies| (0..).map(move |at| (dies, at)).take(5)) {
        let store = Failing::new(stored(&ours), at, dies);
        match run(&long, &store) {
            Ok(imported) => {
                assert!(at > 1, "one commit cannot hold all of it");
                assert_eq!(imported[0].outcome, Outcome::Merged { from: 6 });
            }
            Err(error) => {
                assert!(at < 4);
                assert_eq!(error.code(), ErrorCode::StoreQuota);
                if !dies {
                    assert_eq!(snapshot(&store), before);
                    continue;
                }
            }
        }
        // After the end of the process the rest can be merged.
        let store = store.survivor();
        if ids_in(&store).len() > 6 {
            assert_eq!(state_in(&store)["leaf_event_id"], event_id(5));
        }
        run(&long, &store).unwrap();
        assert_eq!((ids_in(&store).len(), &state_in(&store)["leaf_event_id"]), (10, &json!(event_id(5))));
    }
}
