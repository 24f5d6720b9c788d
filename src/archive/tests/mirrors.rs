//! Mirrors: what a directory lacks, and random histories of devices that mirror one conversation to the same directory.

use super::*;
use crate::{
    archive::{MirrorPlan, at_other_place, in_order, plan_mirror},
    format::{
        base_state::BaseState,
        layout::{event_file_name, parse_event_file_name},
        tree::Leaf,
    },
    id::EventId,
    store::Commit,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn ids(letters: &str) -> Vec<EventId> {
    letters.chars().map(|letter| letter.to_string().repeat(8).parse().unwrap()).collect()
}

/// File names, each given as its number and a letter.
fn files(pairs: &str) -> Vec<String> {
    let file = |pair: &str| {
        let (number, letter) = pair.split_at(pair.len() - 1);
        event_file_name(number.parse().unwrap(), &ids(letter)[0])
    };
    pairs.split_whitespace().map(file).collect()
}

/// The plan, with HEAD of the mirror at an event.
fn planned(ours: &str, theirs: &str, head: Option<&str>) -> MirrorPlan {
    let names = files(theirs);
    let mut state = BaseState::parse(&base_state()).unwrap();
    if let Some(head) = head {
        state.set_leaf(&Leaf::Event(ids(head)[0].clone()));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    plan_mirror(&ids(ours), &names, head.map(|_| &state))
}

#[test]
fn a_mirror_gets_what_it_lacks_behind_what_it_has() {
    let plan = planned("abcd", "0a 1b", Some("b"));
    assert_eq!(
        (plan.writes.clone(), plan.next, plan.has_more, plan.is_same_order),
        (vec![(2, 2), (3, 3)], 4, false, true)
    );
    let plan = planned("ab", "0a 1b", Some("b"));
    assert_eq!(plan, MirrorPlan { next: 2, is_same_order: true, has_state: true, ..MirrorPlan::default() });
    assert_eq!(planned("ab", "", None).writes, [(0, 0), (1, 1)]);
}

#[test]
fn events_of_another_device_stay_where_they_are() {
    let plan = planned("abde", "0a 1b 2c", Some("c"));
    assert_eq!((plan.writes.clone(), plan.has_more, plan.is_same_order), (vec![(2, 3), (3, 4)], true, false));
    assert!(plan.moves.is_empty() && plan.stale.is_empty());
}

#[test]
fn events_behind_head_are_written_again_because_they_may_be_torn() {
    assert_eq!(planned("abcd", "0a 1b 2c", Some("b")).writes, [(2, 2), (3, 3)]);
    // Without a base state nothing was reported as stored.
    assert_eq!(planned("ab", "0a 1b", None).writes, [(0, 0), (1, 1)]);
}

#[test]
fn of_two_events_with_one_number_the_second_and_those_behind_it_move_up() {
    let plan = planned("abc", "0a 1b 1e 2f", Some("a"));
    let [second, behind] = ["1e", "2f"].map(|file| files(file)[0].clone());
    assert_eq!(plan.moves, [(behind.clone(), 3), (second.clone(), 2)]);
    assert_eq!((plan.stale, plan.next), (vec![second, behind], 5));
    // Somebody has begun to move them.
    let plan = planned("ab", "0a 1b 1e 2e 2f 3f", Some("b"));
    assert_eq!((plan.moves, plan.stale), (vec![], files("1e 2f")));
}

#[test]
fn a_gap_is_closed_by_who_has_all_events() {
    let plan = planned("abc", "0a 2b 4c", Some("c"));
    let [second, third] = ["2b", "4c"].map(|file| files(file)[0].clone());
    assert_eq!(plan.moves, [(second.clone(), 1), (third.clone(), 2)]);
    assert_eq!((plan.stale, plan.next, plan.writes), (vec![second, third], 3, vec![]));
    assert!(planned("ab", "0a 2b 4c", Some("b")).moves.is_empty());
    // Somebody has begun to close it.
    assert_eq!(planned("abc", "0a 1b 2b 2c 3c", Some("c")).stale, files("2b 2c"));
}

#[test]
fn a_lost_file_is_written_where_it_was_unless_its_event_follows_a_later_one() {
    assert_eq!(planned("abc", "0a 2c", Some("c")).writes, [(1, 1)]);
    assert_eq!(planned("abcd", "0a 2b 3c", Some("c")).writes, [(3, 4)]);
}

#[test]
fn an_event_names_its_parent_where_it_stands_behind_others() {
    let id = ids("c").remove(0);
    let named = at_other_place(&id, "{\"id\":\"cccccccc\",\"kind\":\"X\"}", Some(&ids("b")[0]));
    assert_eq!(named, "{\"id\":\"cccccccc\",\"parent_id\":\"bbbbbbbb\",\"kind\":\"X\"}");
    assert_eq!(at_other_place(&id, &named, Some(&ids("a")[0])), named);
    assert!(at_other_place(&id, "{\"id\":\"cccccccc\"}", None).contains("\"parent_id\":\"__root__\""));
}

#[test]
fn each_event_is_taken_in_behind_the_one_that_it_follows() {
    let events = [("a", ""), ("c", "b"), ("d", "c"), ("b", "a"), ("e", "__root__"), ("g", "f")];
    assert_eq!(in_order(&events, false), [0, 3, 1, 2, 4]);
    assert_eq!(in_order(&events, true), [0, 3, 1, 2, 4, 5]);
    assert_eq!(in_order(&[("a", "b"), ("b", "a")], false), [0; 0]);
    assert_eq!(in_order(&[("a", "b"), ("b", "a")], true), [0, 1]);
}

/// Files by their paths in the folder of the conversation.
type Place = BTreeMap<String, Vec<u8>>;

struct Device {
    letter: char,
    store: Rc<MemoryStore>,
    made: u64,
    /// The base state that it has written last.
    wrote: Option<Vec<u8>>,
}

enum Step {
    Write(String, Vec<u8>),
    Remove(String),
}

impl Device {
    fn new(letter: char) -> Self {
        let store = Rc::new(MemoryStore::new());
        run(&Listed::conversation(2), &*store).unwrap();
        Self { letter, store, made: 0, wrote: None }
    }

    fn events(&self) -> Vec<StoredEvent> {
        block_on(self.store.events(id(), 0..u64::MAX)).unwrap()
    }

    fn state(&self) -> BaseState {
        BaseState::parse(&block_on(self.store.load(id())).unwrap().unwrap().base_state).unwrap()
    }

    /// The events from the first one to HEAD.
    fn branch(&self) -> Vec<String> {
        let events = self.events();
        let mut branch = Vec::new();
        let mut at = match self.state().leaf() {
            Leaf::Event(leaf) => Some(leaf.to_string()),
            Leaf::Empty | Leaf::Unset => events.last().map(|event| event.id.to_string()),
        };
        while let Some(current) = at {
            let index = events.iter().position(|event| event.id.as_str() == current).unwrap();
            let event: serde_json::Value = serde_json::from_str(&events[index].json).unwrap();
            at = match event["parent_id"].as_str() {
                Some("__root__") => None,
                Some(parent) => Some(parent.to_owned()),
                None => index.checked_sub(1).map(|before| events[before].id.to_string()),
            };
            branch.insert(0, current);
        }
        branch
    }

    fn commit(&self, events: Vec<(EventId, Rc<str>)>, leaf: EventId) {
        let mut state = self.state();
        state.set_leaf(&Leaf::Event(leaf));
        let commit =
            Commit { base_state: Some(state.json()), events, ..Commit::new(self.events().len() as u64, 0.0) };
        block_on(self.store.commit(id(), commit)).unwrap();
    }

    /// Goes on after HEAD, or goes back.
    fn act(&mut self, choice: usize) {
        let events = self.events();
        if choice.is_multiple_of(4) {
            self.commit(Vec::new(), events[choice / 4 % events.len()].id.clone());
            return;
        }
        let new = format!("{:07x}{}-0000-4000-8000-000000000000", self.made, self.letter);
        self.made += 1;
        let parent = self.branch().pop().unwrap();
        let json = format!("{{\"id\":\"{new}\",\"parent_id\":\"{parent}\",\"kind\":\"MessageEvent\"}}");
        let new: EventId = new.parse().unwrap();
        self.commit(vec![(new.clone(), json.into())], new);
    }

    fn plan(&self, place: &Place) -> MirrorPlan {
        let ours: Vec<EventId> = self.events().into_iter().map(|event| event.id).collect();
        let names: Vec<&str> = place.keys().filter_map(|path| path.strip_prefix("events/")).collect();
        let state = place
            .get("base_state.json")
            .and_then(|base| BaseState::parse(std::str::from_utf8(base).ok()?).ok());
        plan_mirror(&ours, &names, state.as_ref())
    }

    /// Takes in what only the place has, unless the conversation is open; the steps that bring the place up to date.
    fn steps(&self, place: &Place, is_open: bool) -> Vec<Step> {
        let mut holds = false;
        let base = place.get("base_state.json");
        if base.is_some() && (base != self.wrote.as_ref() || self.plan(place).has_more) {
            let (before, events) = (self.branch(), self.events());
            holds = is_open;
            if !is_open {
                let archive = ordered(place);
                run(&archive, &*self.store).unwrap();
                assert_eq!(self.events()[..events.len()], events, "the stored events stay");
                assert_eq!(self.branch()[..before.len()], before, "the branch of this device stays");
            }
        }
        let plan = self.plan(place);
        let mut steps = Vec::new();
        let path = |name: &str| format!("events/{name}");
        for (name, number) in &plan.moves {
            let (_, event) = parse_event_file_name(name).unwrap();
            steps.push(Step::Write(path(&event_file_name(*number, &event)), place[&path(name)].clone()));
        }
        steps.extend(plan.stale.iter().map(|name| Step::Remove(path(name))));
        let events = self.events();
        for (index, number) in plan.writes {
            let before = index.checked_sub(1).map(|before| &events[before].id);
            let text = match plan.is_same_order {
                true => events[index].json.to_string(),
                false => at_other_place(&events[index].id, &events[index].json, before),
            };
            steps.push(Step::Write(path(&event_file_name(number, &events[index].id)), text.into_bytes()));
        }
        if !holds {
            steps.push(Step::Write(
                "base_state.json".into(),
                portable(&self.state().json(), id()).into_bytes(),
            ));
        }
        steps
    }

    fn take(&mut self, step: Step, place: &mut Place) {
        match step {
            Step::Write(path, content) => {
                if path == "base_state.json" {
                    self.wrote = Some(content.clone());
                }
                place.insert(path, content);
            }
            Step::Remove(path) => drop(place.remove(&path)),
        }
    }
}

/// The place as it is taken in.
fn ordered(place: &Place) -> Listed {
    let mut archive = Listed::default();
    let mut events = Vec::new();
    for (path, content) in place {
        match path.strip_prefix("events/").and_then(parse_event_file_name) {
            Some((number, event)) => events.push((number, event.to_string(), content)),
            None => drop(archive.add(&format!("{FOLDER}/{path}"), content)),
        }
    }
    events.sort();
    let mut seen = BTreeSet::new();
    events.retain(|(_, event, _)| seen.insert(event.clone()));
    let parent = |content: &[u8]| {
        let event: serde_json::Value = serde_json::from_slice(content).unwrap();
        event["parent_id"].as_str().unwrap_or_default().to_owned()
    };
    let parents: Vec<String> = events.iter().map(|(.., content)| parent(content)).collect();
    let named: Vec<(&str, &str)> = events
        .iter()
        .zip(&parents)
        .map(|((_, event, _), parent)| (event.as_str(), parent.as_str()))
        .collect();
    for (number, index) in in_order(&named, false).into_iter().enumerate() {
        let (_, event, content) = &events[index];
        archive.add(&format!("{FOLDER}/events/event-{number:05}-{event}.json"), content);
    }
    archive
}

fn ids_in(place: &Place) -> BTreeSet<String> {
    let names = place.keys().filter_map(|path| path.strip_prefix("events/"));
    names.map(|name| parse_event_file_name(name).unwrap().1.to_string()).collect()
}

/// As the SDK opens it: by the numbers up to the first one that is missing, HEAD among them.
fn is_opened_by_python(place: &Place) -> bool {
    let Some(base) = place.get("base_state.json") else { return true };
    let state = BaseState::parse(std::str::from_utf8(base).unwrap()).unwrap();
    let mut numbers: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for name in place.keys().filter_map(|path| path.strip_prefix("events/")) {
        let (number, event) = parse_event_file_name(name).unwrap();
        numbers.entry(number).or_default().push(event.to_string());
    }
    let log: Vec<String> = (0..).map_while(|number| numbers.get(&number)).flatten().cloned().collect();
    match state.leaf() {
        Leaf::Event(leaf) => log.iter().any(|event| event == leaf.as_str()),
        Leaf::Empty | Leaf::Unset => true,
    }
}

#[derive(Clone, Debug)]
enum Move {
    Act {
        device: usize,
        choice: usize,
    },
    /// Brings the place up to date, but for the last steps where it dies before them.
    Mirror {
        device: usize,
        is_open: bool,
        dies_before: usize,
    },
    /// All devices do so at the same time, each step of one before or after those of the others.
    All {
        order: u64,
    },
}

fn moves() -> impl Strategy<Value = Move> {
    let device = 0_usize..3;
    prop_oneof![
        4 => (device.clone(), any::<usize>()).prop_map(|(device, choice)| Move::Act { device, choice }),
        3 => (device, any::<bool>(), prop_oneof![2 => Just(0_usize), 1 => 1_usize..4])
            .prop_map(|(device, is_open, dies_before)| Move::Mirror { device, is_open, dies_before }),
        1 => any::<u64>().prop_map(|order| Move::All { order }),
    ]
}

proptest! {
    #[test]
    fn no_history_of_two_or_three_devices_loses_an_event(
        count in 2_usize..4,
        history in prop::collection::vec(moves(), 1..24),
    ) {
        let mut devices: Vec<Device> = "abc".chars().take(count).map(Device::new).collect();
        let mut place = Place::new();
        let mut seen = BTreeSet::new();
        for action in history {
            match action {
                Move::Act { device, choice } => devices[device % count].act(choice),
                Move::Mirror { device, is_open, dies_before } => {
                    let device = &mut devices[device % count];
                    let mut steps = device.steps(&place, is_open);
                    steps.truncate(steps.len().saturating_sub(dies_before));
                    for step in steps {
                        let was_opened = is_opened_by_python(&place);
                        device.take(step, &mut place);
                        prop_assert!(!was_opened || is_opened_by_python(&place));
                        prop_assert!(ids_in(&place).is_superset(&seen), "an event has left the place");
                        seen = ids_in(&place);
                    }
                }
                Move::All { order } => {
                    let mut steps: Vec<_> =
                        devices.iter().map(|device| device.steps(&place, false).into_iter().peekable()).collect();
                    for turn in 0.. {
                        let first = (order >> (turn * 2 % 64) & 3) as usize;
                        let next = (0..count).map(|more| (first + more) % count).find(|device| steps[*device].peek().is_some());
                        let Some(next) = next else { break };
                        let step = steps[next].next().unwrap();
                        devices[next].take(step, &mut place);
                        prop_assert!(ids_in(&place).is_superset(&seen), "an event has left the place");
                        seen = ids_in(&place);
                    }
                }
            }
        }
        for _ in 0..4 {
            for device in &mut devices {
                let before = device.branch();
                for step in device.steps(&place, false) {
                    device.take(step, &mut place);
                }
                prop_assert_eq!(&device.branch()[..before.len()], &before[..]);
            }
        }
        prop_assert!(is_opened_by_python(&place));
        let all = ids_in(&place);
        prop_assert_eq!(place.len(), all.len() + 1, "each event has one file");
        prop_assert!(all.is_superset(&seen));
        for device in &devices {
            let own: BTreeSet<String> = device.events().iter().map(|event| event.id.to_string()).collect();
            prop_assert_eq!(&own, &all);
        }
    }
}

/// A server that is no match for a crash leaves the file that it was writing empty, or half of it.
#[test]
fn what_was_torn_when_the_other_side_died_is_written_again() {
    for torn_at in 0..4 {
        let mut device = Device::new('a');
        let mut place = Place::new();
        for step in device.steps(&place, false) {
            device.take(step, &mut place);
        }
        for _ in 0..3 {
            device.act(1);
        }
        let steps = device.steps(&place, false);
        for (number, step) in steps.into_iter().enumerate().take(torn_at + 1) {
            if let (true, Step::Write(path, content)) = (number == torn_at && torn_at < 3, &step) {
                place.insert(path.clone(), content[..content.len() / 2].to_vec());
            } else {
                device.take(step, &mut place);
            }
        }
        for step in device.steps(&place, false) {
            device.take(step, &mut place);
        }
        let restored = MemoryStore::new();
        let mut archive = Listed::default();
        for (path, content) in &place {
            archive.add(&format!("{FOLDER}/{path}"), content);
        }
        let imported = run(&archive, &restored).unwrap();
        assert_eq!((imported[0].length, &imported[0].warnings), (5, &Vec::new()));
        assert_eq!(block_on(restored.events(id(), 0..u64::MAX)).unwrap(), device.events());
    }
}
