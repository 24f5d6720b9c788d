// The page of the worker. It needs a model at `/v1`, such as a relay: see docs/models.md.
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.addEventListener("message", ({ data }) => {
  if (data.kind === "StreamingDeltaEvent") document.body.append(data.content ?? "");
  if (data.kind === "done") location.hash = data.id;
  if (data.kind === "failed") document.body.append(data.text);
});
worker.postMessage({ conversationId: location.hash.slice(1) || undefined, text: "Hello", baseUrl: `${location.origin}/v1` });
