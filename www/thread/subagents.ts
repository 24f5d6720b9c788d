// The events of sub-agents: those that were seen since the conversation was opened, or those that are stored.

import { type Conversation, indexedDBStore, type SubagentEvent } from "threadkeep";
import { asStored, type StoredEvent } from "./event-shapes.ts";

/** Of one sub-agent. */
const MOST_EVENTS = 500;

interface TaskRecord {
  conversation: string;
  action: string;
}

export class Subagents {
  #conversation: () => Conversation;
  /** By the id of the task. */
  #live = new Map<string, StoredEvent[]>();

  constructor(conversation: () => Conversation) {
    this.#conversation = conversation;
  }

  take({ path, event }: SubagentEvent): void {
    const [taskId, ...deeper] = path;
    if (taskId === undefined || deeper.length > 0 || !("id" in event)) return;
    const stored = asStored(event);
    const events = this.#live.get(taskId) ?? [];
    if (!events.some(({ id }) => id === stored.id)) this.#live.set(taskId, [...events, stored]);
  }

  /** The id of the task that this call has started or resumed. */
  taskOf({ id, action }: StoredEvent): string | undefined {
    const resumed = action?.["resume"];
    return typeof resumed === "string" ? resumed : Object.entries(this.#records()).find(([, record]) => record.action === id)?.[0];
  }

  /** The number of its events that were seen; it changes when there is more to draw. */
  seen(taskId: string): number {
    return this.#live.get(taskId)?.length ?? 0;
  }

  /** All stored events of a sub-agent; while its conversation is open for its work, those that were seen. */
  async events(taskId: string, isRunning: boolean): Promise<StoredEvent[]> {
    const live = this.#live.get(taskId) ?? [];
    const record = this.#records()[taskId];
    if (isRunning || record === undefined) return live.map(fromAgent);
    // Opening the conversation would make it the one that this page writes.
    const store = indexedDBStore();
    const { length = 0 } = (await store.load(record.conversation)) ?? {};
    const stored = await store.events(record.conversation, Math.max(0, length - MOST_EVENTS), length);
    return stored.map(({ json }) => fromAgent(JSON.parse(json) as StoredEvent));
  }

  #records(): Record<string, TaskRecord> {
    return (this.#conversation().state.agent_state?.["subagent_tasks"] ?? {}) as unknown as Record<string, TaskRecord>;
  }
}

/** Its prompts come from the agent, and name the call that has sent them. */
const fromAgent = (event: StoredEvent): StoredEvent => (event.kind === "MessageEvent" && event.sender !== undefined ? { ...event, sender: "Agent" } : event);
