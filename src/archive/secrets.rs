//! Replaces plaintext secrets in `base_state.json` by the SDK's mask.
//!
//! The SDK masks or encrypts secrets when it writes them, but a program can request plaintext, which must get neither into
//! a store nor into an export. Names follow `llm/llm.py`, `secret/secrets.py`, `mcp/config.py` and `utils/redact.py`.

use super::{invalid, limits::MAX_JSON_DEPTH};
use crate::{
    error::Result,
    format::{
        layout::BASE_STATE,
        secrets::{MASK, is_token},
    },
    id::{StorePath, shortened},
    json::{FromJson as _, Object, elements, is_json, quoted, range_in, with_replaced},
};
use std::{borrow::Cow, ops::Range};

/// The text without plaintext secrets, and their paths; the original text if it has none.
///
/// Nulls, blanks, the mask, and Fernet tokens, which only the owner of the passphrase can read, are not changed.
/// Fails if the text is not JSON, or nested deeper than [`MAX_JSON_DEPTH`].
pub fn masked(text: &str) -> Result<(Cow<'_, str>, Vec<String>)> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut paths = Vec::new();
    let mut open = vec![Item { value: text, path: String::new(), depth: 0, rule: Rule::ByName }];
    while let Some(item) = open.pop() {
        if item.depth > MAX_JSON_DEPTH {
            return Err(invalid(format!("it is nested deeper than {MAX_JSON_DEPTH} levels")));
        }
        if let Some(object) = Object::parse(item.value) {
            for (name, value) in object.iter() {
                let inner = item.inner(name, value, item.rule.within(name, &object));
                if is_secret(item.rule, name, &object) && is_plaintext(value) {
                    edits.push((range_in(text, value), quoted(MASK)));
                    paths.push(inner.path);
                } else if value.starts_with(['{', '[']) {
                    open.push(inner);
                }
            }
        } else if let Some(elements) = elements(item.value) {
            let nested = elements.into_iter().filter(|element| element.starts_with(['{', '[']));
            open.extend(nested.map(|element| item.inner("[]", element, Rule::ByName)));
        } else if !is_json(item.value) {
            return Err(invalid("it is not JSON"));
        }
    }
    if edits.is_empty() {
        return Ok((Cow::Borrowed(text), paths));
    }
    paths.sort_unstable();
    Ok((Cow::Owned(with_replaced(text, edits)), paths))
}

/// A value that is still to be searched.
struct Item<'a> {
    value: &'a str,
    path: String,
    depth: usize,
    rule: Rule,
}

impl Item<'_> {
    fn inner<'a>(&self, name: &str, value: &'a str, rule: Rule) -> Item<'a> {
        let dot = if self.path.is_empty() { "" } else { "." };
        Item { value, path: format!("{}{dot}{}", self.path, shortened(name)), depth: self.depth + 1, rule }
    }
}

/// The strings directly in an object that are secret, besides those with the name of a secret.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// No others.
    ByName,
    /// All: the environment and the headers of an MCP server, and secrets by name.
    Every,
    /// Those whose name is that of a secret header.
    Headers,
    /// The string named `value`, in a source of a secret.
    Source,
}

impl Rule {
    /// The rule for the value of the member `name` of an object with these members.
    fn within(self, name: &str, object: &Object<'_>) -> Self {
        match name {
            "env" | "secrets" | "secret_sources" => Self::Every,
            "headers" if object.read::<String>("kind").as_deref() == Some("LookupSecret") => Self::Headers,
            "headers" => Self::Every,
            "extra_headers" => Self::Headers,
            _ if self == Self::Every => Self::Source,
            _ => Self::ByName,
        }
    }
}

fn is_secret(rule: Rule, name: &str, object: &Object<'_>) -> bool {
    match name {
        "api_key"
        | "llm_api_key"
        | "critic_api_key"
        | "aws_access_key_id"
        | "aws_secret_access_key"
        | "aws_session_token"
        | "password"
        | "access_token"
        | "refresh_token"
        | "client_secret" => true,
        "value" if rule == Rule::Source || object.get("strategy").is_some() => true,
        "value" => object.read::<String>("kind").as_deref() == Some("StaticSecret"),
        _ => rule == Rule::Every || rule == Rule::Headers && is_secret_header(name),
    }
}

/// Whether the SDK treats a header with this name as secret.
fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["AUTHORIZATION", "COOKIE", "CREDENTIAL", "KEY", "PASSWORD", "SECRET", "SESSION", "TOKEN"]
        .iter()
        .any(|word| name.contains(word))
}

fn is_plaintext(value: &str) -> bool {
    match String::from_json(value) {
        Some(text) => !text.trim().is_empty() && text != MASK && !is_token(&text),
        // A string with a lone surrogate is not text, but may still be a secret.
        None => value.starts_with('"'),
    }
}

/// Whether a further file with this path is searched for secrets: of the files of the SDK, the `base_state.json` of a
/// nested conversation and the agent server's `meta.json` can contain some. Files that the agent works on are not changed.
pub fn is_searched(path: &str) -> bool {
    !path.starts_with("workspace/") && matches!(path.rsplit('/').next(), Some(BASE_STATE | "meta.json"))
}

/// The content of a further file without secrets, for the store or an export.
pub fn without_secrets(path: &StorePath, content: Vec<u8>) -> Vec<u8> {
    if !is_searched(path.as_str()) {
        return content;
    }
    let masked = std::str::from_utf8(&content).ok().and_then(|text| masked(text).ok());
    match masked {
        Some((text, paths)) if !paths.is_empty() => text.into_owned().into_bytes(),
        _ => content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plaintext_is_masked_and_no_other_byte_is_changed() {
        let text = r#"{ "id" : "x", "agent":{"llm":{"model":"m","api_key":"sk-1","aws_session_token":null,"temperature":1.50,
            "extra_headers":{"X-Title":"t","Authorization":"Bearer k"}},
            "mcp_config":{"s":{"url":"u","headers":{"X-Any":"h"},"env":{"PATH":"e"},"auth":{"strategy":"bearer","value":"b"}}},
            "condenser":{"llm":{"api_key":"gAAAAABtoken"}},"critic":{"api_key":"**********"}},
            "secret_registry":{"secret_sources":{"A":{"value":"a","kind":"StaticSecret"},
            "B":{"url":"u","headers":{"X-Key":"k","Accept":"j"},"kind":"LookupSecret"}}},"tags":{"value":"v"}}"#;
        let (masked, paths) = masked(text).unwrap();
        let expected = text
            .replace("\"sk-1\"", "\"**********\"")
            .replace("\"Bearer k\"", "\"**********\"")
            .replace("\"X-Any\":\"h\"", "\"X-Any\":\"**********\"")
            .replace("\"PATH\":\"e\"", "\"PATH\":\"**********\"")
            .replace("\"value\":\"b\"", "\"value\":\"**********\"")
            .replace("\"value\":\"a\"", "\"value\":\"**********\"")
            .replace("\"X-Key\":\"k\"", "\"X-Key\":\"**********\"");
        assert_eq!(masked, expected);
        assert_eq!(
            paths,
            [
                "agent.llm.api_key",
                "agent.llm.extra_headers.Authorization",
                "agent.mcp_config.s.auth.value",
                "agent.mcp_config.s.env.PATH",
                "agent.mcp_config.s.headers.X-Any",
                "secret_registry.secret_sources.A.value",
                "secret_registry.secret_sources.B.headers.X-Key",
            ]
        );
        assert_eq!(super::masked(&masked).unwrap(), (Cow::Borrowed(masked.as_ref()), vec![]));
    }

    #[test]
    fn repeated_members_with_secrets_are_all_masked() {
        let (text, paths) = masked(r#"{"api_key":"one","api_key":null,"api\u005fkey":"\ud83d"}"#).unwrap();
        assert_eq!(text, r#"{"api_key":"**********","api_key":null,"api\u005fkey":"**********"}"#);
        assert_eq!(paths.len(), 2);
    }

    #[test]
    fn the_nesting_depth_is_limited() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(masked(&deep).unwrap_err().message().contains("deeper"));
        assert!(masked("{").is_err());
    }
}
