//! Messages as the SDK has them (`llm/message.py`), both in event files and on the way to a model.

use crate::llm::message::wire::{ContentFields, ThinkingFields};
use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user, or the environment speaking in the user's place.
    User,
    /// The instructions.
    System,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// One message. Field order is the SDK's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; `null` and a bare string are accepted on reading.
    #[serde(default, deserialize_with = "wire::content_list")]
    pub content: Vec<Content>,
    /// The calls of an assistant message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<MessageToolCall>>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool's name in a tool message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Reasoning text of models that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Signed reasoning of Anthropic models.
    #[serde(default)]
    pub thinking_blocks: Vec<ThinkingBlock>,
    /// Reasoning of the Responses API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses_reasoning_item: Option<ReasoningItem>,
}

impl Message {
    /// A message of text and images.
    pub fn new(role: Role, content: Vec<Content>) -> Self {
        Self {
            role,
            content,
            tool_calls: None,
            tool_call_id: None,
            name: None,
            reasoning_content: None,
            thinking_blocks: Vec::new(),
            responses_reasoning_item: None,
        }
    }

    /// All text parts, joined by line breaks.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ContentFields", into = "ContentFields")]
pub enum Content {
    /// `TextContent`.
    Text {
        /// The text.
        text: String,
        /// Whether a provider should cache up to here; always `false` in what is stored.
        cache_prompt: bool,
    },
    /// `ImageContent`.
    Image {
        /// `http(s):` or `data:` URLs.
        image_urls: Vec<String>,
        /// As for text.
        cache_prompt: bool,
    },
}

impl Content {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), cache_prompt: false }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::Image { .. } => None,
        }
    }
}

/// A call that the model makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The item's id in the Responses API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responses_item_id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Argument JSON, as text.
    pub arguments: String,
    /// `completion` or `responses`.
    pub origin: String,
}

/// `ThinkingBlock` or `RedactedThinkingBlock`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ThinkingFields", into = "ThinkingFields")]
pub enum ThinkingBlock {
    /// Readable reasoning with the provider's signature.
    Thinking {
        /// The reasoning.
        thinking: String,
        /// Proof that the provider wrote it.
        signature: Option<String>,
    },
    /// Reasoning that only the provider can read.
    Redacted {
        /// Opaque.
        data: String,
    },
}

/// `ReasoningItemModel` of the Responses API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasoningItem {
    /// The item's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Summaries for people.
    #[serde(default)]
    pub summary: Vec<String>,
    /// The reasoning, where shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<String>>,
    /// The reasoning, for the provider alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encrypted_content: Option<String>,
    /// The item's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

mod wire {
    //! The JSON of the two unions. A tagged enum would do the same with a generic buffer of all fields, which
    //! costs the wasm several kilobytes for each use.

    use super::{Content, ThinkingBlock};
    use serde::{Deserialize, Deserializer, Serialize};

    #[derive(Clone, Serialize, Deserialize)]
    pub(super) struct ContentFields {
        #[serde(default)]
        cache_prompt: bool,
        #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        image_urls: Option<Vec<String>>,
    }

    impl TryFrom<ContentFields> for Content {
        type Error = &'static str;

        fn try_from(fields: ContentFields) -> Result<Self, Self::Error> {
            let cache_prompt = fields.cache_prompt;
            match (fields.kind.as_deref(), fields.text, fields.image_urls) {
                (Some("text") | None, Some(text), _) => Ok(Self::Text { text, cache_prompt }),
                (Some("image") | None, _, Some(image_urls)) => Ok(Self::Image { image_urls, cache_prompt }),
                _ => Err("content is neither text nor an image"),
            }
        }
    }

    impl From<Content> for ContentFields {
        fn from(content: Content) -> Self {
            match content {
                Content::Text { text, cache_prompt } => {
                    Self { cache_prompt, kind: Some("text".into()), text: Some(text), image_urls: None }
                }
                Content::Image { image_urls, cache_prompt } => Self {
                    cache_prompt,
                    kind: Some("image".into()),
                    text: None,
                    image_urls: Some(image_urls),
                },
            }
        }
    }

    #[derive(Clone, Serialize, Deserialize)]
    pub(super) struct ThinkingFields {
        #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<String>,
    }

    impl TryFrom<ThinkingFields> for ThinkingBlock {
        type Error = &'static str;

        fn try_from(fields: ThinkingFields) -> Result<Self, Self::Error> {
            match (fields.kind.as_deref(), fields.thinking, fields.data) {
                (Some("thinking") | None, Some(thinking), _) => {
                    Ok(Self::Thinking { thinking, signature: fields.signature })
                }
                (Some("redacted_thinking") | None, _, Some(data)) => Ok(Self::Redacted { data }),
                _ => Err("a thinking block is neither thinking nor redacted_thinking"),
            }
        }
    }

    impl From<ThinkingBlock> for ThinkingFields {
        fn from(block: ThinkingBlock) -> Self {
            match block {
                ThinkingBlock::Thinking { thinking, signature } => {
                    Self { kind: Some("thinking".into()), thinking: Some(thinking), signature, data: None }
                }
                ThinkingBlock::Redacted { data } => Self {
                    kind: Some("redacted_thinking".into()),
                    thinking: None,
                    signature: None,
                    data: Some(data),
                },
            }
        }
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ContentList {
        Text(String),
        Parts(Vec<Content>),
    }

    pub(super) fn content_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Content>, D::Error> {
        Ok(match Option::<ContentList>::deserialize(deserializer)? {
            None => Vec::new(),
            Some(ContentList::Text(text)) => vec![Content::text(text)],
            Some(ContentList::Parts(parts)) => parts,
        })
    }
}
