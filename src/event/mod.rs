//! Events: what a conversation is made of, as values that keep their exact JSON.
//!
//! An [`Event`] never changes and always holds the text of its file, so what came in goes out byte for byte: unknown
//! kinds, unknown fields, number spellings and key order survive because nobody writes them again. What is made here
//! ([`Event::new`]) is written once, as the SDK writes it: head first, then the body's fields in the order of their
//! declaration, nulls left out, `kind` last.
//!
//! Decoding never fails. A text that is no JSON object has the body [`Body::Unreadable`]; an object of a kind this
//! version does not know, or one that the SDK would not accept, has the body [`Body::Unknown`].
//!
//! Performs no I/O, and knows neither the log nor the tree: see `context/branch.rs`.

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
    message::{MessageEvent, SystemPromptEvent},
    observation::{AgentErrorEvent, Observation, ObservationEvent, RejectionSource, UserRejectObservation},
    security_analysis::SecurityAnalysisEvent,
    state_update::ConversationStateUpdateEvent,
    tool_definition::{McpTool, ToolAnnotations, ToolDefinition},
    transient::{LLMCompletionLogEvent, StreamingDeltaEvent, TokenEvent},
    user_action::{InterruptEvent, PauseEvent},
};

use crate::{
    id::EventId,
    json::{Object, ObjectWriter, repaired},
    llm::message::Message,
};
use std::{cell::OnceCell, fmt, rc::Rc};

/// One event. Cheap to clone.
#[derive(Clone)]
pub struct Event(Rc<Inner>);

struct Inner {
    head: Head,
    kind: Box<str>,
    /// Read when it is first asked for: walking a branch and listing a page need only the head.
    body: OnceCell<Body>,
    json: Rc<str>,
}

impl Event {
    /// The event in the file of this id. Never fails: see [`Body::Unknown`] and [`Body::Unreadable`].
    pub fn decode(id: EventId, json: Rc<str>) -> Self {
        let fields = Object::parse(&json);
        let kind = fields.as_ref().and_then(|fields| fields.read::<String>("kind")).unwrap_or_default();
        let head = Head::read(id, fields.as_ref(), Body::default_source(&kind));
        let body = if fields.is_none() { OnceCell::from(Body::Unreadable) } else { OnceCell::new() };
        Self(Rc::new(Inner { head, kind: kind.into(), body, json }))
    }

    /// A new event, written as the SDK would write it. Free-form JSON that Python would refuse is made sound.
    /// [`Body::Unknown`] and [`Body::Unreadable`] have nothing to write; do not make events of them.
    pub fn new(head: Head, body: impl Into<Body>) -> Self {
        let body = body.into();
        let kind = body.kind().into();
        let written = body.encode(&head).unwrap_or_else(|| "{}".into());
        let (json, body) = match repaired(&written) {
            // Read again when it is asked for, so that the body says what the text says.
            Some(mended) => (mended, OnceCell::new()),
            None => (written, OnceCell::from(body)),
        };
        Self(Rc::new(Inner { head, kind, body, json: json.into() }))
    }

    /// The id in the JSON text of an event that comes without a file name.
    pub fn id_in(json: &str) -> Option<EventId> {
        Object::parse(json)?.read::<String>("id")?.parse().ok()
    }

    /// The exact text.
    pub fn json(&self) -> &Rc<str> {
        &self.0.json
    }

    /// What every event has.
    pub fn head(&self) -> &Head {
        &self.0.head
    }

    /// The id in the file name, by which the log knows it.
    pub fn id(&self) -> &EventId {
        &self.0.head.id
    }

    /// When it was made, as its writer's local clock said; empty if the text does not say. Never a basis for order.
    pub fn timestamp(&self) -> &str {
        &self.0.head.timestamp
    }

    /// Who made it.
    pub fn source(&self) -> Source {
        self.0.head.source
    }

    /// Which event it follows, as far as the event itself says.
    pub fn parent(&self) -> &Parent {
        &self.0.head.parent
    }

    /// The name of the SDK's class; empty if the text has none.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// What happened.
    pub fn body(&self) -> &Body {
        self.0.body.get_or_init(|| Body::decode(&self.0.kind, &self.0.json))
    }

    /// Whether Python can read it, as far as this library can tell: a known kind, the fields it needs, the id of its
    /// file name, and nothing in its free-form JSON that Python refuses.
    pub fn is_valid(&self) -> bool {
        !matches!(self.body(), Body::Unknown | Body::Unreadable)
            && Self::id_in(&self.0.json).as_ref() == Some(self.id())
            && repaired(&self.0.json).is_none()
    }

    /// What a model is sent for it; `None` for what a model never sees.
    ///
    /// The actions of one response make one message together: see `context/messages.rs`.
    pub fn to_llm_message(&self) -> Option<Message> {
        match self.body() {
            Body::SystemPromptEvent(body) => Some(body.to_llm_message()),
            Body::MessageEvent(body) => Some(body.to_llm_message()),
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
    /// Whether both are known by the same id and have the same text.
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
    /// The id of the call that this answers, if it answers one: a result, a refusal or an error.
    pub fn answered_call(&self) -> Option<&str> {
        match self {
            Self::ObservationEvent(body) => Some(&body.tool_call_id),
            Self::UserRejectObservation(body) => Some(&body.tool_call_id),
            Self::AgentErrorEvent(body) => Some(&body.tool_call_id),
            _ => None,
        }
    }
}

/// The text of an event: head, body, `kind`.
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
        /// What happened: one variant for each kind of event that the SDK has.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Body {
            $( #[doc = concat!("See [`", stringify!($name), "`].")] $name($name), )*
            /// A JSON object of a kind that this version does not know, or that lacks what its kind needs.
            Unknown,
            /// Not a JSON object, such as a file that was half written.
            Unreadable,
        }

        $( impl From<$name> for Body {
            fn from(body: $name) -> Self {
                Self::$name(body)
            }
        } )*

        impl Body {
            /// The name of every kind there is.
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

            /// The name of the kind; empty for what this version cannot read.
            pub fn kind(&self) -> &'static str {
                match self {
                    $( Self::$name(_) => $name::KIND, )*
                    Self::Unknown | Self::Unreadable => "",
                }
            }

            /// The text of an event of this head and body; `None` for what this version cannot read.
            pub fn encode(&self, head: &Head) -> Option<String> {
                match self {
                    $( Self::$name(body) => Some(encode(head, body)), )*
                    Self::Unknown | Self::Unreadable => None,
                }
            }

            /// Who makes events of this kind, where the SDK lets the text leave it out.
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
