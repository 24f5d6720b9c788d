//! The field of `base_state.json` in which an import notes what the host has not decided yet, and when the conversation was
//! last at work. An import writes it, the conversation removes from it what the host decides, and an export leaves it out.

/// The name of the field. Its value is an object with the fields below; each of them is absent once it is decided.
pub const IMPORT: &str = "threadkeep_import";

/// Nobody has opened the conversation since the import.
pub const NEW: &str = "new";

/// An object: the `confirmation_policy`, `security_analyzer` and `allowed_tools` that the host had decided about before
/// the import continued the conversation.
pub const BEFORE: &str = "before";

/// No run has begun since the import, so that nobody here has approved the calls without a result.
pub const CALLS: &str = "calls";

/// Of the imported policy and analyzer and those that the host gives, the stricter apply.
pub const SETTINGS: &str = "settings";

/// The stored secrets may not be fetched.
pub const SECRETS: &str = "secrets";

/// An object: [`AT`] and [`TIMESTAMP`]. A list shows the time of the last event until something is written after the import.
pub const LAST_EVENT: &str = "last_event";

/// The time of the import's commits, in milliseconds since the Unix epoch.
pub const AT: &str = "at";

/// The last event's `timestamp`.
pub const TIMESTAMP: &str = "timestamp";
