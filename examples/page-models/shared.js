// What the examples for models in the page share.
export const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("\n"));

/** Chunks as a server would stream them. */
export function answer(chunks) {
  const encoder = new TextEncoder();
  const stream = new ReadableStream({
    async start(controller) {
      try {
        for await (const chunk of chunks()) controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
        controller.enqueue(encoder.encode("data: [DONE]\n\n"));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}
