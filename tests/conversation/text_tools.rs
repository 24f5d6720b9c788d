//! A model that calls tools in text, whose log has the same form as that of others.

use crate::support::{World, echo, say, text};
use futures_executor::block_on;
use serde_json::json;
use std::rc::Rc;
use threadkeep::{cancel::CancelToken, format::base_state::ExecutionStatus, store::MemoryStore};

#[test]
fn calls_in_text_become_actions_and_unreadable_ones_are_reported_to_the_model() {
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
        let error = "The call was not made: there is no function 'shout'. Available: echo, finish, think";
        assert_eq!(events[4]["source"], "environment");
        assert_eq!(events[4]["llm_message"]["role"], "user");
        assert_eq!(events[4]["llm_message"]["content"][0]["text"], error);
        // Python does not have this tool, and could not read a call of it in text.
        let agent: serde_json::Value =
            serde_json::from_str(conversation.state().field("agent").unwrap().as_str()).unwrap();
        assert_eq!(agent["llm"]["native_tool_calling"], true);
        // The cost of every answer is counted.
        let stats: serde_json::Value =
            serde_json::from_str(conversation.state().field("stats").unwrap().as_str()).unwrap();
        let cost = stats["usage_to_metrics"]["default"]["accumulated_cost"].as_f64().unwrap();
        assert!((cost - 3.0 * 0.02).abs() < 1e-9, "{cost}");

        assert_eq!(world.model.requests.borrow().last().unwrap()["tools"], json!(null));
        let messages = world.model.last_messages();
        let texts: Vec<&str> = messages.iter().map(|message| message["content"].as_str().unwrap()).collect();
        assert_eq!(texts[2], "I say it.\n\n<function=echo>\n<parameter=text>one</parameter>\n</function>");
        assert!(texts[3].starts_with("Result of echo:\n"), "{texts:?}");
        assert_eq!(texts[4], error);
    });
}
