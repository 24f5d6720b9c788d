//! How the SDK writes secrets: masked, or encrypted as a Fernet token.

use std::borrow::Cow;

/// The SDK writes this in place of a secret, and reads it as "no value".
pub const MASK: &str = "**********";

/// Whether a stored value is a Fernet token, which only the owner of the passphrase can read.
pub fn is_token(value: &str) -> bool {
    value.starts_with("gAAAAA")
}

/// The JSON with each encrypted secret masked. A token of `Cipher` begins with its version and a time of this century.
pub fn without_ciphers(json: &str) -> Cow<'_, str> {
    const TOKEN: &str = "\"gAAAA";
    if !json.contains(TOKEN) {
        return json.into();
    }
    let mut pieces = json.split(TOKEN);
    let mut masked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        masked.push_str("\"**********");
        // A token is of letters that no escape is made of, so the next quotation mark is its end.
        masked.push_str(piece.find('"').and_then(|end| piece.get(end..)).unwrap_or_default());
    }
    masked.into()
}
