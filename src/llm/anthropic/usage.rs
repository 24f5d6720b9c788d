//! Token counts, which come in two parts: input tokens at the start of an answer, output tokens at its end.

use crate::{json::Object, llm::metrics::Usage};

/// The counts so far. They only grow, and a server may omit any of them in any event.
#[derive(Default)]
pub(super) struct TokenCounts {
    input: u64,
    cache_write: u64,
    cache_read: u64,
    output: u64,
    thinking: u64,
}

impl TokenCounts {
    /// Reads the `usage` of an event.
    pub(super) fn read(&mut self, event: &Object<'_>) {
        let usage = event.object("usage");
        let details = usage.object("output_tokens_details");
        for (object, name, count) in [
            (&usage, "input_tokens", &mut self.input),
            (&usage, "cache_creation_input_tokens", &mut self.cache_write),
            (&usage, "cache_read_input_tokens", &mut self.cache_read),
            (&usage, "output_tokens", &mut self.output),
            (&details, "thinking_tokens", &mut self.thinking),
        ] {
            *count = object.read::<u64>(name).unwrap_or(0).max(*count);
        }
    }

    /// The sum as LiteLLM computes it: tokens written to and read from the cache are part of the prompt. `None` if
    /// nothing was counted.
    pub(super) fn usage(&self) -> Option<Usage> {
        let prompt_tokens = self.input.saturating_add(self.cache_write).saturating_add(self.cache_read);
        let usage = Usage {
            prompt_tokens,
            completion_tokens: self.output,
            cache_read_tokens: self.cache_read,
            cache_write_tokens: self.cache_write,
            reasoning_tokens: self.thinking.min(self.output),
        };
        (prompt_tokens > 0 || self.output > 0).then_some(usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(events: &[&str]) -> Option<Usage> {
        let mut counts = TokenCounts::default();
        for event in events {
            counts.read(&Object::parse(event).unwrap());
        }
        counts.usage()
    }

    #[test]
    fn a_later_event_adds_its_counts() {
        let usage = counted(&[
            r#"{"usage":{"input_tokens":5,"cache_creation_input_tokens":30,"cache_read_input_tokens":null,"output_tokens":1}}"#,
            r#"{"usage":{"input_tokens":0,"output_tokens":20,"output_tokens_details":{"thinking_tokens":8}}}"#,
            r#"{"type":"message_delta"}"#,
        ]);
        let expected = Usage {
            prompt_tokens: 35,
            completion_tokens: 20,
            cache_write_tokens: 30,
            reasoning_tokens: 8,
            ..Usage::default()
        };
        assert_eq!(usage, Some(expected));
    }

    #[test]
    fn without_counts_there_is_no_usage() {
        assert_eq!(counted(&["{}", r#"{"usage":{"input_tokens":"7","output_tokens":-1}}"#]), None);
    }
}
