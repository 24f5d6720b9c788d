//! Random answers that are stopped, break off or die with their page, and what the user does then: nothing that was shown
//! disappears.

use crate::{
    commands::scripts,
    drafts::draft_files,
    kept_drafts::id_of,
    partial::{Server, chat, said, world},
    scripted_store::{Outcome, ScriptedStore},
    support::{World, back_to_question, say},
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use proptest::{collection::vec, prelude::*};
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Conversation, Resume},
    host::Host as _,
    id::EventId,
    llm::{ApiMode, message::Content},
    store::MemoryStore,
};

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
            Act::Regenerate => drop(block_on(back_to_question(&self.conversation))),
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
                    self.words += 1;
                    let last = format!("<{}> The end.", self.words);
                    self.server.sent.borrow_mut().extend(chat(&[&last], true));
                    shown.push_str(&last);
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
                    assert_eq!(kept, std::slice::from_ref(&text), "{events:#?}");
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
            assert_eq!(found, std::slice::from_ref(text));
        }
        self.shown = draft;
    }
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
