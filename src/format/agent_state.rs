//! The names in `agent_state` that threadkeep uses itself. A host may use any other name.

/// The actions that had begun and whose effect is unknown if the page dies: a list of event ids.
pub const INTERRUPTED_ACTIONS: &str = "interrupted_actions";

/// The actions that the user did not approve when approving others of the same batch: a list of event ids.
pub const UNAPPROVED_ACTIONS: &str = "unapproved_actions";

/// The risks that a security analyzer found, by event id of the action.
pub const SECURITY_RISKS: &str = "security_risks";

/// The actions whose arguments the user changed: a list of event ids.
pub const EDITED_ACTIONS: &str = "edited_actions";

/// The tools that may run without asking the user: a list of names.
pub const ALLOWED_TOOLS: &str = "allowed_tools";

/// How many calls a run executes at a time, if more than one.
pub const TOOL_CONCURRENCY_LIMIT: &str = "tool_concurrency_limit";

/// The response that a provider computes in the background.
pub const BACKGROUND_RESPONSE: &str = "background_response";

/// The server for which an encrypted API key was given, if requests go to another one.
pub const API_KEY_SERVER: &str = "api_key_server";

/// How many further attempts the agent's critic has demanded in this conversation. The SDK's field; a host may set it.
pub const REFINEMENT_ITERATION: &str = "iterative_refinement_iteration";

/// The event that HEAD was moved to without a new event, and the length of the log then.
pub const HEAD_MOVE: &str = "head_move";

/// All of them except the SDK's. A host cannot set these.
pub const RESERVED: [&str; 9] = [
    INTERRUPTED_ACTIONS,
    UNAPPROVED_ACTIONS,
    SECURITY_RISKS,
    EDITED_ACTIONS,
    ALLOWED_TOOLS,
    TOOL_CONCURRENCY_LIMIT,
    BACKGROUND_RESPONSE,
    API_KEY_SERVER,
    HEAD_MOVE,
];
