//! Requests beside the run: questions about a conversation, and titles.

use crate::support::{Answer, World, calls, echo, say, text, yield_once};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::future::join;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation},
    error::{ErrorCode, Result},
    format::base_state::ExecutionStatus,
    llm::message::Content,
    security::ConfirmationPolicy,
    store::MemoryStore,
};

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

async fn ask(conversation: &Conversation, question: &str) -> Result<String> {
    conversation.ask_agent(question, None, &CancelToken::default()).await
}

async fn title(conversation: &Conversation, max_length: usize) -> Result<String> {
    conversation.generate_title(None, max_length, &CancelToken::default()).await
}

fn failure(status: u16) -> Answer {
    Answer::Status(status, json!({ "error": { "message": "no" } }))
}

/// The stored metrics of this usage id.
async fn usage(world: &World, usage_id: &str) -> Value {
    let id = crate::support::ID.parse().unwrap();
    let listing = world.store.load(id).await.unwrap().unwrap();
    let state: Value = serde_json::from_str(&listing.base_state).unwrap();
    state["stats"]["usage_to_metrics"][usage_id].clone()
}

#[test]
fn ask_agent_shows_the_history_to_the_model_and_stores_nothing_but_the_cost() {
    block_on(async {
        let world = world([calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("Echoed."), text("It was x.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Echo x").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let received = world.received.borrow().len();
        assert_eq!(ask(&conversation, "Which {question}?").await.unwrap(), "It was x.");
        assert_eq!(world.events().await, events);
        assert_eq!(world.received.borrow().len(), received, "listeners hear nothing");
        assert_eq!(conversation.execution_status(), ExecutionStatus::Finished);
        let [before, asked] = [1, 2].map(|place| world.model.requests.borrow()[place].clone());
        let messages = asked["messages"].as_array().unwrap();
        let history = before["messages"].as_array().unwrap();
        assert_eq!(messages[..history.len()], history[..], "the question follows the history");
        assert_eq!(messages[history.len()]["role"], "assistant");
        let question = messages.last().unwrap();
        assert!(question.to_string().contains("Which {question}?"), "{question}");
        assert_eq!(asked["tools"], before["tools"]);
        let counted = usage(&world, "ask-agent-llm").await;
        assert_eq!(counted["token_usages"].as_array().unwrap().len(), 1);
        assert_eq!(counted["accumulated_cost"], 0.02);
        assert_eq!(usage(&world, "default").await["token_usages"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn ask_agent_works_in_a_conversation_without_events() {
    block_on(async {
        let world = world([text("Nothing yet.")]);
        let conversation = world.open().await.unwrap();
        assert_eq!(ask(&conversation, "What happened?").await.unwrap(), "Nothing yet.");
        assert!(world.events().await.is_empty());
        assert_eq!(world.model.last_messages()[0]["role"], "system");
    });
}

#[test]
fn ask_agent_works_during_a_run_and_changes_nothing_about_it() {
    block_on(async {
        let (release, released) = oneshot::channel();
        let answer = Answer::When(released, json!({ "role": "assistant", "content": "Done." }));
        let world = world([answer, text("I am at it.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let asking = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            let answer = ask(&conversation, "How far are you?").await.unwrap();
            assert_eq!(conversation.execution_status(), ExecutionStatus::Running);
            let _ = release.send(());
            answer
        };
        let (run, answer) = join(conversation.run(CancelToken::default()), asking).await;
        assert_eq!(answer, "I am at it.");
        assert_eq!(run.unwrap().final_response.as_deref(), Some("Done."));
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Message"]);
    });
}

#[test]
fn ask_agent_leaves_out_calls_that_wait_for_approval() {
    block_on(async {
        let world = world([calls(&[("a", "echo", r#"{"text":"x"}"#)]), text("To echo x.")]);
        let conversation = world.open().await.unwrap();
        conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
        say(&conversation, "Echo x").await;
        conversation.run(CancelToken::default()).await.unwrap();
        ask(&conversation, "Why?").await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(conversation.pending_actions().await.unwrap().len(), 1);
        let roles: Vec<Value> =
            world.model.last_messages().iter().map(|message| message["role"].clone()).collect();
        assert_eq!(roles, ["system", "user", "user"]);
    });
}

#[test]
fn ask_agent_works_after_an_error_and_a_pause() {
    block_on(async {
        let world = world([failure(401), text("One."), text("Two.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap_err();
        assert_eq!(ask(&conversation, "1?").await.unwrap(), "One.");
        assert_eq!(conversation.execution_status(), ExecutionStatus::Error);
        say(&conversation, "Go").await;
        conversation.pause().await.unwrap();
        assert_eq!(ask(&conversation, "2?").await.unwrap(), "Two.");
    });
}

#[test]
fn an_error_of_the_model_is_returned_and_not_recorded() {
    block_on(async {
        let world = world([failure(401), text("Fine.")]);
        let conversation = world.open().await.unwrap();
        let error = ask(&conversation, "Well?").await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LlmAuth);
        assert!(world.events().await.is_empty());
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        assert_eq!(ask(&conversation, "Well?").await.unwrap(), "Fine.");
    });
}

#[test]
fn an_answer_without_text_is_an_error() {
    block_on(async {
        let world = world([Answer::Message(json!({
            "role": "assistant",
            "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "echo", "arguments": r#"{"text":"x"}"# } }],
        }))]);
        let conversation = world.open().await.unwrap();
        let error = ask(&conversation, "Well?").await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LlmUnavailable);
        assert_eq!(usage(&world, "ask-agent-llm").await["token_usages"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_cancelled_question_is_aborted() {
    block_on(async {
        let world = world([Answer::Never]);
        let conversation = world.open().await.unwrap();
        let cancel = CancelToken::default();
        let stop = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            cancel.cancel();
        };
        let (answer, ()) = join(conversation.ask_agent("Well?", None, &cancel), stop).await;
        assert_eq!(answer.unwrap_err().code(), ErrorCode::Aborted);
    });
}

#[test]
fn secrets_in_an_answer_are_hidden() {
    block_on(async {
        let world = world([text("It is s3cr3t."), text("✨ The s3cr3t")]);
        let conversation = world.open().await.unwrap();
        conversation.hide(vec!["s3cr3t".into()]);
        assert_eq!(ask(&conversation, "Well?").await.unwrap(), "It is <secret-hidden>.");
        say(&conversation, "Keep it.").await;
        assert_eq!(title(&conversation, 50).await.unwrap(), "✨ The <secret-hidden>");
    });
}

#[test]
fn a_follower_and_a_closed_conversation_refuse_questions_and_titles() {
    block_on(async {
        let world = world([]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let follower = world.open_as(Access::Follower).await.unwrap();
        conversation.close().await;
        for (conversation, code) in
            [(follower, ErrorCode::LockedElsewhere), (conversation, ErrorCode::InvalidState)]
        {
            assert_eq!(ask(&conversation, "Well?").await.unwrap_err().code(), code);
            assert_eq!(title(&conversation, 50).await.unwrap_err().code(), code);
        }
    });
}

#[test]
fn the_cost_of_a_question_ends_a_run_whose_budget_it_uses_up() {
    block_on(async {
        let (release, released) = oneshot::channel();
        let call = json!({ "role": "assistant", "content": "", "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "echo", "arguments": r#"{"text":"x"}"# } },
        ] });
        let mut world = world([Answer::When(released, call), text("I am at it.")]);
        world.max_budget_per_run = Some(0.03);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let asking = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            ask(&conversation, "How far are you?").await.unwrap();
            let _ = release.send(());
        };
        let (run, ()) = join(conversation.run(CancelToken::default()), asking).await;
        assert_eq!(run.unwrap().status, ExecutionStatus::Error);
        assert_eq!(world.events().await.last().unwrap()["code"], "MaxBudgetReached");
    });
}

#[test]
fn a_title_is_made_of_the_first_message_of_the_user() {
    block_on(async {
        let world = world([text("Hello."), text("  🌍 A greeting \n")]);
        let conversation = world.open().await.unwrap();
        let error = title(&conversation, 50).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState, "there is no message yet");
        let long = "é".repeat(1001);
        let parts = vec![Content::text(" Hello "), Content::text(long)];
        conversation.send_message(parts, None).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        say(&conversation, "Another subject").await;
        let events = world.events().await;
        assert_eq!(title(&conversation, 50).await.unwrap(), "🌍 A greeting");
        assert_eq!(world.events().await, events);
        let messages = world.model.last_messages();
        let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["system", "user"]);
        let request = messages[1]["content"][0]["text"].as_str().unwrap();
        assert!(request.contains("at most 50 characters"), "{request}");
        // 1000 characters of the joined texts, whose first part ends with two spaces.
        assert!(request.ends_with(&format!("Hello  {} […]", "é".repeat(993))), "{request}");
        assert!(world.model.requests.borrow().last().unwrap().get("tools").is_none());
        assert_eq!(usage(&world, "default").await["token_usages"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn a_title_that_is_too_long_is_cut_as_in_the_sdk() {
    block_on(async {
        let world = world([text("🌍 A title with many characters"), text("Cafe\u{301} here")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello").await;
        assert_eq!(title(&conversation, 10).await.unwrap(), "🌍 A tit...");
        assert_eq!(title(&conversation, 7).await.unwrap(), "Caf...", "a letter keeps its accent");
    });
}

#[test]
fn reasoning_in_the_text_is_no_part_of_a_title() {
    block_on(async {
        let answers = ["<think>A title?</think>🌍 Hello", "<THINK>Hm.</think> 🌍 <think>cut off"];
        let world = world(answers.map(text));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Good morning").await;
        assert_eq!(title(&conversation, 50).await.unwrap(), "🌍 Hello");
        assert_eq!(title(&conversation, 50).await.unwrap(), "🌍");
    });
}

#[test]
fn the_beginning_of_the_message_is_the_title_if_the_model_fails() {
    block_on(async {
        let world = world([failure(401), failure(401), text("<think>never ends")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "  A short message ").await;
        assert_eq!(title(&conversation, 50).await.unwrap(), "A short message");
        assert_eq!(title(&conversation, 10).await.unwrap(), "A short...");
        assert_eq!(title(&conversation, 50).await.unwrap(), "A short message");
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
    });
}

#[test]
fn another_model_can_make_the_title_and_its_cost_is_counted_under_its_usage_id() {
    block_on(async {
        let world = world([text("🌍 Hello")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Good morning").await;
        let mut llm = world.llm("openai/gpt-4.1-mini");
        llm.options.usage_id = Some("titles".into());
        let made = conversation.generate_title(Some(llm), 50, &CancelToken::default()).await.unwrap();
        assert_eq!(made, "🌍 Hello");
        assert_eq!(world.model.requests.borrow()[0]["model"], "gpt-4.1-mini");
        assert_eq!(usage(&world, "titles").await["model_name"], "openai/gpt-4.1-mini");
    });
}

#[test]
fn another_model_can_answer_a_question_and_its_cost_is_counted_under_its_usage_id() {
    block_on(async {
        let world = world([text("Nothing yet."), text("Still nothing.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Good morning").await;
        let mut llm = world.llm("openai/gpt-4.1-mini");
        for (usage_id, counted) in [(Some("cheap"), "cheap"), (None, "ask-agent-llm")] {
            assert_eq!(usage(&world, counted).await, Value::Null);
            llm.options.usage_id = usage_id.map(Into::into);
            conversation.ask_agent("Well?", Some(llm.clone()), &CancelToken::default()).await.unwrap();
            assert_eq!(usage(&world, counted).await["model_name"], "openai/gpt-4.1-mini");
        }
        assert_eq!(world.model.requests.borrow()[1]["model"], "gpt-4.1-mini");
    });
}
