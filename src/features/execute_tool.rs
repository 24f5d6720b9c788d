//! Calls a tool directly (`conversation/impl/local_conversation.py`, `execute_tool`): without the model, events,
//! confirmation or hooks.

use crate::{
    agent::{arguments::read_arguments, without_secrets},
    cancel::CancelToken,
    error::{Error, ErrorCode, Result, shown},
    event::Observation,
    handle::Conversation,
    llm::message::Content,
    tool::{ToolCall, record_of_output},
};
use std::{mem::take, rc::Rc};

impl Conversation {
    /// Runs a tool of the agent and returns its observation, which is an error if the tool throws. The tool sees
    /// `tool_call_id` as the id of its call.
    ///
    /// # Errors
    /// `not_found` for a tool that the agent does not have, `invalid_options` for arguments that it does not accept,
    /// `invalid_state` after `close`.
    pub async fn execute_tool(
        &self,
        name: &str,
        arguments: &str,
        tool_call_id: String,
    ) -> Result<Observation> {
        self.ensure_open()?;
        let tools = &self.0.agent.tools;
        let tool = tools.get(name).ok_or_else(|| {
            let text = format!("the agent has no tool {}; it has {}", shown(name), tools.names().join(", "));
            Error::new(ErrorCode::NotFound, text)
        })?;
        let refuse = |why: String| {
            Error::new(
                ErrorCode::InvalidOptions,
                format!("these arguments do not fit the tool {name}: {why}"),
            )
        };
        let arguments = read_arguments(arguments, tool.definition(), false).map_err(refuse)?;
        let arguments: Rc<str> = arguments.for_tool.text().into();
        tool.check(&arguments).map_err(refuse)?;
        let call = ToolCall {
            arguments: arguments.clone(),
            tool_call_id,
            conversation: self.id(),
            idempotency_key: self.0.log.new_id(),
            cancel: CancelToken::default(),
        };
        let _changes = self.file_changes(name).await;
        Ok(match without_secrets(tool.call(call).await, &self.0.log.mask) {
            Ok(mut output) => {
                let files = take(&mut output.files);
                if !files.is_empty() {
                    self.write_files(files).await?;
                }
                record_of_output(&*tool, &arguments, &output)
            }
            Err(failure) => {
                let text = format!("Error executing tool '{name}': {}", failure.0);
                Observation::mcp_tool(name, &[Content::text(text)], true)
            }
        })
    }
}
