/** The beginning of a text with at most so many code units, which ends with a whole character, as people see characters. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  let whole = 0;
  for (const { index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
    if (index > most) break;
    whole = index;
  }
  return text.slice(0, whole);
}
