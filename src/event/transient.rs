//! What is sent to those who listen and hardly ever stored: token ids, completion logs, pieces of a stream.
//!
//! Mirrors `event/{token,llm_completion_log,streaming_delta}.py`.

use crate::event::body::event_body;

event_body! {
    /// Token ids as a vLLM server counts them.
    TokenEvent {
        /// Of the prompt.
        required prompt_token_ids: Vec<i64>,
        /// Of the response.
        required response_token_ids: Vec<i64>,
    }
}

event_body! {
    /// The log of one completion.
    LLMCompletionLogEvent {
        /// The file's name.
        required filename: String,
        /// The file's text.
        required log_data: String,
        /// The model.
        defaulted model_name: String = "unknown",
        /// What the model was used for.
        defaulted usage_id: String = "default",
    }
}

event_body! {
    /// A piece of a response.
    StreamingDeltaEvent {
        /// Text.
        optional content: String,
        /// Reasoning.
        optional reasoning_content: String,
    }
}
