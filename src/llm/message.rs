//! Messages in the SDK's form (`llm/message.py`), for event files and for requests.

mod wire;

use crate::{json::string_enum, llm::attachment::names_file};
use std::rc::Rc;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user, or the environment speaking in the user's place.
    User,
    /// The instructions.
    System,
    /// The model.
    Assistant,
    /// A tool, with its result.
    Tool,
}

string_enum!(Role {
    User = "user",
    System = "system",
    Assistant = "assistant",
    Tool = "tool",
});

/// One message. Field order is the SDK's.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The content; `null` and a single string are accepted on reading.
    pub content: Vec<Content>,
    /// The calls of an assistant message.
    pub tool_calls: Option<Vec<MessageToolCall>>,
    /// The id of the call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// The tool's name in a tool message.
    pub name: Option<String>,
    /// Reasoning text, from models that return it.
    pub reasoning_content: Option<String>,
    /// Signed reasoning of Anthropic models.
    pub thinking_blocks: Vec<ThinkingBlock>,
    /// Reasoning of the Responses API.
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

    /// Whether this is an answer with images.
    pub fn has_images_of_answer(&self) -> bool {
        self.role == Role::Assistant && self.content.iter().any(|part| matches!(part, Content::Image { .. }))
    }

    /// All text parts, joined by line breaks.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `TextContent`.
    Text {
        /// The text.
        text: String,
        /// Whether a provider should cache up to here; always `false` in stored messages.
        cache_prompt: bool,
    },
    /// `ImageContent`.
    Image {
        /// `http(s):` or `data:` URLs.
        image_urls: Vec<String>,
        /// As for text.
        cache_prompt: bool,
    },
    /// A text that names a file of a message: in JSON it is this text.
    File(Box<FileContent>),
}

/// A file of a message of the user.
#[derive(Clone, Debug, PartialEq)]
pub struct FileContent {
    /// The text that names it ([`crate::llm::attachment`]).
    pub text: String,
    /// The id of the event with the message.
    pub event: String,
    /// The file itself, in a request to a model that reads it.
    pub given: Option<GivenFile>,
}

/// A file as a request has it.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenFile {
    /// The kind.
    pub kind: FileKind,
    /// The name that the user knows.
    pub name: String,
    /// The media type and the bytes, as a `data:` URL in base64.
    pub url: Rc<str>,
}

impl GivenFile {
    /// The media type, and the bytes in base64.
    pub(super) fn parts(&self) -> (&str, &str) {
        let (media_type, data) = self.url.split_once(";base64,").unwrap_or_default();
        (media_type.trim_start_matches("data:"), data)
    }
}

/// The kinds of files that some models read themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// PDF.
    Pdf,
    /// Audio in this format, as requests name it.
    Audio(&'static str),
    /// A picture.
    Image,
}

/// A part that is text: the SDK writes no other there.
pub type TextContent = Content;

impl Content {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), cache_prompt: false }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            Self::File(file) => Some(&file.text),
            Self::Image { .. } => None,
        }
    }

    /// Whether it is a text that names a file.
    pub fn names_file(&self) -> bool {
        names_file(self)
    }

    /// A text that names a file of the message of this event.
    pub fn file(text: &str, event: &str) -> Self {
        let (text, event) = (text.to_owned(), event.to_owned());
        Self::File(Box::new(FileContent { text, event, given: None }))
    }
}

/// A call that the model makes.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The item's id in the Responses API.
    pub responses_item_id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// `completion` or `responses`.
    pub origin: String,
}

/// `ThinkingBlock` or `RedactedThinkingBlock`.
#[derive(Clone, Debug, PartialEq)]
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
        /// The encrypted reasoning.
        data: String,
    },
}

/// `ReasoningItemModel` of the Responses API.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReasoningItem {
    /// The item's id.
    pub id: Option<String>,
    /// Summaries for people.
    pub summary: Vec<String>,
    /// The reasoning, if the provider returns it.
    pub content: Option<Vec<String>>,
    /// The reasoning, encrypted for the provider.
    pub encrypted_content: Option<String>,
    /// The item's status.
    pub status: Option<String>,
}

impl ReasoningItem {
    /// What people are shown of it: what the provider has made for them, else the reasoning itself.
    pub fn shown(&self) -> &[String] {
        if self.summary.is_empty() { self.content.as_deref().unwrap_or_default() } else { &self.summary }
    }
}
