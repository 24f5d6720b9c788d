//! Errors on their way to JavaScript: plain objects, of which the TypeScript side makes its error class.

use crate::error::{Error, ErrorCode};
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// `{code, message, status?}`.
pub fn to_js(error: &Error) -> JsValue {
    let object = Object::new();
    set(&object, "code", &error.code().as_str().into());
    set(&object, "message", &error.message().into());
    if let Some(status) = error.status() {
        set(&object, "status", &status.into());
    }
    object.into()
}

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
