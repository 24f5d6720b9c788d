//! Critics: ratings of answers, and further attempts at a task.

use crate::{
    crash::dying,
    support::{Answer, ID, World, calls, echo, say, text, yield_once},
};
use futures_executor::block_on;
use futures_util::{
    FutureExt as _,
    future::{LocalBoxFuture, join, pending, ready},
};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    agent::critic::{Critic, CriticKind, CriticOptions, Evaluator, IterativeRefinement, critic},
    cancel::CancelToken,
    conversation::{Conversation, WarningCode},
    format::base_state::ExecutionStatus,
    json::EditableObject,
    security::ConfirmationPolicy,
    store::MemoryStore,
};

const FINISH: &str = r#"{"message":"Done."}"#;

/// A critic of the host that returns one text after the other, and the last one from then on.
#[derive(Clone)]
struct Scripted {
    ratings: Rc<[&'static str]>,
    seen: Rc<RefCell<Vec<Vec<Value>>>>,
}

impl Evaluator for Scripted {
    fn evaluate(&self, events: Vec<Rc<str>>) -> LocalBoxFuture<'static, Option<String>> {
        let place = self.seen.borrow().len().min(self.ratings.len() - 1);
        let events = events.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
        self.seen.borrow_mut().push(events);
        let rating = self.ratings[place].to_owned();
        Box::pin(ready((rating != "fails").then_some(rating)))
    }
}

fn scripted(ratings: &[&'static str]) -> Scripted {
    Scripted { ratings: ratings.into(), seen: Rc::default() }
}

fn host(evaluator: &Scripted) -> CriticKind {
    CriticKind::Host(Rc::new(evaluator.clone()))
}

fn plain(kind: CriticKind) -> Rc<dyn Critic> {
    critic(CriticOptions { kind, rates_all_actions: false, iterative_refinement: None })
}

fn refining(kind: CriticKind, success_threshold: f64, max_iterations: u32) -> Rc<dyn Critic> {
    let iterative_refinement = Some(IterativeRefinement { success_threshold, max_iterations });
    critic(CriticOptions { kind, rates_all_actions: false, iterative_refinement })
}

fn finish(id: &str) -> Answer {
    calls(&[(id, "finish", FINISH)])
}

async fn opened(critic: Rc<dyn Critic>, answers: impl IntoIterator<Item = Answer>) -> (World, Conversation) {
    let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], answers);
    world.critic = Some(critic);
    let conversation = world.open().await.unwrap();
    say(&conversation, "Go").await;
    (world, conversation)
}

async fn run(conversation: &Conversation) -> ExecutionStatus {
    conversation.run(CancelToken::default()).await.unwrap().status
}

/// The ratings of all events that have one.
async fn ratings(world: &World) -> Vec<Value> {
    let events = world.events().await;
    events.iter().filter_map(|event| event.get("critic_result").cloned()).collect()
}

/// The messages of the user, without the first one.
async fn follow_ups(world: &World) -> Vec<String> {
    let events = world.events().await;
    let messages = events.iter().filter(|event| event["kind"] == "MessageEvent" && event["source"] == "user");
    let text = |event: &Value| event["llm_message"]["content"][0]["text"].as_str().unwrap().to_owned();
    messages.skip(1).map(text).collect()
}

async fn state(world: &World) -> Value {
    let listing = world.store.load(ID.parse().unwrap()).await.unwrap().unwrap();
    serde_json::from_str(&listing.base_state).unwrap()
}

#[test]
fn pass_critic_rates_every_finish_and_message_as_successful() {
    block_on(async {
        let answers = [calls(&[("a", "echo", r#"{"text":"x"}"#)]), finish("b"), text("Hello.")];
        let (world, conversation) = opened(plain(CriticKind::Pass), answers).await;
        run(&conversation).await;
        say(&conversation, "Hi").await;
        run(&conversation).await;
        let rated: Vec<(Value, Value)> = world
            .events()
            .await
            .iter()
            .filter(|event| event.get("critic_result").is_some())
            .map(|event| (event["kind"].clone(), event["critic_result"]["score"].clone()))
            .collect();
        assert_eq!(
            rated,
            [(json!("ActionEvent"), json!(1.0)), (json!("MessageEvent"), json!(1.0))],
            "not the other call, and no message of the user"
        );
    });
}

#[test]
fn agent_finished_critic_rates_whether_the_last_call_is_finish() {
    block_on(async {
        let answers = [
            text("I give up."),
            calls(&[("a", "echo", r#"{"text":"x"}"#)]),
            text("No."),
            finish("b"),
            text("Thanks."),
        ];
        let (world, conversation) = opened(plain(CriticKind::AgentFinished), answers).await;
        for _ in 0..4 {
            run(&conversation).await;
            say(&conversation, "More").await;
        }
        let scores: Vec<Value> = ratings(&world).await.iter().map(|rating| rating["score"].clone()).collect();
        assert_eq!(scores, [0.0, 0.0, 1.0, 1.0]);
    });
}

#[test]
fn a_critic_of_all_actions_rates_each_valid_call_and_no_message() {
    block_on(async {
        let evaluator = scripted(&[r#"{"score":0.25,"message":"so so"}"#]);
        let critic = critic(CriticOptions {
            kind: host(&evaluator),
            rates_all_actions: true,
            iterative_refinement: None,
        });
        let batch = calls(&[
            ("a", "echo", r#"{"text":"x"}"#),
            ("b", "nowhere", "{}"),
            ("c", "finish", FINISH),
            ("d", "echo", r#"{"text":"y"}"#),
        ]);
        let (world, conversation) = opened(critic, [batch, text("Hello.")]).await;
        run(&conversation).await;
        say(&conversation, "Hi").await;
        run(&conversation).await;
        assert_eq!(ratings(&world).await.len(), 2);
        let seen = evaluator.seen.borrow();
        let last = |events: &Vec<Value>| events.last().unwrap()["tool_call_id"].clone();
        assert_eq!(seen.iter().map(last).collect::<Vec<_>>(), ["a", "c"]);
        let kinds: Vec<&Value> = seen[1].iter().map(|event| &event["kind"]).collect();
        assert_eq!(kinds, ["SystemPromptEvent", "MessageEvent", "ActionEvent", "ActionEvent", "ActionEvent"]);
        assert_eq!(seen[1][2]["critic_result"]["score"], 0.25, "earlier ratings are shown");
    });
}

#[test]
fn the_rated_event_has_the_id_under_which_it_is_stored() {
    block_on(async {
        let evaluator = scripted(&[r#"{"score":1}"#]);
        let (world, conversation) = opened(plain(host(&evaluator)), [text("Hello.")]).await;
        run(&conversation).await;
        let seen = evaluator.seen.borrow()[0].last().unwrap().clone();
        let stored = world.events().await.last().unwrap().clone();
        assert_eq!(seen["id"], stored["id"]);
        assert_eq!(seen["llm_message"], stored["llm_message"]);
        assert_eq!(stored["critic_result"], json!({ "score": 1.0, "message": "" }));
    });
}

#[test]
fn only_ratings_that_python_can_read_are_stored() {
    block_on(async {
        let evaluator = scripted(&[
            "fails",
            "7",
            r#"{"score":1.5}"#,
            r#"{"score":"1"}"#,
            r#"{"message":"none"}"#,
            r#"{"score":0.5,"message":null,"metadata":[1]}"#,
            r#"{"score":0.5,"message":"m","metadata":{"a":[1]},"other":1}"#,
        ]);
        let answers = (0..7).map(|place| text(&format!("{place}")));
        let (world, conversation) = opened(plain(host(&evaluator)), answers).await;
        for _ in 0..7 {
            assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
            say(&conversation, "More").await;
        }
        assert_eq!(
            ratings(&world).await,
            [
                json!({ "score": 0.5, "message": "" }),
                json!({ "score": 0.5, "message": "m", "metadata": { "a": [1] } })
            ]
        );
    });
}

#[test]
fn a_result_below_the_threshold_gets_another_attempt() {
    block_on(async {
        let evaluator =
            scripted(&[r#"{"score":0.3,"message":"A test {number} fails."}"#, r#"{"score":0.9}"#]);
        let critic = refining(host(&evaluator), 0.6, 3);
        let (world, conversation) = opened(critic, [finish("a"), finish("b")]).await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(
            world.kinds().await,
            ["SystemPrompt", "Message", "Action", "Observation", "Message", "Action", "Observation"]
        );
        let follow_ups = follow_ups(&world).await;
        assert_eq!(follow_ups.len(), 1);
        assert!(follow_ups[0].contains("30 % (check 1). The reason: A test {number} fails."));
        let state = state(&world).await;
        assert_eq!(state["agent_state"]["iterative_refinement_iteration"], 1);
        assert_eq!(state["last_user_message_id"], world.events().await[4]["id"]);
        assert!(world.model.last_messages().last().unwrap().to_string().contains("30 %"));
    });
}

#[test]
fn the_attempts_of_a_conversation_are_limited_as_in_the_sdk() {
    block_on(async {
        let critic = refining(host(&scripted(&[r#"{"score":0}"#])), 0.6, 2);
        let answers = ["a", "b", "c", "d", "e"].map(finish);
        let (world, conversation) = opened(critic, answers).await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(follow_ups(&world).await.len(), 2);
        say(&conversation, "Another task").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(follow_ups(&world).await.len(), 3, "the user's message, and no other");
        // A host can allow new attempts for a new task.
        let reset = EditableObject::compact(r#"{"iterative_refinement_iteration":null}"#).unwrap();
        conversation.set_agent_state(&reset).await.unwrap();
        *world.model.next.borrow_mut() = Some(Box::new(|| finish("f")));
        say(&conversation, "Yet another task").await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert_eq!(follow_ups(&world).await.len(), 6);
    });
}

#[test]
fn a_rating_equal_to_the_threshold_is_good_enough() {
    block_on(async {
        let critic = refining(host(&scripted(&[r#"{"score":0.6}"#])), 0.6, 2);
        let (world, conversation) = opened(critic, [finish("a")]).await;
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert!(follow_ups(&world).await.is_empty());
        assert!(state(&world).await["agent_state"].get("iterative_refinement_iteration").is_none());
    });
}

#[test]
fn a_text_and_an_unrated_finish_get_no_other_attempt() {
    block_on(async {
        for (rating, answer) in [(r#"{"score":0}"#, text("I give up.")), ("fails", finish("a"))] {
            let critic = refining(host(&scripted(&[rating])), 0.6, 2);
            let (world, conversation) = opened(critic, [answer]).await;
            assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
            assert!(follow_ups(&world).await.is_empty());
        }
    });
}

#[test]
fn a_finish_that_the_user_edited_is_not_rated_again() {
    block_on(async {
        let critic = refining(host(&scripted(&[r#"{"score":0}"#])), 0.6, 2);
        let batch = calls(&[("a", "echo", r#"{"text":"x"}"#), ("b", "finish", FINISH)]);
        let (world, conversation) = opened(critic, [batch]).await;
        conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
        run(&conversation).await;
        let pending = conversation.pending_actions().await.unwrap();
        conversation.edit_action(pending[1].id(), r#"{"message":"My words."}"#).await.unwrap();
        assert_eq!(run(&conversation).await, ExecutionStatus::Finished);
        assert!(follow_ups(&world).await.is_empty());
    });
}

#[test]
fn cancelling_stops_a_critic_that_never_answers() {
    struct Silent(Rc<Cell<bool>>);
    impl Evaluator for Silent {
        fn evaluate(&self, _: Vec<Rc<str>>) -> LocalBoxFuture<'static, Option<String>> {
            self.0.set(true);
            Box::pin(pending())
        }
    }
    block_on(async {
        let is_asked = Rc::new(Cell::new(false));
        let critic = plain(CriticKind::Host(Rc::new(Silent(is_asked.clone()))));
        let (world, conversation) = opened(critic, [finish("a")]).await;
        let stop = async {
            while !is_asked.get() {
                yield_once().await;
            }
            conversation.interrupt().await.unwrap();
        };
        let (status, ()) = join(run(&conversation), stop).await;
        assert_eq!(status, ExecutionStatus::Paused);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Message", "Interrupt"]);
    });
}

#[test]
fn secrets_in_a_rating_are_hidden() {
    block_on(async {
        let evaluator = scripted(&[
            r#"{"score":0,"message":"s3cr3t is wrong","metadata":{"value":"s3cr3t"}}"#,
            r#"{"score":1}"#,
        ]);
        let critic = refining(host(&evaluator), 0.6, 2);
        let (world, conversation) = opened(critic, [finish("a"), finish("b")]).await;
        conversation.hide(vec!["s3cr3t".into()]);
        run(&conversation).await;
        assert_eq!(follow_ups(&world).await.len(), 1);
        assert!(!format!("{:?}", world.events().await).contains("s3cr3t"));
    });
}

#[test]
fn a_page_that_dies_at_any_commit_demands_each_attempt_once() {
    for applies_last in [false, true] {
        for commits in 0.. {
            let inner = MemoryStore::new();
            let critic = || refining(host(&scripted(&[r#"{"score":0}"#])), 0.6, 2);
            let mut dead = World::new(
                Rc::new(dying(inner.another(), commits, applies_last)),
                vec![],
                ["a", "b", "c"].map(finish),
            );
            dead.critic = Some(critic());
            let has_ended = async {
                let conversation = dead.open().await.unwrap();
                say(&conversation, "Go").await;
                run(&conversation).await
            }
            .now_or_never()
            .is_some();
            let mut world = World::new(Rc::new(inner), vec![], []);
            world.critic = Some(critic());
            let place = Cell::new(0);
            *world.model.next.borrow_mut() = Some(Box::new(move || {
                place.set(place.get() + 1);
                finish(&format!("later-{}", place.get()))
            }));
            for _ in 0..1000 {
                threadkeep::host::Host::random_uuid(&*world.host);
            }
            block_on(async {
                let conversation = world.open().await.unwrap();
                if conversation.state().last_user_message_id().is_none() {
                    return;
                }
                assert_eq!(run(&conversation).await, ExecutionStatus::Finished, "after {commits} commits");
                assert_eq!(follow_ups(&world).await.len(), 2, "after {commits} commits");
                let state = state(&world).await;
                assert_eq!(state["agent_state"]["iterative_refinement_iteration"], 2);
                let kinds = world.kinds().await;
                let of = |kind: &str| kinds.iter().filter(|other| *other == kind).count();
                assert_eq!((of("Action"), of("Observation")), (3, 3), "after {commits} commits");
            });
            if has_ended {
                break;
            }
            assert!(commits < 50, "the conversation never ends");
        }
    }
}

#[test]
fn the_stored_agent_has_the_critic_of_the_sdk_and_no_critic_of_the_host() {
    block_on(async {
        let (world, conversation) = opened(refining(CriticKind::AgentFinished, 0.75, 2), [finish("a")]).await;
        let refinement = json!({ "success_threshold": 0.75, "max_iterations": 2 });
        assert_eq!(
            state(&world).await["agent"]["critic"],
            json!({ "mode": "finish_and_message", "iterative_refinement": refinement, "kind": "AgentFinishedCritic" })
        );
        assert!(conversation.warnings().is_empty());
        conversation.close().await;

        let mut without = World::new(world.store.clone(), vec![], []);
        let conversation = without.open().await.unwrap();
        let warning = &conversation.warnings()[0];
        assert_eq!(warning.code, WarningCode::SettingsUnavailable);
        assert!(warning.message.ends_with(": critic"), "{}", warning.message);
        conversation.close().await;

        without.critic = Some(plain(CriticKind::Pass));
        let conversation = without.open().await.unwrap();
        assert!(conversation.warnings().is_empty());
        say(&conversation, "Go on").await;
        let passes = json!({ "mode": "finish_and_message", "kind": "PassCritic" });
        assert_eq!(state(&world).await["agent"]["critic"], passes);

        let (world, _) = opened(plain(host(&scripted(&["fails"]))), []).await;
        assert!(state(&world).await["agent"].get("critic").is_none());
    });
}
