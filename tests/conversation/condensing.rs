//! Condensing: what a run, `condense()` and the context meter do with a condenser, and what is stored.

use crate::support::{Answer, ID, ScriptedModel, World, calls, echo, say, text};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::future::{join, poll_immediate};
use serde_json::{Value, json};
use std::{pin::pin, rc::Rc};
use threadkeep::{
    agent::{AgentCondenser, CondenserMember},
    cancel::CancelToken,
    conversation::{Conversation, WarningCode},
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    id::ConversationId,
    json::EditableObject,
    store::{Commit, MemoryStore},
};

/// A summarizing condenser with these fields, whose model answers from this script.
pub fn condenser(
    fields: &Value,
    answers: impl IntoIterator<Item = Answer>,
) -> (AgentCondenser, Rc<ScriptedModel>) {
    let world = World::new(Rc::new(MemoryStore::new()), Vec::new(), answers);
    let mut settings = fields.as_object().unwrap().clone();
    settings.insert("kind".into(), "LLMSummarizingCondenser".into());
    let settings = EditableObject::compact(&Value::Object(settings).to_string()).unwrap();
    let member = CondenserMember { settings, llm: Some(Rc::new(world.llm("openai/gpt-4o-mini"))) };
    (AgentCondenser { members: vec![member] }, world.model)
}

fn call(n: usize) -> Answer {
    calls(&[(&format!("call{n}"), "echo", &format!(r#"{{"text":"result {n}"}}"#))])
}

/// A world whose model calls `echo` so often and then answers, with a condenser of these fields.
fn world(
    count: usize,
    fields: &Value,
    summaries: impl IntoIterator<Item = Answer>,
) -> (World, Rc<ScriptedModel>) {
    let answers = (1..=count).map(call).chain([text("Done.")]);
    let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], answers);
    let (condenser, model) = condenser(fields, summaries);
    world.condenser = Some(Some(Rc::new(condenser)));
    (world, model)
}

async fn run(conversation: &Conversation) -> threadkeep::error::Result<ExecutionStatus> {
    conversation.run(CancelToken::default()).await.map(|outcome| outcome.status)
}

async fn state(world: &World) -> Value {
    let id: ConversationId = ID.parse().unwrap();
    serde_json::from_str(&world.store.load(id).await.unwrap().unwrap().base_state).unwrap()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["kind"] == kind).collect()
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::Status(status, json!({ "error": { "message": message } }))
}

fn too_long() -> Answer {
    refusal(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    )
}

const SMALL: &str = r#"{"max_size":10,"keep_first":2}"#;

fn small() -> Value {
    serde_json::from_str(SMALL).unwrap()
}

#[test]
fn a_run_condenses_a_view_with_too_many_events_before_the_next_request() {
    block_on(async {
        let (world, summaries) = world(12, &small(), (1..9).map(|n| text(&format!("Summary {n}."))));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        let events = world.events().await;
        let condensations = of_kind(&events, "Condensation");
        assert!(condensations.len() > 2, "{}", condensations.len());
        assert_eq!(condensations[0]["source"], "environment");
        assert_eq!(
            (&condensations[0]["summary"], &condensations[0]["summary_offset"]),
            (&json!("Summary 1."), &json!(2))
        );
        // Each summary takes the place of the one before it.
        for (one, next) in condensations.iter().zip(&condensations[1..]) {
            let id = format!("{}-summary", one["id"].as_str().unwrap());
            assert!(next["forgotten_event_ids"].as_array().unwrap().contains(&json!(id)));
        }
        for request in world.model.requests.borrow().iter() {
            assert!(request["messages"].as_array().unwrap().len() <= 11);
        }
        let last = format!("Summary {}.", condensations.len());
        let sent = world.model.last_messages();
        assert!(sent.iter().any(|message| message.to_string().contains(&last)), "{sent:?}");
        assert_eq!(conversation.summary().await.unwrap().as_deref(), Some(&*last));
        // The request for a summary has no tools, and its cost is counted under an id of its own.
        assert!(summaries.requests.borrow().iter().all(|request| request.get("tools").is_none()));
        let stats = &state(&world).await["stats"]["usage_to_metrics"];
        assert_eq!(stats["condenser"]["costs"].as_array().unwrap().len(), condensations.len());
        assert_eq!(stats["default"]["costs"].as_array().unwrap().len(), 13);
    });
}

/// What listeners heard of summaries that are asked for: whether each was over.
fn heard_of_summaries(world: &World) -> Vec<bool> {
    let live = world.live.take();
    let events = live.iter().flat_map(|events| serde_json::from_str::<Vec<Value>>(events).unwrap());
    let condensing = events.filter(|event| event["kind"] == "CondensingEvent");
    condensing.map(|event| event["is_over"].as_bool().unwrap()).collect()
}

#[test]
fn listeners_hear_when_a_summary_is_asked_for_and_when_it_has_come_or_failed() {
    block_on(async {
        let (world, summaries) = world(12, &small(), [text("Summary.")]);
        *summaries.next.borrow_mut() = Some(Box::new(|| refusal(401, "no such key")));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        let asked = summaries.requests.borrow().len();
        assert!(asked > 1);
        assert_eq!(heard_of_summaries(&world), [false, true].repeat(asked));
    });
}

#[test]
fn a_condensation_is_a_step_of_the_run() {
    block_on(async {
        let (mut world, _) = world(12, &small(), (1..9).map(|_| text("Summary.")));
        world.max_iterations = 6;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Error);
        let kinds = world.kinds().await;
        let steps = kinds.iter().filter(|kind| *kind == "Action" || *kind == "Condensation").count();
        assert_eq!(steps, 6, "{kinds:?}");
    });
}

#[test]
fn a_request_that_is_too_long_for_the_provider_is_condensed_and_tried_again() {
    block_on(async {
        let (world, _) = world(4, &json!({}), [text("Summary.")]);
        world.model.answers.borrow_mut().insert(4, too_long());
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        let kinds = world.kinds().await;
        let tail = ["Observation", "CondensationRequest", "Condensation", "Message"];
        assert!(kinds.ends_with(&tail.map(str::to_owned)), "{kinds:?}");
    });
}

#[test]
fn a_refused_order_of_calls_is_condensed_as_well() {
    block_on(async {
        let (world, _) = world(4, &json!({}), [text("Summary.")]);
        let refused = refusal(
            400,
            "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after",
        );
        world.model.answers.borrow_mut().insert(4, refused);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        assert_eq!(of_kind(&world.events().await, "CondensationRequest").len(), 1);
    });
}

#[test]
fn requests_that_condensing_does_not_shorten_enough_end_as_stuck() {
    block_on(async {
        let (world, summaries) = world(0, &json!({}), Vec::new());
        *summaries.next.borrow_mut() = Some(Box::new(|| text("Summary.")));
        world.model.answers.borrow_mut().clear();
        *world.model.next.borrow_mut() = Some(Box::new(too_long));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Stuck);
        assert_eq!(world.model.requests.borrow().len(), 3);
    });
}

#[test]
fn without_a_condenser_a_full_context_window_is_an_error() {
    block_on(async {
        for condenser in [None, Some(None), Some(Some(Rc::new(AgentCondenser { members: Vec::new() })))] {
            let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], [too_long()]);
            world.condenser = condenser;
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go").await;
            assert_eq!(run(&conversation).await.unwrap_err().code(), ErrorCode::LlmContextWindow);
            let refused = conversation.condense().await.unwrap_err();
            assert_eq!(refused.code(), ErrorCode::InvalidState);
            assert!(of_kind(&world.events().await, "CondensationRequest").is_empty());
        }
    });
}

#[test]
fn condense_appends_a_request_and_makes_one_step() {
    block_on(async {
        let (world, summaries) = world(2, &json!({}), [text("Summary.")]);
        let conversation = world.open().await.unwrap();
        assert_eq!(conversation.condense().await.unwrap_err().code(), ErrorCode::InvalidState);
        say(&conversation, "Go").await;
        run(&conversation).await.unwrap();
        conversation.condense().await.unwrap();
        assert!(world.kinds().await.ends_with(&["CondensationRequest".into(), "Condensation".into()]));
        assert_eq!((summaries.requests.borrow().len(), world.model.requests.borrow().len()), (1, 3));
        assert_eq!(conversation.execution_status(), ExecutionStatus::Finished);
        // The system prompt and the first message stay.
        let events = world.events().await;
        let condensation = events.last().unwrap();
        assert!(!condensation["forgotten_event_ids"].as_array().unwrap().contains(&events[0]["id"]));
        assert_eq!(condensation["summary_offset"], 2);
    });
}

#[test]
fn a_failed_condense_leaves_its_request_to_the_next_run() {
    block_on(async {
        let fails = (0..6).map(|_| refusal(401, "no"));
        let (world, summaries) = world(2, &json!({}), fails.chain([text("Summary.")]));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        run(&conversation).await.unwrap();
        let failure = conversation.condense().await.unwrap_err();
        assert_eq!(failure.code(), ErrorCode::LlmAuth);
        // One ordinary attempt, and five at a hard reset with shorter texts each time.
        assert_eq!(summaries.requests.borrow().len(), 6);
        say(&conversation, "Go on").await;
        world.model.answers.borrow_mut().push_back(text("Yes."));
        run(&conversation).await.unwrap();
        assert_eq!(of_kind(&world.events().await, "Condensation").len(), 1);
    });
}

#[test]
fn texts_get_shorter_with_each_attempt_at_a_hard_reset() {
    block_on(async {
        let fields =
            json!({ "hard_context_reset_max_retries": 3, "hard_context_reset_context_scaling": 0.5 });
        let (world, summaries) = world(0, &fields, (0..4).map(|_| text(" ")));
        let conversation = world.open().await.unwrap();
        say(&conversation, &"word ".repeat(700)).await;
        say(&conversation, "Go").await;
        run(&conversation).await.unwrap();
        let failure = conversation.condense().await.unwrap_err();
        assert_eq!(failure.code(), ErrorCode::LlmUnavailable, "{failure}");
        let lengths: Vec<usize> = summaries
            .requests
            .borrow()
            .iter()
            .map(|request| request["messages"][1].to_string().len())
            .collect();
        assert!(lengths.len() >= 3, "{lengths:?}");
        assert!(lengths[1] > lengths[2] + 800, "{lengths:?}");
    });
}

#[test]
fn a_condensation_that_is_only_desired_and_fails_does_not_stop_the_run() {
    block_on(async {
        let (world, summaries) = world(8, &small(), Vec::new());
        *summaries.next.borrow_mut() = Some(Box::new(|| refusal(401, "no")));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        assert!(of_kind(&world.events().await, "Condensation").is_empty());
        assert!(summaries.requests.borrow().len() > 3);
    });
}

#[test]
fn a_system_prompt_over_the_limit_ends_the_run_after_one_hard_reset() {
    block_on(async {
        let (world, summaries) = world(0, &json!({ "max_tokens": 100 }), Vec::new());
        *summaries.next.borrow_mut() = Some(Box::new(|| text("Summary.")));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let failure = run(&conversation).await.unwrap_err();
        assert_eq!(failure.code(), ErrorCode::LlmContextWindow);
        assert!(failure.message().contains("maxTokens"));
        assert_eq!((summaries.requests.borrow().len(), world.model.requests.borrow().len()), (1, 0));
        assert_eq!(conversation.execution_status(), ExecutionStatus::Error);
    });
}

#[test]
fn a_page_that_dies_while_the_summary_is_written_loses_nothing_and_asks_again() {
    block_on(async {
        let (world, summaries) = world(8, &small(), [Answer::Never, text("Summary."), text("Another.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert!(poll_immediate(run(&conversation)).await.is_none());
        let before = world.events().await;
        assert_eq!(summaries.requests.borrow().len(), 1);
        conversation.let_go();
        drop(conversation);
        let conversation = world.open().await.unwrap();
        assert_eq!(world.events().await, before);
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        let after = world.events().await;
        let requests = summaries.requests.borrow();
        assert_eq!(requests[0]["messages"], requests[1]["messages"]);
        assert_eq!(after[before.len()]["kind"], "Condensation");
    });
}

#[test]
fn an_interrupt_stops_the_summary_of_a_run_and_of_condense() {
    block_on(async {
        let (world, _) = world(8, &small(), [Answer::Never, Answer::Never]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let (outcome, _) = join(run(&conversation), conversation.interrupt()).await;
        assert_eq!(outcome.unwrap(), ExecutionStatus::Paused);
        let events = world.events().await;
        let mut condense = pin!(conversation.condense());
        assert!(poll_immediate(condense.as_mut()).await.is_none());
        let (refused, _) = join(condense, conversation.interrupt()).await;
        assert_eq!(refused.unwrap_err().code(), ErrorCode::Aborted);
        assert_eq!(world.events().await.len(), events.len() + 1);
    });
}

#[test]
fn condense_during_a_run_is_a_request_that_the_run_follows() {
    block_on(async {
        let (go, gone) = oneshot::channel();
        let (world, _) = world(2, &json!({}), [text("Summary.")]);
        world.model.answers.borrow_mut().push_front(Answer::When(
            gone,
            json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "first", "type": "function", "function": { "name": "echo", "arguments": "{\"text\":\"x\"}" } }] }),
        ));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let mut running = pin!(run(&conversation));
        assert!(poll_immediate(running.as_mut()).await.is_none());
        conversation.condense().await.unwrap();
        drop(go);
        running.await.unwrap();
        let kinds = world.kinds().await;
        let expected = [
            "SystemPrompt",
            "Message",
            "CondensationRequest",
            "Action",
            "Observation",
            "Condensation",
            "Action",
        ];
        assert_eq!(kinds[..7], expected.map(str::to_owned));
    });
}

#[test]
fn calls_that_wait_are_not_condensed_and_not_run() {
    block_on(async {
        let (mut world, _) = world(2, &json!({}), Vec::new());
        world.confirmation_policy = Some(threadkeep::security::ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        run(&conversation).await.unwrap();
        let events = world.events().await;
        assert_eq!(conversation.condense().await.unwrap_err().code(), ErrorCode::InvalidState);
        assert_eq!(world.events().await, events);
    });
}

#[test]
fn a_structured_summary_is_rendered_as_text_and_an_answer_in_text_is_no_error() {
    block_on(async {
        let arguments = r#"{"user_context":"Wants tests.","completed_tasks":["1: read"],"pending_tasks":["2: write","3: run"]}"#;
        let (world, summaries) = world(
            1,
            &json!({ "summary": "fields" }),
            [calls(&[("s", "summary", arguments)]), text("In text.")],
        );
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        run(&conversation).await.unwrap();
        conversation.condense().await.unwrap();
        assert_eq!(summaries.requests.borrow()[0]["tools"][0]["function"]["name"], "summary");
        let summary = "# Progress\n\n## User context\nWants tests.\n\n## Completed tasks\n- 1: read\n\n## Pending tasks\n- 2: write\n- 3: run";
        assert_eq!(conversation.summary().await.unwrap().as_deref(), Some(summary));
        assert_eq!(state(&world).await["agent"]["condenser"]["summary"], "fields");
        conversation.condense().await.unwrap();
        assert_eq!(conversation.summary().await.unwrap().as_deref(), Some("In text."));
    });
}

#[test]
fn a_condenser_is_stored_as_the_sdk_stores_it_and_used_again_without_the_option() {
    block_on(async {
        let (mut world, _) = world(0, &json!({ "max_size": 30, "keep_first": 3 }), Vec::new());
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        run(&conversation).await.unwrap();
        conversation.close().await;
        let stored = state(&world).await["agent"]["condenser"].clone();
        assert_eq!((&stored["max_size"], &stored["kind"]), (&json!(30), &json!("LLMSummarizingCondenser")));
        assert_eq!(
            (&stored["llm"]["model"], &stored["llm"]["usage_id"]),
            (&json!("openai/gpt-4o-mini"), &json!("condenser"))
        );
        // Without the option the stored settings apply, and the agent's model writes the summary.
        world.condenser = None;
        world.model.answers.borrow_mut().push_back(text("Summary."));
        let conversation = world.open().await.unwrap();
        assert!(conversation.warnings().is_empty());
        conversation.condense().await.unwrap();
        assert_eq!(world.model.requests.borrow().last().unwrap()["model"], "gpt-4o");
        let after = state(&world).await;
        assert_eq!(after["agent"]["condenser"], stored);
        assert_eq!(after["stats"]["usage_to_metrics"]["condenser"]["costs"].as_array().unwrap().len(), 1);
        conversation.close().await;
        // `null` removes it with the next message.
        world.condenser = Some(None);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        assert_eq!(state(&world).await["agent"].get("condenser"), None);
    });
}

#[test]
fn a_stored_condenser_of_an_unknown_kind_is_warned_about_and_left_unchanged() {
    block_on(async {
        let (mut world, _) = world(0, &json!({}), Vec::new());
        world.condenser = None;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.close().await;
        let mut base = state(&world).await;
        base["agent"]["condenser"] = json!({ "kind": "MyCondenser", "window": 3 });
        let commit =
            Commit { base_state: Some(base.to_string().into()), created_at: None, ..Commit::new(2, 0.0) };
        world.store.commit(ID.parse().unwrap(), commit).await.unwrap();
        let conversation = world.open().await.unwrap();
        let warnings = conversation.warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].code, WarningCode::SettingsUnavailable);
        assert!(warnings[0].message.ends_with(": condenser"));
        run(&conversation).await.unwrap();
        assert_eq!(conversation.condense().await.unwrap_err().code(), ErrorCode::InvalidState);
        assert_eq!(state(&world).await["agent"]["condenser"], base["agent"]["condenser"]);
    });
}

#[test]
fn the_use_of_the_context_window_follows_what_the_provider_counted() {
    block_on(async {
        let (world, _) = world(1, &json!({ "max_tokens": 50_000 }), [text("Summary.")]);
        let conversation = world.open().await.unwrap();
        let empty = conversation.context_usage().await.unwrap();
        assert_eq!((empty.used, empty.limit, empty.reclaimable), (0, Some(50_000), 0));
        say(&conversation, "Go").await;
        let estimated = conversation.context_usage().await.unwrap();
        run(&conversation).await.unwrap();
        let usage = conversation.context_usage().await.unwrap();
        // The scripted provider counts 10 tokens for each request; only the answers are estimated.
        assert!(usage.used < 100 && estimated.used > 100, "{usage:?} {estimated:?}");
        say(&conversation, &"word ".repeat(1000)).await;
        let usage = conversation.context_usage().await.unwrap();
        assert!((1000..3000).contains(&usage.used) && usage.reclaimable <= usage.used, "{usage:?}");
        conversation.close().await;
        // After a reload the count comes from the stored metrics.
        let conversation = world.open().await.unwrap();
        assert_eq!(conversation.context_usage().await.unwrap(), usage);
        conversation.condense().await.unwrap();
        assert!(conversation.context_usage().await.unwrap().used < usage.used);
    });
}
