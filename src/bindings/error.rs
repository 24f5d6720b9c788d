//! Errors for invalid arguments from JavaScript, and conversions of thrown JavaScript values to errors.

use crate::error::{Error, ErrorCode};
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// The error for an argument or option of another form than the TypeScript side sends.
pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidOptions, message)
}

/// The message of a value that JavaScript code threw or rejected with, which can be anything, even `undefined`.
pub fn message_of(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    let json = || js_sys::JSON::stringify(thrown).ok().and_then(|json| JsValue::from(json).as_string());
    message
        .or_else(|| thrown.as_string())
        .or_else(json)
        .unwrap_or_else(|| "a value without a message was thrown".to_owned())
}

/// Converts an error of the TypeScript side, which has one of the library's codes.
pub fn error_of(thrown: &JsValue) -> Error {
    let code = Reflect::get(thrown, &"code".into()).ok().and_then(|code| code.as_string());
    let code = ErrorCode::ALL.iter().find(|known| Some(known.as_str()) == code.as_deref());
    Error::new(code.copied().unwrap_or(ErrorCode::Internal), message_of(thrown))
}

/// Sets a property of an object that this module has made, which cannot fail.
pub fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}
