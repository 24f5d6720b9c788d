//! A model that calls tools in text: its log is that of any other.

use crate::support::{World, echo, say, text};
use futures_executor::block_on;
use serde_json::json;
use std::rc::Rc;
use threadkeep::{cancel::CancelToken, format::base_state::ExecutionStatus, store::MemoryStore};

#[test]
fn calls_are_logged_as_calls_and_what_cannot_be_read_is_told_to_the_model() {
    block_on(async {
        let mut world = World::new(
            Rc::new(MemoryStore::new()),
            vec![echo()],
            [
                text("I say it.\n\n<function=echo>\n<parameter=text>one</parameter>\n"),
                text("<function=shout>\n<parameter=text>two</parameter>\n"),
                text("Said."),
            ],
        );
        world.native_tool_calling = Some(false);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(
            (outcome.status, outcome.final_response.as_deref()),
            (ExecutionStatus::Finished, Some("Said."))
        );
        assert_eq!(
            world.kinds().await,
            ["SystemPrompt", "Message", "Action", "Observation", "Message", "Message"]
        );
        let events = world.events().await;
        assert_eq!(
            events[2]["thought"],
            json!([{"cache_prompt": false, "type": "text", "text": "I say it."}])
        );
        assert_eq!(events[2]["tool_call"]["id"], "toolu_01");
        assert_eq!(events[2]["tool_call"]["arguments"], r#"{"text": "one"}"#);
        let told = "The call was not made: there is no function 'shout'. Available: echo, finish, think";
        assert_eq!(events[4]["source"], "environment");
        assert_eq!(events[4]["llm_message"]["role"], "user");
        assert_eq!(events[4]["llm_message"]["content"][0]["text"], told);
        // Python has no echo, and would never get over a call of it that it reads in text.
        let agent: serde_json::Value =
            serde_json::from_str(conversation.state().field("agent").unwrap().as_str()).unwrap();
        assert_eq!(agent["llm"]["native_tool_calling"], true);
        // Every answer was paid for.
        let stats: serde_json::Value =
            serde_json::from_str(conversation.state().field("stats").unwrap().as_str()).unwrap();
        let cost = stats["usage_to_metrics"]["default"]["accumulated_cost"].as_f64().unwrap();
        assert!((cost - 3.0 * 0.02).abs() < 1e-9, "{cost}");

        assert_eq!(world.model.requests.borrow().last().unwrap()["tools"], json!(null));
        let messages = world.model.last_messages();
        let said: Vec<&str> = messages.iter().map(|message| message["content"].as_str().unwrap()).collect();
        assert_eq!(said[2], "I say it.\n\n<function=echo>\n<parameter=text>one</parameter>\n</function>");
        assert!(said[3].starts_with("Result of echo:\n"), "{said:?}");
        assert_eq!(said[4], told);
    });
}
