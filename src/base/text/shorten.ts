/** Number of Unicode code points, which is what every limit counts. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if (pointLength(text, index) === 2) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/**
 * The longest prefix of a text with at most `limit` code points that does not cut an emoji or accented
 * letter.
 */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = indexAfter(text, limit);
  // A single character with thousands of combining marks: better its beginning than nothing.
  return end >= text.length ? text : text.slice(0, boundary(text, end) || end);
}

/** At most `limit` code points, the last one `…` when something was cut, never inside a visible character. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit || indexAfter(text, limit) >= text.length) return text;
  return limit < 1 ? '' : `${truncate(text, limit - 1).trimEnd()}…`;
}

/** Where in a text so many code points end. */
function indexAfter(text: string, points: number): number {
  let index = 0;
  for (let count = 0; count < points && index < text.length; count++) index += pointLength(text, index);
  return index;
}

function pointLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** Made when it is needed: it takes about 10 ms. */
let graphemes: Intl.Segmenter | undefined;

/** The last boundary between visible characters at or before `index`. */
function boundary(text: string, index: number): number {
  const simple = (at: number): boolean => at >= text.length || text.charCodeAt(at) < 0x300;
  if (text.startsWith('\r\n', index - 1)) return Math.max(0, index - 1);
  if (index === 0 || (simple(index - 1) && simple(index))) return index;
  let start = index - 1;
  while (start > 0 && !simple(start)) start--;
  const near = text.slice(start, index + 2);
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const segments = graphemes.segment(near);
  return start + (segments.containing(index - start)?.index ?? 0);
}
