import { converse } from "./converse.js";

onmessage = ({ data: model }) =>
  converse(`${model}/v1`).then(
    (answer) => postMessage({ answer }),
    (error) => postMessage({ error: `${error.name}: ${error.message}` }),
  );
