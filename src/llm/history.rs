//! Changes to the history of a request that a provider would refuse, for all wire APIs: reasoning and ids of calls. Pure:
//! the log is never changed.

use crate::llm::{
    message::{Content, Message, Role},
    provider::Provider,
};
use std::rc::Rc;

/// The separator in an id between the provider's id and Gemini's signature of the call: LiteLLM's
/// `THOUGHT_SIGNATURE_SEPARATOR`, so that Python finds the signature.
const SIGNATURE: &str = "__thought__";

/// The messages without signed and encrypted reasoning; `None` if there is none. Signatures are valid for one model only
/// (github.com/vybestack/llxprt-code/issues/2335), and do not show for which.
pub(super) fn without_thoughts(messages: &[Rc<Message>]) -> Option<Vec<Rc<Message>>> {
    let mut stripped = messages.to_vec();
    let mut has_thoughts = false;
    for shared in &mut stripped {
        let item = &shared.responses_reasoning_item;
        let is_encrypted = item.as_ref().is_some_and(|item| item.encrypted_content.is_some());
        if shared.thinking_blocks.is_empty() && !is_encrypted {
            continue;
        }
        has_thoughts = true;
        let message = Rc::make_mut(shared);
        message.thinking_blocks = Vec::new();
        if let Some(item) = &mut message.responses_reasoning_item {
            item.encrypted_content = None;
        }
    }
    has_thoughts.then_some(stripped)
}

/// The messages with the roles of user and assistant in turn, apart from calls and their results, as the templates of Mistral
/// and Gemma demand it of llama.cpp, LM Studio and vLLM.
pub(super) fn alternating(messages: &[Rc<Message>]) -> Vec<Rc<Message>> {
    let mut turns: Vec<Rc<Message>> = Vec::new();
    // The role of the last message that counts, and whether calls have come since.
    let mut last: Option<(Role, bool)> = None;
    for message in messages {
        let has_calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
        if matches!(message.role, Role::System | Role::Tool) || has_calls {
            last = last.map(|(role, _)| (role, message.role != Role::System));
            turns.push(message.clone());
            continue;
        }
        match last {
            Some((role, false)) if role == message.role => {
                if let Some(before) = turns.last_mut() {
                    Rc::make_mut(before).content.extend(message.content.iter().cloned());
                    continue;
                }
            }
            Some((role, true)) if role == message.role => {
                let (other, text) = match role {
                    Role::User => (Role::Assistant, "Noted."),
                    _ => (Role::User, "Go on."),
                };
                turns.push(Rc::new(Message::new(other, vec![Content::text(text)])));
            }
            _ => {}
        }
        last = Some((message.role, false));
        turns.push(message.clone());
    }
    turns
}

/// The messages without ids of items and reasoning that belongs to them, which OpenAI checks against each other.
pub(super) fn without_item_ids(messages: &[Rc<Message>]) -> Vec<Rc<Message>> {
    let mut stripped = messages.to_vec();
    for message in stripped.iter_mut().filter(|message| message.role == Role::Assistant) {
        let message = Rc::make_mut(message);
        message.responses_reasoning_item = None;
        message.tool_calls.iter_mut().flatten().for_each(|call| call.responses_item_id = None);
    }
    stripped
}

/// An id that contains the signature.
pub(super) fn signed_id(id: &str, signature: &str) -> String {
    [id, SIGNATURE, signature].concat()
}

/// The id without a signature, and the signature.
pub(super) fn signature_of(id: &str) -> (&str, Option<&str>) {
    id.split_once(SIGNATURE).map_or((id, None), |(own, signature)| (own, Some(signature)))
}

/// The id that is sent to this provider for a call, which may come from another provider.
pub(super) fn sent_id(id: &str, provider: &Provider) -> String {
    let own = if provider.takes_call_signatures { signature_of(id).0 } else { id };
    if (provider.takes_call_id)(own) {
        return own.to_owned();
    }
    // FNV-1a, in nine letters and digits.
    let mut hash = own.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut sent = String::new();
    for _ in 0..9 {
        sent.extend(char::from_digit((hash % 36) as u32, 36));
        hash /= 36;
    }
    sent
}
