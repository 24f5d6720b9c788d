//! How the SDK writes secrets: masked, or encrypted as a Fernet token.

/// The SDK writes this in place of a secret, and reads it as "no value".
pub const MASK: &str = "**********";

/// Whether a stored value is a Fernet token, which only the owner of the passphrase can read.
pub fn is_token(value: &str) -> bool {
    value.starts_with("gAAAAA")
}
