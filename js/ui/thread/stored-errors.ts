// Generated from src/run/stored_errors.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { ErrorCode } from "threadkeep";

/** The name of a stored failure, its code, and how its text begins where others have the same name. The first that fits counts. */
export const storedErrors: ReadonlyArray<readonly [name: string, code: ErrorCode, begin?: string]> = [
  ["LLMAuthenticationError", "key_locked", "the stored key of this model is encrypted and cannot be read"],
  ["APIError", "llm_auth", "the account at the provider has no credit or quota left"],
  ["LLMRateLimitError", "llm_auth", "the account at the provider has no credit or quota left"],
  ["LLMServiceUnavailableError", "network", "the connection to the provider failed"],
  ["LLMServiceUnavailableError", "cors", "the server answers, but does not allow requests from web pages (CORS)"],
  ["LLMServiceUnavailableError", "offline", "the browser is offline"],
  ["LLMServiceUnavailableError", "wasm_blocked", "the page or the browser forbids WebAssembly"],
  ["LLMBadRequestError", "invalid_options", "the model's options are invalid"],
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
];
