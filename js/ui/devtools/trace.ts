// Spans of OpenTelemetry for a conversation, named as its conventions for generative AI say:
// https://opentelemetry.io/docs/specs/semconv/gen-ai/
import type * as OpenTelemetry from "@opentelemetry/api";
import {
  type ActionEvent,
  type Conversation,
  type ConversationEvent,
  type ExecutionStatus,
  type LiveEvent,
  observeRequests,
} from "threadkeep";
import { checked, ensureConversation, objectOf } from "../thread/given.js";

export interface TraceOptions {
  /** Whether spans contain messages, arguments and results. Default: false, because they may be private. */
  capturesContent?: boolean | undefined;
}

/** Values of `SpanKind` and `SpanStatusCode`, which are part of OpenTelemetry's stable interface. */
const internal = 0;
const client = 2;
const failed = 2;

/** A request whose answer is complete, and whose event has not come yet. */
interface Answered {
  span: OpenTelemetry.Span;
  endedAt: number;
}

/**
 * Makes spans for everything that a conversation does from now on: `invoke_agent` for each run, and in it `chat` for each
 * request and `execute_tool` for each call. `api` is the module `@opentelemetry/api` of the page. Returns a function that
 * ends it.
 * @throws ThreadkeepError `invalid_options`
 */
export function traceConversation(conversation: Conversation, api: typeof OpenTelemetry, options: TraceOptions = {}): () => void {
  const { capturesContent = false } = objectOf("traceConversation()", "options", options);
  ensureConversation("traceConversation()", conversation);
  const tracer = checked(
    "traceConversation() takes the module @opentelemetry/api",
    () => typeof api.trace.setSpan === "function" && typeof api.context.active === "function" && api.trace.getTracer("threadkeep"),
  );
  const common = { "gen_ai.conversation.id": conversation.id };
  let run: OpenTelemetry.Span | undefined;
  const chats = new Set<OpenTelemetry.Span>();
  const answered: Answered[] = [];
  const tools = new Map<string, OpenTelemetry.Span>();
  /** Calls that wait for the user: their time has not begun. */
  const waiting = new Map<string, ActionEvent>();

  const begin = (name: string, kind: number, attributes: Record<string, string | undefined>) => {
    const context = run ? api.trace.setSpan(api.context.active(), run) : api.context.active();
    return tracer.startSpan(name, { kind, attributes: { ...common, ...attributes } as OpenTelemetry.Attributes }, context);
  };
  const fail = (span: OpenTelemetry.Span, type: string, message?: string) => {
    span.setAttribute("error.type", type);
    span.setStatus({ code: failed, ...(message !== undefined && capturesContent && { message }) });
  };

  const stopObserving = observeRequests(({ conversationId, url, body }) => {
    if (conversationId !== conversation.id) return undefined;
    const model = modelOf(body);
    const span = begin(`chat ${model ?? ""}`.trim(), client, {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": model,
      "server.address": hostOf(url),
      ...(capturesContent && { "gen_ai.input.messages": body }),
    });
    chats.add(span);
    let status = 0;
    return {
      onResponse: (code) => void (status = code),
      onEnd() {
        if (!chats.delete(span)) return;
        if (status >= 200 && status < 400) return void answered.push({ span, endedAt: Date.now() });
        fail(span, status === 0 ? "network" : String(status));
        span.end();
      },
    };
  });

  /** The event of an answer has come: its usage is known now. */
  const settle = (responseId: string) => {
    const next = answered.shift();
    if (!next) return;
    const usage = Object.values(conversation.stats.usage_to_metrics)
      .flatMap(({ token_usages }) => token_usages)
      .find(({ response_id }) => response_id === responseId);
    next.span.setAttribute("gen_ai.response.id", responseId);
    if (usage) {
      next.span.setAttribute("gen_ai.usage.input_tokens", usage.prompt_tokens);
      next.span.setAttribute("gen_ai.usage.output_tokens", usage.completion_tokens);
    }
    next.span.end(next.endedAt);
  };
  const settled = new Set<string>();

  const beginTool = (action: ActionEvent) => {
    const span = begin(`execute_tool ${action.tool_name}`, internal, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": action.tool_name,
      "gen_ai.tool.call.id": action.tool_call_id,
      ...(capturesContent && { "gen_ai.tool.call.arguments": action.tool_call.arguments }),
    });
    tools.set(action.tool_call_id, span);
  };
  const endTool = (callId: string, error?: [type: string, message: string]) => {
    const span = tools.get(callId);
    tools.delete(callId);
    if (error) span && fail(span, ...error);
    span?.end();
  };

  const status = (value: ExecutionStatus) => {
    if (value === "running") {
      run ??= begin("invoke_agent", internal, { "gen_ai.operation.name": "invoke_agent" });
      return;
    }
    for (const { span, endedAt } of answered.splice(0)) span.end(endedAt);
    if (run && (value === "error" || value === "stuck")) fail(run, value);
    run?.end();
    run = undefined;
  };

  const unsubscribe = conversation.subscribe((event: ConversationEvent | LiveEvent) => {
    if ("llm_response_id" in event && typeof event.llm_response_id === "string" && !settled.has(event.llm_response_id)) {
      settled.add(event.llm_response_id);
      settle(event.llm_response_id);
    }
    switch (event.kind) {
      case "ConversationStateUpdateEvent":
        if (event.key === "execution_status") status(event.value as ExecutionStatus);
        break;
      case "ActionEvent":
        waiting.set(event.id, event);
        break;
      case "PendingActionsEvent":
        for (const [id, action] of waiting) {
          if (event.waiting_ids.includes(id)) continue;
          waiting.delete(id);
          if (event.action_ids.includes(id)) beginTool(action);
        }
        break;
      case "ObservationEvent":
        endTool(event.tool_call_id, event.observation.is_error ? ["tool_error", ""] : undefined);
        break;
      case "AgentErrorEvent":
        endTool(event.tool_call_id, ["tool_error", event.error]);
        break;
      case "UserRejectObservation":
        endTool(event.tool_call_id, ["rejected", event.rejection_reason]);
        break;
    }
  });

  return () => {
    stopObserving();
    unsubscribe();
    for (const span of [...chats, ...answered.map(({ span }) => span), ...tools.values()]) span.end();
    run?.end();
  };
}

function modelOf(body: string): string | undefined {
  try {
    const { model } = JSON.parse(body);
    return typeof model === "string" ? model : undefined;
  } catch {
    return undefined;
  }
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url, globalThis.location?.href).hostname;
  } catch {
    return undefined;
  }
}
