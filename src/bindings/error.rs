//! What goes wrong with what JavaScript gives, and what it throws.

use crate::error::{Error, ErrorCode};
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// An argument or option that is not of the form that the TypeScript side sends.
pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidOptions, message)
}

/// What JavaScript code threw or rejected with, in its own words. Anything can be thrown, also nothing.
pub fn message_of(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    let json = || js_sys::JSON::stringify(thrown).ok().and_then(|json| JsValue::from(json).as_string());
    message
        .or_else(|| thrown.as_string())
        .or_else(json)
        .unwrap_or_else(|| "something was thrown that says nothing about itself".to_owned())
}

/// An error of the TypeScript side, which has a code of ours.
pub fn error_of(thrown: &JsValue) -> Error {
    let code = Reflect::get(thrown, &"code".into()).ok().and_then(|code| code.as_string());
    let code = ErrorCode::ALL.iter().find(|known| Some(known.as_str()) == code.as_deref());
    Error::new(code.copied().unwrap_or(ErrorCode::Internal), message_of(thrown))
}

/// Sets a property of an object that is our own, which cannot fail.
pub fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
