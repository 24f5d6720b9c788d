// The moment of the next notification.

/** Longest time without a frame: a tab that has just been hidden gets none. */
const patience = 100;

/** Calls once, with the next frame; where nothing is drawn, after the time that a frame takes. Returns a function that cancels it. */
export function nextFrame(call: () => void): () => void {
  const { document, requestAnimationFrame, cancelAnimationFrame } = globalThis as Partial<
    Pick<typeof globalThis, "document" | "requestAnimationFrame" | "cancelAnimationFrame">
  >;
  let frame: number | undefined;
  const cancel = () => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame?.(frame);
  };
  const once = () => {
    cancel();
    call();
  };
  const draws = document?.visibilityState === "visible" && requestAnimationFrame !== undefined;
  const timer = setTimeout(once, draws ? patience : 16);
  if (draws) frame = requestAnimationFrame(once);
  return cancel;
}
