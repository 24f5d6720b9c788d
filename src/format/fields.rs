//! The fields of `base_state.json` and of the agent in it: their names in the SDK's order, and their types for TypeScript.
//!
//! `js/events/generated/state.ts` is generated from these declarations. A field that is not declared is preserved, and neither
//! read nor written.

/// A field as it is declared.
#[derive(Debug)]
pub struct StateField {
    /// The name in JSON.
    pub name: &'static str,
    /// The documentation comment.
    pub doc: &'static str,
    /// Its type in TypeScript.
    pub typescript: &'static str,
    /// Whether it is absent where it has no value.
    pub is_optional: bool,
}

/// Declares fields: `$order` has their names, for the wasm, and `$declarations` everything, for the generator.
macro_rules! fields {
    ($order:ident, $declarations:ident: $( $(#[doc = $doc:literal])* $mode:ident $name:ident: $typescript:literal, )*) => {
        /// The names of the fields, in the SDK's order.
        pub const $order: &[&str] = &[$( stringify!($name), )*];

        /// The declarations of the fields, in the SDK's order.
        pub const $declarations: &[StateField] = &[$( StateField {
            name: stringify!($name),
            doc: concat!($($doc, "\n",)*),
            typescript: $typescript,
            is_optional: fields!(@is_optional $mode),
        }, )*];
    };
    (@is_optional optional) => { true };
    (@is_optional required) => { false };
}

fields! { STATE_FIELDS, STATE_DECLARATIONS:
    required id: "string",
    /// The agent as the SDK stores it. Tools of the page are not in it.
    required agent: "StoredAgent",
    /// The place of the files in Python.
    required workspace: "{ kind: string; [field: string]: JSONValue }",
    /// The directory in which the SDK stores the conversation. That of a sub-agent's conversation names the conversations above it.
    optional persistence_dir: "string",
    /// The most steps of a run.
    required max_iterations: "number",
    /// Whether a run that repeats itself ends with the status `stuck`.
    required stuck_detection: "boolean",
    required execution_status: "ExecutionStatus",
    required confirmation_policy: "{ kind: string; [field: string]: JSONValue }",
    optional security_analyzer: "{ kind: string; [field: string]: JSONValue }",
    /// The names of the skills that a message has triggered.
    required activated_knowledge_skills: "string[]",
    /// The names of the skills that a call's path has triggered.
    required activated_path_rules: "string[]",
    /// The names of the skills that the model has opened.
    required invoked_skills: "string[]",
    /// Actions that a hook denied, with the reason; until they are answered.
    required blocked_actions: "{ [actionId: string]: string }",
    /// Messages that a hook denied, with the reason; until a run has passed over them.
    required blocked_messages: "{ [messageId: string]: string }",
    optional last_user_message_id: "string",
    /// The event that the next one follows; absent before the first one.
    optional leaf_event_id: "string",
    /// Whether the next event begins a branch of its own. Logs from before the SDK had branches lack it.
    optional head_is_empty: "boolean",
    required stats: "ConversationStats",
    /// Names and kinds. Values are redacted, or encrypted under the passphrase.
    optional secret_registry: "{ secret_sources: { [name: string]: StoredSecret } }",
    required tags: "{ [key: string]: string }",
    /// Values of the library and of the host (`setAgentState()`).
    required agent_state: "AgentState",
    /// Hooks of a Python agent. They are preserved, and do not run here.
    optional hook_config: "{ [field: string]: JSONValue }",
}

fields! { AGENT_FIELDS, AGENT_DECLARATIONS:
    /// The model's settings, with the names of the SDK.
    required llm: "{ model: string; [field: string]: JSONValue }",
    /// The tools that Python needs as well, by the names under which the SDK registers them.
    optional tools: "Array<{ name: string; params: { [name: string]: JSONValue } }>",
    /// The MCP servers by name, without what is secret.
    optional mcp_config: "{ [field: string]: JSONValue }",
    optional filter_tools_regex: "string",
    /// The names of the classes of `finish` and `think`, as far as they are not among `tools`.
    optional include_default_tools: "string[]",
    /// Skills, and texts for prompts.
    optional agent_context: "{ [field: string]: JSONValue }",
    /// The text that replaces the SDK's prompt.
    optional system_prompt: "string",
    /// The SDK's template, which the text replaces.
    optional system_prompt_filename: "string",
    optional security_policy_filename: "string",
    optional system_prompt_kwargs: "{ [name: string]: JSONValue }",
    optional condenser: "{ kind: string; [field: string]: JSONValue }",
    optional critic: "{ kind: string; [field: string]: JSONValue }",
    /// How many calls of one answer Python runs at the same time.
    optional tool_concurrency_limit: "number",
    required kind: "string",
}
