//! Events for listeners, hardly ever stored: token ids, completion logs, pieces of a stream.
//!
//! Mirrors `event/{token,llm_completion_log,streaming_delta}.py`.

use crate::event::body::event_body;

event_body! {
    /// The token ids of one request, as a vLLM server reports them.
    TokenEvent {
        /// The ids of the prompt.
        required prompt_token_ids: Vec<i64>,
        /// The ids of the response.
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
        /// The name of the model.
        defaulted model_name: String = "unknown",
        /// The name under which its usage is counted.
        defaulted usage_id: String = "default",
    }
}

event_body! {
    /// A piece of an answer that is still coming. The complete answer is stored as its own event.
    StreamingDeltaEvent {
        /// The next piece of the text.
        optional content: String,
        /// The next piece of the reasoning.
        optional reasoning_content: String,
    }
}
