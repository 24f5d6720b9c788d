//! The JSON of messages and their parts. Fields are written in the SDK's order.

use super::{Content, Message, MessageToolCall, ReasoningItem, ThinkingBlock};
use crate::json::{FromJson, Object, ToJson, object};

impl FromJson for Message {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            role: fields.required("role")?,
            content: fields.get("content").map_or(Some(Vec::new()), content_list)?,
            tool_calls: fields.optional("tool_calls")?,
            tool_call_id: fields.optional("tool_call_id")?,
            name: fields.optional("name")?,
            reasoning_content: fields.optional("reasoning_content")?,
            thinking_blocks: fields.defaulted("thinking_blocks", Vec::new)?,
            responses_reasoning_item: fields.optional("responses_reasoning_item")?,
        })
    }
}

/// A list of parts; `null` and a single string are accepted as well.
fn content_list(json: &str) -> Option<Vec<Content>> {
    match json.bytes().next()? {
        b'n' => Some(Vec::new()),
        b'"' => Some(vec![Content::text(String::from_json(json)?)]),
        _ => Vec::from_json(json),
    }
}

impl ToJson for Message {
    fn write_json(&self, out: &mut String) {
        let message = object! {
            "role": self.role,
            "content": self.content,
            "tool_calls"?: self.tool_calls,
            "tool_call_id"?: self.tool_call_id,
            "name"?: self.name,
            "reasoning_content"?: self.reasoning_content,
            "thinking_blocks": self.thinking_blocks,
            "responses_reasoning_item"?: self.responses_reasoning_item,
        };
        message.write_json(out);
    }
}

impl FromJson for Content {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        let cache_prompt = fields.defaulted("cache_prompt", || false)?;
        let (text, image_urls) = (fields.optional("text")?, fields.optional("image_urls")?);
        match (fields.optional::<String>("type")?.as_deref(), text, image_urls) {
            (Some("text") | None, Some(text), _) => Some(Self::Text { text, cache_prompt }),
            (Some("image") | None, _, Some(image_urls)) => Some(Self::Image { image_urls, cache_prompt }),
            _ => None,
        }
    }
}

impl ToJson for Content {
    fn write_json(&self, out: &mut String) {
        let content = match self {
            Self::File(file) => object! { "cache_prompt": false, "type": "text", "text": &*file.text },
            Self::Text { text, cache_prompt } => {
                object! { "cache_prompt": cache_prompt, "type": "text", "text": text }
            }
            Self::Image { image_urls, cache_prompt } => {
                object! { "cache_prompt": cache_prompt, "type": "image", "image_urls": image_urls }
            }
        };
        content.write_json(out);
    }
}

impl FromJson for MessageToolCall {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            id: fields.required("id")?,
            responses_item_id: fields.optional("responses_item_id")?,
            name: fields.required("name")?,
            arguments: fields.required("arguments")?,
            origin: fields.required("origin")?,
        })
    }
}

impl ToJson for MessageToolCall {
    fn write_json(&self, out: &mut String) {
        let call = object! {
            "id": self.id,
            "responses_item_id"?: self.responses_item_id,
            "name": self.name,
            "arguments": self.arguments,
            "origin": self.origin,
        };
        call.write_json(out);
    }
}

impl FromJson for ThinkingBlock {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        let (thinking, signature) = (fields.optional("thinking")?, fields.optional("signature")?);
        let data = fields.optional("data")?;
        match (fields.optional::<String>("type")?.as_deref(), thinking, data) {
            (Some("thinking") | None, Some(thinking), _) => Some(Self::Thinking { thinking, signature }),
            (Some("redacted_thinking") | None, _, Some(data)) => Some(Self::Redacted { data }),
            _ => None,
        }
    }
}

impl ToJson for ThinkingBlock {
    fn write_json(&self, out: &mut String) {
        let block = match self {
            Self::Thinking { thinking, signature } => {
                object! { "type": "thinking", "thinking": thinking, "signature"?: signature }
            }
            Self::Redacted { data } => object! { "type": "redacted_thinking", "data": data },
        };
        block.write_json(out);
    }
}

impl FromJson for ReasoningItem {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            id: fields.optional("id")?,
            summary: fields.defaulted("summary", Vec::new)?,
            content: fields.optional("content")?,
            encrypted_content: fields.optional("encrypted_content")?,
            status: fields.optional("status")?,
        })
    }
}

impl ToJson for ReasoningItem {
    fn write_json(&self, out: &mut String) {
        let item = object! {
            "id"?: self.id,
            "summary": self.summary,
            "content"?: self.content,
            "encrypted_content"?: self.encrypted_content,
            "status"?: self.status,
        };
        item.write_json(out);
    }
}
