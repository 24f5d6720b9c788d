// Generated from src/run/stored_errors.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { ErrorCode } from "../../../input/errors.js";

/** The codes of the failures that the SDK stores under names of its own. */
export const failures: ReadonlyMap<string, ErrorCode> = new Map([
  ["LLMAuthenticationError", "llm_auth"],
  ["LLMRateLimitError", "llm_rate_limit"],
  ["LLMContextWindowExceedError", "llm_context_window"],
  ["LLMMalformedConversationHistoryError", "llm_bad_request"],
  ["LLMContentPolicyViolationError", "llm_content_policy"],
  ["LLMBadRequestError", "llm_bad_request"],
  ["LLMServiceUnavailableError", "llm_unavailable"],
  ["LLMNoResponseError", "llm_unavailable"],
  ["LLMTimeoutError", "llm_timeout"],
  ["MaxBudgetReached", "limit_reached"],
  ["MaxIterationsReached", "limit_reached"],
  ["FinalAnswerInvalid", "limit_reached"],
]);
