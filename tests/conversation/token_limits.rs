//! Limits of tokens: a run makes no summary that leads nowhere.

use crate::{
    support::{Answer, ScriptedModel, calls, say, text},
    token_counts::{counted, limit, run, talk},
};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    conversation::{Conversation, stuck_detector::StuckDetection},
    error::ErrorCode,
    format::base_state::ExecutionStatus,
};

/// The number of summaries that a run asks for, which fails because nothing can be condensed enough.
async fn summaries_of_failing_run(conversation: &Conversation, summaries: &ScriptedModel) -> usize {
    let before = summaries.requests.borrow().len();
    let failure = run(conversation).await.unwrap_err();
    assert_eq!(failure.code(), ErrorCode::LlmContextWindow, "{failure}");
    assert!(failure.message().contains("maxTokens"), "{failure}");
    assert_eq!(conversation.execution_status(), ExecutionStatus::Error);
    summaries.requests.borrow().len() - before
}

#[test]
fn a_run_whose_instructions_are_over_the_limit_fails_after_one_summary() {
    block_on(async {
        for keep_first in [0, 1, 2, 4] {
            let fields = json!({ "max_tokens": 100, "keep_first": keep_first });
            let (world, summaries) = talk("Hello.", &fields, "They said hello.");
            let conversation = world.open().await.unwrap();
            for number in 1..=4 {
                say(&conversation, &format!("Hello for the {number}th time.")).await;
                let asked = summaries_of_failing_run(&conversation, &summaries).await;
                assert_eq!(asked, 1, "keep_first {keep_first}, run {number}");
            }
            // Without another message there is nothing but a summary, which is not summarized again.
            assert_eq!(summaries_of_failing_run(&conversation, &summaries).await, 0);
            assert!(world.model.requests.borrow().is_empty());
        }
    });
}

#[test]
fn a_stored_conversation_opened_with_a_limit_below_its_instructions_fails_after_one_summary() {
    block_on(async {
        for keep_first in [0, 1, 2, 4] {
            let (mut world, _) = talk("Hello.", &json!({}), "Never.");
            let conversation = world.open().await.unwrap();
            for number in 1..=6 {
                say(&conversation, &format!("Hello for the {number}th time.")).await;
                run(&conversation).await.unwrap();
            }
            conversation.close().await;
            let fields = json!({ "max_tokens": 100, "keep_first": keep_first });
            let summaries = limit(&mut world, &fields, "They said hello, over and over again.");
            let conversation = world.open().await.unwrap();
            for _ in 1..=3 {
                say(&conversation, "And once more.").await;
                assert_eq!(summaries_of_failing_run(&conversation, &summaries).await, 1);
            }
        }
    });
}

#[test]
fn a_long_first_message_is_condensed_by_one_summary_of_everything() {
    block_on(async {
        let (mut world, _) = talk("Read.", &json!({}), "Never.");
        let conversation = world.open().await.unwrap();
        for text in ["word ".repeat(4000).as_str(), "Hello.", "And hello."] {
            say(&conversation, text).await;
            run(&conversation).await.unwrap();
        }
        conversation.close().await;
        let fields = json!({ "max_tokens": 3000, "keep_first": 2 });
        let summaries = limit(&mut world, &fields, "A long text, and hellos.");
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go on").await;
        assert_eq!(run(&conversation).await.unwrap(), ExecutionStatus::Finished);
        assert_eq!(summaries.requests.borrow().len(), 1);
    });
}

#[test]
fn a_summary_that_is_too_long_is_condensed_once_more_if_it_has_made_the_view_smaller() {
    block_on(async {
        for (first, expected) in [(1500, 2), (6000, 1)] {
            let (mut world, _) = talk("Hello.", &json!({}), "Never.");
            let conversation = world.open().await.unwrap();
            for _ in 1..=5 {
                say(&conversation, &"word ".repeat(600)).await;
                run(&conversation).await.unwrap();
            }
            conversation.close().await;
            let summaries = limit(&mut world, &json!({ "max_tokens": 2500, "keep_first": 1 }), "Short.");
            summaries.answers.borrow_mut().push_back(text(&"long ".repeat(first)));
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go on").await;
            let outcome = run(&conversation).await;
            assert_eq!(summaries.requests.borrow().len(), expected, "{outcome:?}");
            assert_eq!(outcome.is_ok(), expected == 2, "{outcome:?}");
        }
    });
}

#[test]
fn a_run_near_the_limit_makes_no_more_summaries_than_answers() {
    block_on(async {
        let asked = Rc::new(Cell::new(0));
        let number = asked.clone();
        let (mut world, _) = talk("Never.", &json!({}), "Never.");
        *world.model.next.borrow_mut() = Some(Box::new(move || {
            number.set(number.get() + 1);
            let Answer::Message(message) =
                calls(&[(&format!("call{}", number.get()), "echo", r#"{"text":"again and again"}"#)])
            else {
                unreachable!()
            };
            counted(&message, &Value::Null)
        }));
        world.stuck_detection = Some(StuckDetection::Off);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let used = conversation.context_usage().await.unwrap().used;
        conversation.close().await;
        let summaries = limit(&mut world, &json!({ "max_tokens": used + 200, "keep_first": 1 }), "Calls.");
        let conversation = world.open().await.unwrap();
        let _ = run(&conversation).await;
        let (summaries, answers) = (summaries.requests.borrow().len(), asked.get());
        assert!(summaries > 2 && summaries <= answers + 1, "{summaries} summaries, {answers} answers");
    });
}
