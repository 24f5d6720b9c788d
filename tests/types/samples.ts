// Generated from tests/generated/samples.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { ErrorClassification, LLMMessage, Metrics } from "threadkeep";

/** With every field, also those that may be absent. */
type Complete<T> = T extends Array<infer Each> ? Complete<Each>[] : T extends object ? { [Name in keyof T]-?: Complete<T[Name]> } : T;

export const message: Complete<LLMMessage> = {"role":"assistant","content":[{"cache_prompt":true,"type":"text","text":"x"},{"cache_prompt":true,"type":"image","image_urls":["x"]}],"tool_calls":[{"id":"x","responses_item_id":"x","name":"x","arguments":"x","origin":"responses"}],"tool_call_id":"x","name":"x","reasoning_content":"x","thinking_blocks":[{"type":"thinking","thinking":"x","signature":"x"},{"type":"redacted_thinking","data":"x"}],"responses_reasoning_item":{"id":"x","summary":["x"],"content":["x"],"encrypted_content":"x","status":"x"}};

export const classification: Complete<ErrorClassification> = {"kind":"auth","retryable":false,"user_action":"settings","error_id":"x"};

export const metrics: Metrics = {"model_name":"m","accumulated_cost":0.0,"accumulated_token_usage":{"model":"m","prompt_tokens":0,"completion_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"context_window":0,"per_turn_token":0,"response_id":""},"costs":[],"response_latencies":[],"token_usages":[]};
