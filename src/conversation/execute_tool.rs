//! Calling a tool without the model (`conversation/impl/local_conversation.py`, `execute_tool`): no events, no
//! confirmation, no hooks. Whoever calls it has decided.

use super::Conversation;
use crate::{
    agent::{arguments::read_arguments, without_secrets},
    cancel::CancelToken,
    error::{Error, ErrorCode, Result, shown},
    event::Observation,
    llm::message::Content,
    tool::{ToolCall, record_of_output},
};

impl Conversation {
    /// Runs a tool of the agent and returns what it gave; a tool that throws gives an observation that is an error.
    /// `tool_call_id` is what the tool sees as the id of its call.
    ///
    /// # Errors
    /// `not_found` for a tool that is not here, `invalid_options` for arguments that it does not accept,
    /// `invalid_state` after `close`.
    pub async fn execute_tool(
        &self,
        name: &str,
        arguments: &str,
        tool_call_id: String,
    ) -> Result<Observation> {
        self.still_open()?;
        let tools = &self.0.agent.tools;
        let tool = tools.get(name).ok_or_else(|| {
            let text =
                format!("there is no tool {}; this agent has {}", shown(name), tools.names().join(", "));
            Error::new(ErrorCode::NotFound, text)
        })?;
        let refuse = |why: String| {
            Error::new(ErrorCode::InvalidOptions, format!("these are no arguments of tool {name}: {why}"))
        };
        let arguments = read_arguments(arguments, tool.definition(), false).map_err(refuse)?;
        let arguments = arguments.for_tool.text();
        tool.check(&arguments).map_err(refuse)?;
        let call = ToolCall {
            arguments: arguments.into(),
            tool_call_id,
            conversation: self.id(),
            idempotency_key: self.0.log.new_id(),
            cancel: CancelToken::default(),
        };
        Ok(match without_secrets(tool.call(call).await, &self.0.log.mask) {
            Ok(output) => record_of_output(tool.definition().kind, name, &output),
            Err(failure) => {
                let text = format!("Error executing tool '{name}': {}", failure.0);
                Observation::mcp_tool(name, &[Content::text(text)], true)
            }
        })
    }
}
