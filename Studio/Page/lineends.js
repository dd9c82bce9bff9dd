// Line ends of texts: an element in which a text is edited has only \n.

/** The line end of a text, which it has everywhere; null where it has several kinds. */
export function lineEnd(text) {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? []);
  return ends.size > 1 ? null : [...ends][0] ?? '\n';
}

/** Whether a text has several lines. */
export const hasLines = (text) => /[\r\n]/.test(text);
