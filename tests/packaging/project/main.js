import { converse } from "./converse.js";

const model = new URLSearchParams(location.search).get("model");
converse(`${model}/v1`).then(
  (answer) => (globalThis.outcome = { answer }),
  (error) => (globalThis.outcome = { error: `${error.name}: ${error.message}` }),
);
