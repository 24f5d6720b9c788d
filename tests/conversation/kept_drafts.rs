//! A draft that a dead page has left becomes an event before the conversation goes past it.

use crate::{
    drafts::{die_streaming, draft_files, later_world, long_stream},
    file_versions::{files_at, live, path},
    partial::{Server, chat, said, world},
    scripted_store::{Outcome, ScriptedStore},
    support::{World, say},
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use proptest::{collection::vec, prelude::*};
use serde_json::Value;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation, Resume},
    error::{ErrorCode, Result},
    host::Host as _,
    id::EventId,
    llm::{ApiMode, message::Content},
    store::{Commit, MemoryStore},
    tool::FileChange,
};

/// What the user does instead of asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Send,
    Edit,
    Navigate,
    NavigateBeforeAll,
}

const VERBS: [Verb; 4] = [Verb::Send, Verb::Edit, Verb::Navigate, Verb::NavigateBeforeAll];

impl Verb {
    async fn perform(self, conversation: &Conversation) -> Result<()> {
        let content = || vec![Content::text("Something else")];
        let id = async |place| conversation.id_of(place).await.unwrap();
        match self {
            Self::Send => conversation.send_message(content(), None).await.map(drop),
            Self::Edit => conversation.edit_message(&id(1).await, content()).await.map(drop),
            Self::Navigate => conversation.navigate_to(Some(id(0).await)).await,
            Self::NavigateBeforeAll => conversation.navigate_to(None).await,
        }
    }

    /// The kinds of events that follow the question.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Send | Self::Edit => &["Message", "Message"],
            Self::Navigate | Self::NavigateBeforeAll => &["Message"],
        }
    }
}

fn id_of(event: &Value) -> &str {
    event["id"].as_str().unwrap()
}

/// Checks that the log has the draft once, as an event that follows the question.
fn check_kept(events: &[Value], (id, text): &(EventId, String)) {
    let kept: Vec<&Value> = events.iter().filter(|event| id_of(event) == id.as_str()).collect();
    assert_eq!(kept.len(), 1, "{events:#?}");
    assert_eq!(said(kept[0]), (text.clone(), true));
    assert_eq!(kept[0]["extended_content"][0]["text"], "[This answer broke off here.]");
    assert_eq!((&kept[0]["source"], &kept[0]["parent_id"]), (&"agent".into(), &events[1]["id"]));
}

/// A store that a page with a draft has left, a page that has opened it, and the draft.
fn with_draft() -> (MemoryStore, World, Server, Conversation, (EventId, String)) {
    let store = MemoryStore::new();
    die_streaming(&store, &long_stream());
    let (world, server) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    let draft = conversation.draft().unwrap();
    (store, world, server, conversation, draft)
}

#[test]
fn a_draft_becomes_an_event_before_the_user_goes_past_it() {
    for verb in VERBS {
        let (store, world, server, conversation, draft) = with_draft();
        block_on(verb.perform(&conversation)).unwrap();
        let events = block_on(world.events());
        assert_eq!(block_on(world.kinds())[2..], *verb.kinds(), "{verb:?}");
        check_kept(&events, &draft);
        assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
        match verb {
            Verb::Send => assert_eq!(events[3]["parent_id"], draft.0.as_str()),
            Verb::Edit => assert_eq!(events[3]["parent_id"], events[0]["id"]),
            _ => {}
        }
        if verb == Verb::Send {
            server.sent.borrow_mut().extend(chat(&["Done."], true));
            block_on(conversation.run(CancelToken::default())).unwrap();
            let request = server.requests.borrow().last().unwrap()["messages"].to_string();
            assert_eq!(request.matches(draft.1.trim()).count(), 1, "{request}");
            assert!(request.contains("[This answer broke off here.]"), "{request}");
        }
        let length = conversation.length();
        drop(conversation);
        let (world, _) = later_world(&store);
        let conversation = block_on(world.open()).unwrap();
        assert_eq!((conversation.draft(), conversation.length()), (None, length));
    }
}

#[test]
fn going_back_to_a_kept_draft_lets_the_agent_go_on_from_it() {
    let (_, _, server, conversation, draft) = with_draft();
    block_on(Verb::Edit.perform(&conversation)).unwrap();
    block_on(conversation.navigate_to(Some(draft.0.clone()))).unwrap();
    server.sent.borrow_mut().extend(chat(&["and on."], true));
    block_on(conversation.run(CancelToken::default())).unwrap();
    let request = server.requests.borrow().last().unwrap()["messages"].to_string();
    assert_eq!(request.matches(draft.1.trim()).count(), 1, "{request}");
    assert!(!request.contains("Something else"), "{request}");
}

#[test]
fn a_draft_stays_where_head_moves_to_its_own_question() {
    for regenerates in [true, false] {
        let (_, world, server, conversation, draft) = with_draft();
        if regenerates {
            block_on(conversation.regenerate()).unwrap();
        } else {
            let question = block_on(conversation.id_of(1)).unwrap();
            block_on(conversation.navigate_to(Some(question))).unwrap();
        }
        assert_eq!(conversation.draft(), Some(draft.clone()));
        assert_eq!(conversation.length(), 2);
        server.sent.borrow_mut().extend(chat(&["Done."], true));
        block_on(conversation.run(CancelToken::default())).unwrap();
        assert_eq!(conversation.draft(), None);
        let request = server.requests.borrow().last().unwrap()["messages"].to_string();
        assert!(!request.contains(draft.1.trim()), "{request}");
        assert!(!block_on(world.events()).iter().any(|event| id_of(event) == draft.0.as_str()));
    }
}

#[test]
fn a_message_that_waited_when_the_page_died_follows_the_draft() {
    let store = MemoryStore::new();
    let (world, server) = world(Rc::new(store.another()), ApiMode::Chat);
    let conversation = block_on(world.open()).unwrap();
    block_on(say(&conversation, "Go"));
    world.host.clock.0.set(Some(0.0));
    let mut run = Box::pin(conversation.run(CancelToken::default()));
    server.sent.borrow_mut().extend(chat(&["A long story"], false));
    assert!(run.as_mut().now_or_never().is_none());
    world.host.clock.0.set(Some(1500.0));
    assert!(run.as_mut().now_or_never().is_none());
    block_on(say(&conversation, "And a short one"));
    assert_eq!(draft_files(&store).len(), 1);
    drop(run);
    drop(conversation);
    let (world, _) = later_world(&store);
    let conversation = block_on(world.open()).unwrap();
    let events = block_on(world.events());
    assert_eq!(block_on(world.kinds()), ["SystemPrompt", "Message", "Message", "Message"]);
    assert_eq!(said(&events[2]), ("A long story".into(), true));
    assert_eq!(events[3]["parent_id"], events[2]["id"]);
    assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
    assert!(conversation.warnings()[0].message.contains("is kept"), "{:?}", conversation.warnings());
}

#[test]
fn listeners_see_the_event_or_the_draft_and_never_both() {
    for verb in VERBS {
        let store = MemoryStore::new();
        die_streaming(&store, &long_stream());
        let (world, _) = later_world(&store);
        let opened: Rc<RefCell<Option<Conversation>>> = Rc::default();
        let seen: Rc<RefCell<Vec<(usize, bool)>>> = Rc::default();
        let (handle, notes, kinds) = (opened.clone(), seen.clone(), world.received.clone());
        world.heard.replace(Some(Rc::new(move || {
            if let Some(conversation) = &*handle.borrow() {
                notes.borrow_mut().push((kinds.borrow().len(), conversation.draft().is_some()));
            }
        })));
        let conversation = block_on(world.open()).unwrap();
        opened.replace(Some(conversation.clone()));
        block_on(verb.perform(&conversation)).unwrap();
        let expected: Vec<(usize, bool)> = (1..=verb.kinds().len()).map(|count| (count, false)).collect();
        assert_eq!(*seen.borrow(), expected, "{verb:?}");
        opened.replace(None);
    }
}

#[test]
fn a_follower_sees_a_draft_once_it_is_an_event() {
    let (store, _, _, writer, draft) = with_draft();
    let (following, _) = world(Rc::new(store.another()), ApiMode::Chat);
    let follower = block_on(following.open_as(Access::Follower)).unwrap();
    assert_eq!((follower.draft(), follower.length()), (None, 2));
    block_on(say(&writer, "Something else"));
    block_on(follower.catch_up()).unwrap();
    assert_eq!(*following.received.borrow(), ["MessageEvent", "MessageEvent"]);
    let branch = block_on(follower.active_branch(usize::MAX)).unwrap();
    assert_eq!(*branch[2].id(), draft.0);
}

/// A store of which the first commit that `is_armed` has this outcome.
fn armed(
    inner: &MemoryStore,
    outcome: Outcome,
) -> (Rc<ScriptedStore>, Rc<Cell<bool>>, Rc<RefCell<Vec<Commit>>>) {
    let (is_armed, seen): (Rc<Cell<bool>>, Rc<RefCell<Vec<Commit>>>) = Default::default();
    let (arm, notes) = (is_armed.clone(), seen.clone());
    let mut store = ScriptedStore::over(inner.another());
    store.outcome = Box::new(move |_| if arm.replace(false) { outcome } else { Outcome::DONE });
    store.applied = Box::new(move |commit| notes.borrow_mut().push(commit.clone()));
    (Rc::new(store), is_armed, seen)
}

#[test]
fn a_store_that_is_full_or_dies_has_the_draft_or_its_event() {
    let outcomes = [Outcome::Full, Outcome::Dead { is_applied: false }, Outcome::Dead { is_applied: true }];
    for verb in VERBS {
        for outcome in outcomes {
            let store = MemoryStore::new();
            die_streaming(&store, &long_stream());
            let (mut page, _) = later_world(&store);
            let (failing, is_armed, commits) = armed(&store, outcome);
            page.store = failing;
            let conversation = block_on(page.open()).unwrap();
            let draft = conversation.draft().unwrap();
            is_armed.set(true);
            commits.borrow_mut().clear();
            let done = verb.perform(&conversation).now_or_never();
            let context = format!("{verb:?} {outcome:?}");
            if outcome == Outcome::Full {
                assert_eq!(done.unwrap().unwrap_err().code(), ErrorCode::StoreQuota, "{context}");
                assert_eq!(
                    (conversation.draft(), conversation.length()),
                    (Some(draft.clone()), 2),
                    "{context}"
                );
                block_on(verb.perform(&conversation)).unwrap();
                check_kept(&block_on(page.events()), &draft);
                assert_eq!(commits.borrow().len(), 1, "{context}: one transaction");
                continue;
            }
            assert!(done.is_none(), "{context}");
            drop(conversation);
            let (world, _) = later_world(&store);
            let conversation = block_on(world.open()).unwrap();
            if (outcome == Outcome::Dead { is_applied: true }) {
                assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0), "{context}");
                check_kept(&block_on(world.events()), &draft);
            } else {
                assert_eq!((conversation.draft(), conversation.length()), (Some(draft), 2), "{context}");
            }
        }
    }
}

#[test]
fn an_answer_whose_end_cannot_be_stored_is_left_as_a_draft_of_the_page() {
    for has_pieces in [true, false] {
        let store = MemoryStore::new();
        let (is_full, full) = (Rc::new(Cell::new(false)), Outcome::Full);
        let fails = is_full.clone();
        let mut scripted = ScriptedStore::over(store.another());
        scripted.outcome = Box::new(move |_| if fails.get() { full } else { Outcome::DONE });
        let (world, server) = world(Rc::new(scripted), ApiMode::Chat);
        let conversation = block_on(world.open()).unwrap();
        block_on(say(&conversation, "Go"));
        world.host.clock.0.set(Some(0.0));
        let cancel = CancelToken::default();
        let mut run = Box::pin(conversation.run(cancel.clone()));
        server.sent.borrow_mut().extend(chat(&["A long story"], false));
        assert!(run.as_mut().now_or_never().is_none());
        if has_pieces {
            world.host.clock.0.set(Some(1500.0));
            assert!(run.as_mut().now_or_never().is_none());
        }
        assert_eq!(draft_files(&store).len(), usize::from(has_pieces));
        is_full.set(true);
        cancel.cancel();
        assert_eq!(block_on(run).unwrap_err().code(), ErrorCode::StoreQuota);
        let draft = conversation.draft().unwrap();
        assert_eq!(draft.1, "A long story");
        is_full.set(false);
        block_on(say(&conversation, "Shorter"));
        check_kept(&block_on(world.events()), &draft);
        assert_eq!((conversation.draft(), draft_files(&store).len()), (None, 0));
    }
}

#[test]
fn files_follow_head_away_from_a_draft_and_back_to_its_event() {
    let (store, _, _, conversation, (draft, _)) = with_draft();
    block_on(async {
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"one".into()))]).await.unwrap();
        let first = conversation.id_of(0).await.unwrap();
        for _ in 0..2 {
            conversation.navigate_to(Some(first.clone())).await.unwrap();
            assert!(live(&store, conversation.id()).await.is_empty());
            assert_eq!(files_at(&conversation, &draft).await.unwrap()["a"], b"one");
            conversation.navigate_to(Some(draft.clone())).await.unwrap();
            assert_eq!(live(&store, conversation.id()).await["a"], b"one");
        }
    });
}

/// A command of a random script.
#[derive(Clone, Debug)]
enum Act {
    Send,
    Edit(usize),
    Navigate(Option<usize>),
    Regenerate,
    /// Asks the model, which says so many words, over so many seconds, before this happens.
    Run(usize, u32, End),
    /// The page dies, and the next one opens the conversation.
    Crash(bool),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Answers,
    Stopped,
    Breaks,
    PageDies,
}

fn act() -> impl Strategy<Value = Act> {
    let end = prop_oneof![1 => Just(End::Answers), 1 => Just(End::Stopped), 1 => Just(End::Breaks), 4 => Just(End::PageDies)];
    prop_oneof![
        3 => Just(Act::Send),
        1 => any::<usize>().prop_map(Act::Edit),
        2 => prop::option::weighted(0.8, any::<usize>()).prop_map(Act::Navigate),
        1 => Just(Act::Regenerate),
        5 => (0..4_usize, 0..4_u32, end).prop_map(|(words, seconds, end)| Act::Run(words, seconds, end)),
        1 => any::<bool>().prop_map(Act::Crash),
    ]
}

struct Play {
    store: MemoryStore,
    /// Whether the next commits fail, from the last one on.
    outcomes: Rc<RefCell<Vec<bool>>>,
    world: World,
    server: Server,
    conversation: Conversation,
    pages: usize,
    words: usize,
    /// The draft that is shown.
    shown: Option<(EventId, String)>,
    /// What has to stay in the log.
    kept: HashMap<EventId, String>,
}

impl Play {
    fn new(outcomes: Vec<bool>) -> Self {
        let store = MemoryStore::new();
        let outcomes = Rc::new(RefCell::new(outcomes));
        let (world, server) = Self::page(&store, &outcomes, 0, Resume::Again);
        let conversation = block_on(world.open()).unwrap();
        block_on(say(&conversation, "Go"));
        Self {
            store,
            outcomes,
            world,
            server,
            conversation,
            pages: 0,
            words: 0,
            shown: None,
            kept: HashMap::new(),
        }
    }

    fn page(
        store: &MemoryStore,
        outcomes: &Rc<RefCell<Vec<bool>>>,
        number: usize,
        resume: Resume,
    ) -> (World, Server) {
        let mut scripted = ScriptedStore::over(store.another());
        let outcomes = outcomes.clone();
        scripted.outcome = Box::new(move |_| match outcomes.borrow_mut().pop() {
            Some(true) => Outcome::Full,
            _ => Outcome::DONE,
        });
        let (mut world, server) = world(Rc::new(scripted), ApiMode::Chat);
        world.resume = resume;
        for _ in 0..1000 * number {
            world.host.random_uuid();
        }
        (world, server)
    }

    /// Opens the conversation in another page. What the page before has only shown is gone.
    fn open(&mut self, resume: Resume) {
        self.pages += 1;
        let stored = draft_files(&self.store);
        (self.world, self.server) = Self::page(&self.store, &self.outcomes, self.pages, resume);
        self.conversation = loop {
            if let Ok(conversation) = block_on(self.world.open()) {
                break conversation;
            }
        };
        let shown = self.shown.take().filter(|(id, _)| stored.iter().any(|path| path.contains(id.as_str())));
        self.shown = self.conversation.draft();
        // A page may show less than the one before it, whose last second is lost, but none that it has is gone.
        if let Some((id, text)) = shown {
            let events = block_on(self.world.events());
            let left = events.iter().find(|event| id_of(event) == id.as_str()).map(|event| said(event).0);
            let left = left.or_else(|| {
                self.shown.as_ref().filter(|(other, _)| *other == id).map(|(_, text)| text.clone())
            });
            let left = left.unwrap_or_else(|| panic!("{id} is gone: {events:#?}"));
            assert!(text.starts_with(&left) && !left.is_empty(), "{left:?} of {text:?}");
        }
    }

    fn play(&mut self, act: &Act) {
        let length = self.conversation.length() as usize;
        let place = |place: &usize| block_on(self.conversation.id_of((place % length) as u64)).unwrap();
        let content = || vec![Content::text("Something else")];
        match act {
            Act::Send => drop(block_on(self.conversation.send_message(content(), None))),
            Act::Edit(at) => drop(block_on(self.conversation.edit_message(&place(at), content()))),
            Act::Navigate(at) => {
                drop(block_on(self.conversation.navigate_to(at.as_ref().map(place))));
            }
            Act::Regenerate => drop(block_on(self.conversation.regenerate())),
            Act::Crash(keeps) => return self.open(if *keeps { Resume::Keep } else { Resume::Again }),
            Act::Run(words, seconds, end) => return self.run(*words, *seconds, *end),
        }
        self.check();
    }

    fn run(&mut self, words: usize, seconds: u32, end: End) {
        let conversation = self.conversation.clone();
        let (start, cancel) = (self.world.host.clock.0.get().unwrap_or_default(), CancelToken::default());
        self.world.host.clock.0.set(Some(start));
        self.server.sent.borrow_mut().clear();
        let mut run = Box::pin(conversation.run(cancel.clone()));
        let mut ended = run.as_mut().now_or_never();
        let mut shown = String::new();
        for _ in 0..words {
            self.words += 1;
            let word = format!("<{}> ", self.words);
            self.server.sent.borrow_mut().extend(chat(&[&word], false));
            ended = ended.or_else(|| run.as_mut().now_or_never());
            if ended.is_none() {
                shown.push_str(&word);
            }
        }
        let now = start + f64::from(seconds) * 1000.0;
        self.world.host.clock.0.set(Some(now));
        ended = ended.or_else(|| run.as_mut().now_or_never());
        if ended.is_none() {
            match end {
                End::Answers => {
                    self.server.sent.borrow_mut().extend(chat(&["The end."], true));
                    shown.push_str("The end.");
                }
                End::Stopped => cancel.cancel(),
                End::Breaks => self.server.sent.borrow_mut().push_back(Vec::new()),
                End::PageDies => {}
            }
            ended = run.as_mut().now_or_never();
        }
        for request in self.server.requests.borrow().iter() {
            let messages = request["messages"].to_string();
            for word in 1..=self.words {
                assert!(
                    messages.matches(&format!("<{word}>")).count() <= 1,
                    "{word} is there twice: {messages}"
                );
            }
            if let Some((_, text)) = &self.shown {
                assert!(!messages.contains(text.trim()), "the model sees a draft: {messages}");
            }
        }
        let answer = self.world.pieces.borrow().last().cloned().filter(|_| !shown.is_empty());
        let answer = answer.map(|id| (id.parse::<EventId>().unwrap(), shown));
        drop(run);
        if ended.is_none() {
            // The draft of the answer takes the place of the one before it once it is stored.
            let is_stored = |(id, _): &&(EventId, String)| {
                draft_files(&self.store).iter().any(|path| path.contains(id.as_str()))
            };
            if let Some(answer) = answer.as_ref().filter(is_stored) {
                self.shown = Some(answer.clone());
            }
            return self.open(Resume::Again);
        }
        let events = block_on(self.world.events());
        let has = |id: &EventId| events.iter().any(|event| id_of(event) == id.as_str());
        let is_answered = matches!(end, End::Answers) && answer.as_ref().is_some_and(|(id, _)| has(id));
        match answer {
            Some(answer) if is_answered => {
                self.shown = None;
                let event = events.iter().find(|event| id_of(event) == answer.0.as_str()).unwrap();
                self.kept.insert(answer.0, said(event).0);
            }
            // Of an answer that is cut off, the event or the draft has everything.
            Some(answer) => self.shown = Some(answer),
            None if self.conversation.draft().is_none() => self.shown = None,
            None => {}
        }
        self.check();
    }

    /// Everything that is shown is a draft or an event, and not both.
    fn check(&mut self) {
        let events = block_on(self.world.events());
        let draft = self.conversation.draft();
        if let Some((id, text)) = self.shown.clone() {
            let kept: Vec<String> = events
                .iter()
                .filter(|event| id_of(event) == id.as_str())
                .map(|event| said(event).0)
                .collect();
            match &draft {
                Some(draft) if draft.0 == id => assert_eq!((&draft.1, kept.len()), (&text, 0)),
                _ => {
                    assert_eq!(kept, [text.clone()], "{events:#?}");
                    self.kept.insert(id, text);
                }
            }
        }
        for (id, text) in &self.kept {
            let found: Vec<String> = events
                .iter()
                .filter(|event| id_of(event) == id.as_str())
                .map(|event| said(event).0)
                .collect();
            assert_eq!(found, [text.clone()]);
        }
        self.shown = draft;
    }
}

/// The number of scripts; `npm test` sets four thousand.
fn scripts() -> u32 {
    std::env::var("THREADKEEP_SCRIPTS").map_or(500, |count| count.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: scripts(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_was_shown_disappears_and_the_model_sees_it_once(
        acts in vec(act(), 1..16),
        fails in prop_oneof![Just(Vec::new()), vec(prop::bool::weighted(0.2), 0..40)],
    ) {
        let mut play = Play::new(Vec::new());
        play.outcomes.replace(fails);
        for act in &acts {
            play.play(act);
        }
    }
}
