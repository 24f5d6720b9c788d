//! Parts of events that have no declaration to generate from: TypeScript checks its own types against JSON that the core
//! writes.

use crate::place::typescript_file;
use threadkeep::{
    event::{ErrorClassification, FailureAction, FailureKind},
    json::ToJson,
    llm::{
        message::{Content, Message, MessageToolCall, ReasoningItem, Role, ThinkingBlock},
        metrics::Metrics,
    },
};

#[test]
fn typescript_has_every_field_of_messages() {
    let text = || "x".to_owned();
    // Every field is set. A new field is a compile error until it is added here.
    let message = Message {
        role: Role::Assistant,
        content: vec![
            Content::Text { text: text(), cache_prompt: true },
            Content::Image { image_urls: vec![text()], cache_prompt: true },
        ],
        tool_calls: Some(vec![MessageToolCall {
            id: text(),
            responses_item_id: Some(text()),
            name: text(),
            arguments: text(),
            origin: "responses".into(),
        }]),
        tool_call_id: Some(text()),
        name: Some(text()),
        reasoning_content: Some(text()),
        thinking_blocks: vec![
            ThinkingBlock::Thinking { thinking: text(), signature: Some(text()) },
            ThinkingBlock::Redacted { data: text() },
        ],
        responses_reasoning_item: Some(ReasoningItem {
            id: Some(text()),
            summary: vec![text()],
            content: Some(vec![text()]),
            encrypted_content: Some(text()),
            status: Some(text()),
        }),
    };
    let classification = ErrorClassification {
        kind: FailureKind::Auth,
        retryable: false,
        user_action: FailureAction::Settings,
        error_id: Some(text()),
    };
    let samples = format!(
        "import type {{ ErrorClassification, LLMMessage, Metrics }} from \"threadkeep\";\n\n\
         /** With every field, also those that may be absent. */\n\
         type Complete<T> = T extends Array<infer Each> ? Complete<Each>[] : T extends object ? {{ [Name in keyof T]-?: Complete<T[Name]> }} : T;\n\n\
         export const message: Complete<LLMMessage> = {};\n\n\
         export const classification: Complete<ErrorClassification> = {};\n\n\
         export const metrics: Metrics = {};\n",
        message.to_json_text(),
        classification.to_json_text(),
        Metrics::new("m").to_json(),
    );
    typescript_file("tests/types/samples.ts", "tests/generated/samples.rs", &samples);
}
