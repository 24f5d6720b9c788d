//! What goes wrong with what JavaScript gives, and what it throws.

use crate::error::{Error, ErrorCode};
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// An argument or option that is not of the form that the TypeScript side sends.
pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidOptions, message)
}

/// What JavaScript code threw or rejected with, in its own words.
pub fn words_of(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    message
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| String::from(js_sys::JsString::from(thrown.clone())))
}

/// Sets a property of an object that is our own, which cannot fail.
pub fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
