//! What a wasm exports that has nothing but a wire API.

#[cfg(feature = "anthropic")]
use crate::llm::anthropic::AnthropicMessages as Spoken;
use crate::llm::elsewhere::FarEnd;
#[cfg(feature = "responses")]
use crate::llm::responses::Responses as Spoken;
#[cfg(feature = "text_tools")]
use crate::llm::text_tools::TextTools as Spoken;
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

/// One request and what reads its answer: see `llm/elsewhere.rs`.
#[wasm_bindgen]
pub struct Exchange(RefCell<FarEnd>);

#[wasm_bindgen]
impl Exchange {
    /// Reads what is asked of the model, in JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(asked: &str) -> Self {
        Self(RefCell::new(FarEnd::begin(&Spoken, asked)))
    }

    /// Answers a question; an event's name and data go with `push`.
    pub fn answer(&self, question: &str, event: &str, data: &str) -> String {
        self.0.borrow_mut().answer(question, event, data)
    }
}
