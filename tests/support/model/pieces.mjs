// How a text streams.

/** The deltas of a text, of so many code points each; a list is one already. */
export function cut(text = "", length = 8) {
  if (Array.isArray(text)) return text;
  if (length === Infinity) return text === "" ? [] : [text];
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / length) }, (_, i) => points.slice(i * length, (i + 1) * length).join(""));
}
