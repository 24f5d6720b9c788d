// `threadkeep/devtools`: what conversations do, for developers.
export {
  inspect,
  type InspectedEvent,
  type InspectedRequest,
  type InspectedStatus,
  type InspectOptions,
  type Inspector,
  type InspectorSnapshot,
} from "./inspector.js";
export { traceConversation, type TraceOptions } from "./trace.js";
export { ThreadkeepInspector } from "./element.js";
