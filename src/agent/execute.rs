//! Runs one call. Its result or its failure is an event that the model reads (`agent/parallel_executor.py`).

use super::response::{Call, NewEvent, error_event};
use crate::{
    cancel::CancelToken,
    event::{ObservationEvent, Source},
    id::ConversationId,
    llm::message::Content,
    secret::Mask,
    tool::{ToolCall, ToolFailure, ToolOutput, ToolRegistry, record_of_output},
};

/// Runs a call and returns the event that answers it, with secrets masked; `None` if the call waits for a decision of the
/// user. Never fails.
pub async fn execute(
    call: Call,
    tools: &ToolRegistry,
    conversation: ConversationId,
    cancel: CancelToken,
    mask: &Mask,
) -> Option<NewEvent> {
    let Some(tool) = tools.get(&call.tool_name) else {
        let text = format!("The tool '{}' is not available here.", call.tool_name);
        return Some(error_event(&call.tool_name, &call.tool_call_id, &text));
    };
    let result = tool
        .call(ToolCall {
            arguments: call.arguments.clone(),
            tool_call_id: call.tool_call_id.clone(),
            conversation,
            idempotency_key: call.action_id.clone(),
            cancel,
        })
        .await;
    let event = match without_secrets(result, mask) {
        Ok(output) if output.waits => return None,
        Ok(output) => {
            let event = ObservationEvent {
                observation: record_of_output(&*tool, &call.arguments, &output),
                tool_name: call.tool_name,
                tool_call_id: call.tool_call_id,
                action_id: call.action_id.as_str().to_owned(),
                extended_content: Vec::new(),
            };
            NewEvent { files: output.files, ..NewEvent::new(Source::Environment, event) }
        }
        Err(failure) => {
            let text = format!("Error executing tool '{}': {}", call.tool_name, failure.0);
            error_event(&call.tool_name, &call.tool_call_id, &text)
        }
    };
    Some(event)
}

/// The result of a call with secrets masked. The parts of a result are masked as one text, because a secret may be
/// divided among them.
pub fn without_secrets(
    result: Result<ToolOutput, ToolFailure>,
    mask: &Mask,
) -> Result<ToolOutput, ToolFailure> {
    let mut output = result.map_err(|ToolFailure(text)| ToolFailure(mask.text(&text).into_owned()))?;
    let mut texts: Vec<&mut String> = Vec::new();
    for part in &mut output.content {
        if let Content::Text { text, .. } = part {
            texts.push(text);
        }
    }
    mask.texts(&mut texts);
    Ok(output)
}
