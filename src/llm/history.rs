//! What is done to a history that a provider refuses, whatever the wire API. Pure: a log is never changed.

use crate::llm::message::Message;

/// The messages without the thoughts that only the model that had them can read, if there are any. Signatures hold for
/// one model alone (github.com/vybestack/llxprt-code/issues/2335), and nothing in them says for which.
pub(super) fn without_thoughts(messages: &[Message]) -> Option<Vec<Message>> {
    let mut rest = messages.to_vec();
    for message in &mut rest {
        message.thinking_blocks = Vec::new();
        if let Some(item) = &mut message.responses_reasoning_item {
            item.encrypted_content = None;
        }
    }
    (rest != messages).then_some(rest)
}
