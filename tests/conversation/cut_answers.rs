//! An answer that its provider has cut says so, to people and to the model, and is not asked for again; one with images goes back
//! without them.

use crate::support::{Answer, ID, World, completion, say, text};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    context::messages::history_of,
    event::Event,
    format::base_state::ExecutionStatus,
    llm::message::{Content, Role},
    store::MemoryStore,
};

fn cut(message: Value, reason: &str) -> Answer {
    let mut answer = completion(message);
    answer["choices"][0]["finish_reason"] = reason.into();
    Answer::Status(200, answer)
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), Vec::new(), answers)
}

#[test]
fn an_answer_that_was_cut_says_so_and_is_the_answer() {
    block_on(async {
        let said = json!({ "role": "assistant", "content": "The steps are: first you" });
        for (reason, name, mark) in [
            ("length", "length", "limit of its length"),
            ("MAX_TOKENS", "length", "limit of its length"),
            ("content_filter", "content_filter", "content filter"),
            ("content_filter: RECITATION", "content_filter", "content filter"),
            ("insufficient_system_resource", "incomplete", "not completed"),
            ("stop", "stop", ""),
        ] {
            let world = world([cut(said.clone(), reason), text("Go on.")]);
            let conversation = world.open().await.unwrap();
            say(&conversation, "How?").await;
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!(outcome.status, ExecutionStatus::Finished);
            assert_eq!(outcome.final_response.as_deref(), Some("The steps are: first you"), "{reason}");
            assert_eq!(outcome.finish_reason, Some(name), "{reason}");
            let events = world.events().await;
            let added =
                events.iter().rfind(|event| event["source"] == "agent").unwrap()["extended_content"].clone();
            assert_eq!(added.as_array().unwrap().is_empty(), mark.is_empty(), "{reason}");
            assert!(added.to_string().contains(mark), "{added}");
            // The model reads it as well, and is not taken for the speaker.
            say(&conversation, "And then?").await;
            conversation.run(CancelToken::default()).await.unwrap();
            let sent = json!(world.model.last_messages()).to_string();
            assert!(sent.contains(mark), "{sent}");
        }
    });
}

#[test]
fn an_answer_whose_limit_was_used_up_by_thoughts_says_that_and_is_not_asked_for_again() {
    block_on(async {
        let thoughts = json!({ "role": "assistant", "content": "", "reasoning_content": "Hm, hm, hm" });
        let world = world([cut(thoughts, "length")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "How?").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, outcome.steps), (ExecutionStatus::Finished, 1));
        assert_eq!((outcome.final_response.as_deref(), outcome.finish_reason), (Some(""), Some("length")));
        let events = world.events().await;
        let last = events.last().unwrap();
        assert!(
            last["extended_content"][0]["text"].as_str().unwrap().contains("used up by thoughts"),
            "{last}"
        );
    });
}

#[test]
fn a_run_after_an_answer_that_its_limit_has_cut_goes_on_there() {
    block_on(async {
        let said = |text: &str| json!({ "role": "assistant", "content": text });
        // More often than a monologue may be long: whoever runs it again is there.
        let pieces = ["One, ", "two, ", "three, ", "four, "].map(|piece| cut(said(piece), "length"));
        let world = world(pieces.into_iter().chain([text("five.")]));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Count.").await;
        for _ in 0..4 {
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!((outcome.status, outcome.finish_reason), (ExecutionStatus::Finished, Some("length")));
        }
        // Another page knows it, too, and has read no more than the end of the branch.
        conversation.close().await;
        let conversation = world.open().await.unwrap();
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.final_response.as_deref(), outcome.finish_reason), (Some("five."), Some("stop")));
        let sent = json!(world.model.last_messages()).to_string();
        assert!(sent.contains("four, ") && sent.contains("Go on from there"), "{sent}");
        // A whole answer is not asked for again.
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, outcome.steps), (ExecutionStatus::Finished, 0));
    });
}

#[test]
fn an_answer_that_a_filter_has_ended_is_not_asked_to_go_on() {
    block_on(async {
        let world = world([
            cut(json!({ "role": "assistant", "content": "First you" }), "content_filter"),
            text("No."),
        ]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "How?").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, outcome.steps), (ExecutionStatus::Finished, 0));
        assert_eq!(outcome.finish_reason, Some("content_filter"));
    });
}

#[test]
fn an_image_of_an_answer_goes_back_in_the_users_place() {
    block_on(async {
        let url = "data:image/png;base64,iVBORw0KGgo=";
        let image = json!({ "type": "image_url", "image_url": { "url": url } });
        for (words, reason) in [("Here.", "stop"), ("", "stop"), ("Here.", "length")] {
            let drawn = json!({ "role": "assistant", "content": words, "images": [image] });
            let world = world([cut(drawn, reason), text("Done.")]);
            let conversation = world.open().await.unwrap();
            say(&conversation, "Draw.").await;
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!((outcome.status, outcome.steps), (ExecutionStatus::Finished, 1), "{words}");
            let events = world.events().await;
            let content = &events.last().unwrap()["llm_message"]["content"];
            assert_eq!(content.as_array().unwrap().last().unwrap()["image_urls"], json!([url]), "{content}");
            say(&conversation, "In red.").await;
            conversation.run(CancelToken::default()).await.unwrap();
            let sent = world.model.last_messages();
            let of = |role: &str| sent.iter().filter(|message| message["role"] == role).collect::<Vec<_>>();
            assert!(!json!(of("assistant")).to_string().contains("image"), "{sent:?}");
            assert_eq!(of("assistant").len(), usize::from(!words.is_empty()));
            let users = json!(of("user")).to_string();
            assert!(users.contains("answer before this had an image"), "{users}");
            assert_eq!(users.contains("cut off here"), reason == "length", "{users}");
            // This model sees no images; one that does gets it there.
            let stored = world.store.events(ID.parse().unwrap(), 0..99).await.unwrap();
            let log: Vec<Event> =
                stored.iter().map(|event| Event::decode(event.id.clone(), event.json.clone())).collect();
            let given = history_of(&log);
            let is_there =
                |part: &Content| matches!(part, Content::Image { image_urls, .. } if image_urls == &[url]);
            let mut with_image = given.iter().filter(|message| message.content.iter().any(is_there));
            assert!(with_image.next().is_some_and(|message| message.role == Role::User), "{given:?}");
            assert!(with_image.next().is_none(), "{given:?}");
        }
    });
}
