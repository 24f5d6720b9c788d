//! Reads token counts from the different forms of `usage`.

use crate::{json::Object, llm::metrics::Usage};

/// Reads a `usage` object; `None` if it has no counts. Mirrors the SDK's `Telemetry._record_usage` and the names that
/// LiteLLM maps to each other before it.
pub fn usage_of(usage: &Object<'_>) -> Option<Usage> {
    let count = |object: &Object<'_>, names: &[&str]| {
        names
            .iter()
            .filter_map(|name| object.read::<f64>(name))
            .find(|count| *count > 0.0)
            .map(|count| count as u64)
    };
    // Of each pair the first name is that of Chat Completions, and the second that of Responses.
    let details = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| Object::parse(usage.get(name)?));
        found.unwrap_or_default()
    };
    let prompt_details = details(["prompt_tokens_details", "input_tokens_details"]);
    let completion_details = details(["completion_tokens_details", "output_tokens_details"]);
    let mut counted = Usage {
        prompt_tokens: count(usage, &["prompt_tokens", "input_tokens"]).unwrap_or(0),
        completion_tokens: count(usage, &["completion_tokens", "output_tokens"]).unwrap_or(0),
        cache_read_tokens: count(&prompt_details, &["cached_tokens"])
            .or_else(|| {
                count(usage, &["cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens"])
            })
            .unwrap_or(0),
        cache_write_tokens: count(usage, &["cache_creation_input_tokens"])
            .or_else(|| count(&prompt_details, &["cache_creation_tokens", "cache_write_tokens"]))
            .unwrap_or(0),
        reasoning_tokens: count(&completion_details, &["reasoning_tokens"])
            .or_else(|| count(usage, &["reasoning_tokens"]))
            .unwrap_or(0),
    };
    let sum = counted.prompt_tokens.saturating_add(counted.completion_tokens);
    // xAI does not include reasoning in the output tokens, which shows in the total.
    if counted.reasoning_tokens > 0 && usage.read("total_tokens") == sum.checked_add(counted.reasoning_tokens)
    {
        counted.completion_tokens = counted.completion_tokens.saturating_add(counted.reasoning_tokens);
    }
    (counted.prompt_tokens > 0 || counted.completion_tokens > 0).then_some(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<Usage> {
        usage_of(&Object::parse(json).unwrap())
    }

    #[test]
    fn counts_are_found_in_all_known_fields() {
        let openai = read(
            r#"{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":40},
                "completion_tokens_details":{"reasoning_tokens":8}}"#,
        );
        let expected = Usage {
            prompt_tokens: 100,
            completion_tokens: 20,
            cache_read_tokens: 40,
            reasoning_tokens: 8,
            ..Usage::default()
        };
        assert_eq!(openai.as_ref(), Some(&expected));
        let deepseek = read(
            r#"{"prompt_tokens":100.0,"completion_tokens":20,"prompt_cache_hit_tokens":40,"prompt_tokens_details":null,
                "reasoning_tokens":8}"#,
        );
        assert_eq!(deepseek, openai);
        let proxy = read(r#"{"prompt_tokens":9,"completion_tokens":1,"cache_creation_input_tokens":7}"#);
        assert_eq!(proxy.map(|usage| usage.cache_write_tokens), Some(7));
    }

    #[test]
    fn reasoning_that_is_counted_separately_is_added_to_the_output() {
        let xai = |total: u64| {
            let details = r#""completion_tokens_details":{"reasoning_tokens":250}"#;
            let json = format!(
                r#"{{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":{total},{details}}}"#
            );
            read(&json).map(|usage| (usage.completion_tokens, usage.reasoning_tokens))
        };
        assert_eq!((xai(1350), xai(1100)), (Some((350, 250)), Some((100, 250))));
    }

    #[test]
    fn without_counts_there_is_no_usage() {
        assert_eq!(read(r#"{"prompt_tokens":0,"completion_tokens":null}"#), None);
        assert_eq!(read(r#"{"prompt_tokens":"7"}"#), None);
    }
}
