// A text file in a message: as a part of its own that names the file, so that models and views can tell it from what the
// user wrote.

export interface AttachedText {
  name: string;
  text: string;
}

const form = /^<file name="([^"\n]*)">\n([^]*)\n<\/file>$/;

/** The text of the part of a message that has this file. */
export const textOfAttached = ({ name, text }: AttachedText): string => `<file name="${name.replace(/["\n]/g, "'")}">\n${text}\n</file>`;

/** The file that this part of a message has; `null` if the part is text that somebody wrote. */
export function attachedTextOf(part: string): AttachedText | null {
  const [, name, text] = form.exec(part) ?? [];
  return name === undefined || text === undefined ? null : { name, text };
}
