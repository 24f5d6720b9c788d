//! Events: the immutable entries of a conversation's log, as values that keep their exact JSON text.
//!
//! An [`Event`] always holds the text of its file and is exported byte for byte: unknown kinds, unknown fields, number
//! spellings and key order are preserved because the text is never written again. A new event ([`Event::new`]) is
//! written once, in the form of the SDK: head first, then the body's fields in the order of their declaration without
//! nulls, and `kind` last.
//!
//! Decoding never fails. A text that is not a JSON object has the body [`Body::Unreadable`]. An object of an unknown
//! kind, or one that the SDK would not accept, has the body [`Body::Unknown`].
//!
//! Performs no I/O, and does not know the log or the tree: see `context/branch.rs`.

mod acp_tool_call;
mod action;
mod body;
mod classification;
mod clip;
mod condensation;
mod failure;
mod head;
mod hook_execution;
mod message;
mod observation;
mod observation_text;
mod security_analysis;
mod state_update;
mod tool_definition;
mod transient;
mod user_action;

pub use self::{
    acp_tool_call::ACPToolCallEvent,
    action::{Action, ActionEvent, SecurityRisk},
    body::{Declaration, EventBody, Field},
    classification::{ErrorClassification, FailureAction, FailureKind},
    condensation::{Condensation, CondensationRequest, CondensationSummaryEvent},
    failure::{ConversationErrorEvent, ServerErrorEvent},
    head::{Head, Parent, Source},
    hook_execution::{HookEventType, HookExecutionEvent},
    message::{CriticResult, LONGEST_CUT_OFF, MessageEvent, SystemPromptEvent, beginning_of, split_before},
    observation::{AgentErrorEvent, Observation, ObservationEvent, RejectionSource, UserRejectObservation},
    security_analysis::SecurityAnalysisEvent,
    state_update::ConversationStateUpdateEvent,
    tool_definition::{McpTool, ToolAnnotations, ToolDefinition},
    transient::{LLMCompletionLogEvent, StreamingDeltaEvent, TokenEvent},
    user_action::{InterruptEvent, PauseEvent},
};

use crate::{
    error::{Error, ErrorCode, Result},
    id::EventId,
    json::{Object, ObjectWriter, is_json, repaired, without_constants},
    llm::message::Message,
};
use std::{cell::OnceCell, fmt, rc::Rc};

/// One event. Cheap to clone.
#[derive(Clone)]
pub struct Event(Rc<Inner>);

struct Inner {
    head: Head,
    kind: Box<str>,
    /// Decoded on first use, because walking a branch and listing a page need only the head.
    body: OnceCell<Body>,
    json: Rc<str>,
    /// JSON for a text with numbers that only Python has.
    valid_json: Option<Rc<str>>,
}

impl Event {
    /// The event in a file with this id. Never fails: see [`Body::Unknown`] and [`Body::Unreadable`].
    pub fn decode(id: EventId, json: Rc<str>) -> Self {
        let mut fields = Object::parse(&json);
        let mut valid_json = None;
        if fields.is_none() {
            valid_json = without_constants(&json).filter(|text| is_json(text)).map(Rc::from);
            fields = valid_json.as_deref().and_then(Object::parse);
        }
        let kind = fields.as_ref().and_then(|fields| fields.read::<String>("kind")).unwrap_or_default();
        let head = Head::read(id, fields.as_ref(), Body::default_source(&kind));
        let body = if fields.is_none() { OnceCell::from(Body::Unreadable) } else { OnceCell::new() };
        drop(fields);
        Self(Rc::new(Inner { head, kind: kind.into(), body, json, valid_json }))
    }

    /// A new event in the form that the SDK writes. Free-form JSON that Python would refuse is corrected.
    ///
    /// # Errors
    /// `internal` for [`Body::Unknown`] and [`Body::Unreadable`], whose fields are not known.
    pub fn new(head: Head, body: impl Into<Body>) -> Result<Self> {
        let body = body.into();
        let kind = body.kind().into();
        let written = body.encode(&head).ok_or_else(|| {
            Error::new(ErrorCode::Internal, "an event whose kind is unknown cannot be written again")
        })?;
        let (json, body) = match repaired(&written) {
            // The body is decoded again, so that it equals the repaired text.
            Some(repaired) => (repaired, OnceCell::new()),
            None => (written, OnceCell::from(body)),
        };
        Ok(Self(Rc::new(Inner { head, kind, body, json: json.into(), valid_json: None })))
    }

    /// The id field in the JSON text of an event.
    pub fn id_in(json: &str) -> Option<EventId> {
        Object::parse(json)?.read::<String>("id")?.parse().ok()
    }

    /// The exact text, which is JSON except for numbers that only Python has: see [`Self::valid_json`].
    pub fn json(&self) -> &Rc<str> {
        &self.0.json
    }

    /// The text for a reader of JSON: `NaN` is `null` in it, and an infinite number is too large for a float.
    pub fn valid_json(&self) -> &Rc<str> {
        self.0.valid_json.as_ref().unwrap_or(&self.0.json)
    }

    /// The fields that every event has.
    pub fn head(&self) -> &Head {
        &self.0.head
    }

    /// The id in the file name, which identifies the event in the log.
    pub fn id(&self) -> &EventId {
        &self.0.head.id
    }

    /// The local time of the writer when the event was created; empty if missing. Not suitable for ordering.
    pub fn timestamp(&self) -> &str {
        &self.0.head.timestamp
    }

    /// The originator of the event.
    pub fn source(&self) -> Source {
        self.0.head.source
    }

    /// The parent that the event itself names.
    pub fn parent(&self) -> &Parent {
        &self.0.head.parent
    }

    /// The name of the SDK's class; empty if missing.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// The fields of this kind of event.
    pub fn body(&self) -> &Body {
        self.0.body.get_or_init(|| Body::decode(&self.0.kind, self.valid_json()))
    }

    /// Whether Python can read the event, as far as this library can tell: it has a known kind with the required fields,
    /// the id of its file name, and no free-form JSON that Python refuses.
    pub fn is_valid(&self) -> bool {
        !matches!(self.body(), Body::Unknown | Body::Unreadable)
            && Self::id_in(self.valid_json()).as_ref() == Some(self.id())
            && repaired(&self.0.json).is_none()
    }

    /// The message for the model; `None` for kinds that a model never sees.
    ///
    /// The actions of one response are joined to one message by `context/messages.rs`.
    pub fn to_llm_message(&self) -> Option<Message> {
        match self.body() {
            Body::SystemPromptEvent(body) => Some(body.to_llm_message()),
            Body::MessageEvent(body) => Some(body.to_llm_message_of(self.id())),
            Body::ActionEvent(body) => Some(body.to_llm_message()),
            Body::ObservationEvent(body) => Some(body.to_llm_message()),
            Body::UserRejectObservation(body) => Some(body.to_llm_message()),
            Body::AgentErrorEvent(body) => Some(body.to_llm_message()),
            Body::CondensationSummaryEvent(body) => Some(body.to_llm_message()),
            _ => None,
        }
    }

    /// As [`Body::answered_call`].
    pub fn answered_call(&self) -> Option<&str> {
        self.body().answered_call()
    }
}

impl PartialEq for Event {
    /// Whether both have the same id and the same text.
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id() && self.json() == other.json()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.kind(), self.id(), self.json())
    }
}

impl Body {
    /// The id of the call that this event answers, if it is an observation, a rejection or an error.
    pub fn answered_call(&self) -> Option<&str> {
        match self {
            Self::ObservationEvent(body) => Some(&body.tool_call_id),
            Self::UserRejectObservation(body) => Some(&body.tool_call_id),
            Self::AgentErrorEvent(body) => Some(&body.tool_call_id),
            _ => None,
        }
    }
}

/// The JSON text of an event: head, body, `kind`.
fn encode<B: EventBody>(head: &Head, body: &B) -> String {
    let mut out = ObjectWriter::new();
    head.write(&mut out);
    body.write(&mut out);
    out.field("kind", B::KIND);
    out.finish()
}

/// Declares [`Body`]: each kind with its default source, if the SDK has one.
macro_rules! bodies {
    ($( $name:ident $(: $source:ident)?, )*) => {
        /// The fields of an event by kind, with a variant for each kind that the SDK has.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Body {
            $( #[doc = concat!("See [`", stringify!($name), "`].")] $name($name), )*
            /// A JSON object of an unknown kind, or without a required field.
            Unknown,
            /// Not a JSON object, such as a half-written file.
            Unreadable,
        }

        $( impl From<$name> for Body {
            fn from(body: $name) -> Self {
                Self::$name(body)
            }
        } )*

        impl Body {
            /// The names of all kinds.
            pub const KINDS: &[&str] = &[$( $name::KIND, )*];

            /// Every kind as it is declared.
            pub const DECLARATIONS: &[Declaration] = &[$( $name::DECLARATION, )*];

            fn decode(kind: &str, json: &str) -> Self {
                let Some(fields) = Object::parse(json) else { return Self::Unreadable };
                if !Head::is_valid(&fields, Self::default_source(kind)) {
                    return Self::Unknown;
                }
                match kind {
                    $( $name::KIND => $name::read(&fields).map_or(Self::Unknown, Self::$name), )*
                    _ => Self::Unknown,
                }
            }

            /// The name of the kind; empty for [`Self::Unknown`] and [`Self::Unreadable`].
            pub fn kind(&self) -> &'static str {
                match self {
                    $( Self::$name(_) => $name::KIND, )*
                    Self::Unknown | Self::Unreadable => "",
                }
            }

            /// The JSON text of an event with this head and body; `None` for [`Self::Unknown`] and
            /// [`Self::Unreadable`].
            pub fn encode(&self, head: &Head) -> Option<String> {
                match self {
                    $( Self::$name(body) => Some(encode(head, body)), )*
                    Self::Unknown | Self::Unreadable => None,
                }
            }

            /// The source of events of this kind whose text omits it; `None` if the SDK requires it.
            pub fn default_source(kind: &str) -> Option<Source> {
                match kind {
                    $( $name::KIND => bodies!(@source $($source)?), )*
                    _ => None,
                }
            }
        }
    };
    (@source) => { None };
    (@source $source:ident) => { Some(Source::$source) };
}

bodies! {
    SystemPromptEvent: Agent,
    MessageEvent,
    ActionEvent: Agent,
    ObservationEvent: Environment,
    UserRejectObservation: Environment,
    AgentErrorEvent: Agent,
    Condensation: Environment,
    CondensationRequest: Environment,
    CondensationSummaryEvent: Environment,
    ConversationErrorEvent,
    ConversationStateUpdateEvent: Environment,
    PauseEvent: User,
    InterruptEvent: User,
    HookExecutionEvent: Hook,
    SecurityAnalysisEvent: Environment,
    TokenEvent,
    LLMCompletionLogEvent: Environment,
    StreamingDeltaEvent: Agent,
    ACPToolCallEvent: Agent,
    ServerErrorEvent,
}
