import { compiled } from '../text/compile-patterns.ts';
import { stripEscapes, stripInvisible } from './invisible.ts';

/** Letters of the scripts in which a joiner belongs to the spelling of a word (Persian, the Indic family). */
const JOINING = '[\\u0590-\\u061b\\u061d-\\u115e\\u1161-\\u17b3\\u17b6-\\u180a\\u1810-\\u1cff]';
/** Joiners and selectors that belong to an emoji or a word. A reader would miss these, so they stay. */
const SPELLING = [
  '(?<=\\p{Extended_Pictographic}(?:\\ufe0f|[\\u{1f3fb}-\\u{1f3ff}])?)\\u200d(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})\\ufe0f',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  `(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`,
].join('|');
const NOT_ASCII = /[^\n\r\t -~]/;
const ORDINARY = /^[!-~](?:[ -~]*[!-~])?$/;
const OPENING =
  /[[［【〔](\s*(?:end\s*(?:of\s*)?(?:session\s*)?scratchpad|session\s*scratchpad)[^\]］】〕]*)[\]］】〕]/gi;

/** What would start a block of Markdown, front matter or HTML at the start of a line. */
const BLOCK_START =
  /^(?:#{2,}|#(?=\s|$)|-(?=\s|$|--)|[*+](?=\s|$)|\*{3}|\+{3}|_{3}|={2,}|`{3}|~{3}|>|\||<(?=[A-Za-z/!?])|\[(?=[^\]]*\]:))/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

function withoutHidden(text: string): string {
  if (!compiled(NOT_ASCII).test(text)) return text;
  const visible = stripEscapes(text)
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\uf8fe]/g, '');
  if (!/\u200c|\u200d|\ufe0f/.test(visible)) return stripInvisible(visible);
  // Joiners that belong to the spelling wait as private-use characters while the rest goes.
  const joiners: string[] = [];
  const parked = visible.replace(new RegExp(SPELLING, 'gu'), (mark) => {
    joiners.push(mark);
    return '\uf8fe';
  });
  let next = 0;
  return stripInvisible(parked).replace(/\uf8fe/g, () => joiners[next++] ?? '');
}

/** At most `limit` code points, the last one `…` when something was cut, never inside a visible character. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 1) return '';
  // Where the last of `limit` code points starts: what is there from then on fits only if it is one.
  let end = 0;
  for (let points = 1; points < limit && end < text.length; points++) end += pointLength(text, end);
  if (end + pointLength(text, end) >= text.length) return text;
  return `${text.slice(0, boundary(text, end)).trimEnd()}…`;
}

function pointLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** The last boundary between visible characters at or before `index`. */
function boundary(text: string, index: number): number {
  const simple = (at: number): boolean => at >= text.length || text.charCodeAt(at) < 0x300;
  if (index === 0 || (simple(index - 1) && simple(index))) return index;
  let start = index - 1;
  while (start > 0 && !simple(start)) start--;
  const near = text.slice(start, index + 2);
  // Intl costs about 10 ms in a fresh process, hence only here.
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(near);
  return start + (segments.containing(index - start)?.index ?? 0);
}

/**
 * Foreign text as one line that cannot forge structure inside the pad: no control characters, escapes, hidden
 * or reordering characters; white space folded; HTML comment delimiters, the markers of the injected block and
 * whatever would open a block at the start of a line are defused. Ordinary text comes out as it went in.
 * Idempotent.
 *
 * @param maxCodePoints longest result in code points, counting the `…` that replaces what was cut
 */
export function plainLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  let line = withoutHidden(text);
  if (!compiled(ORDINARY).test(line) || line.includes('  ')) {
    line = line.replace(/[\s\u0085]+/g, (run) => (run === '\u00a0' || run === '\u202f' ? run : ' ')).trim();
  }
  // Most lines have none of these, and compiling the patterns takes longer than all else here.
  if (line.includes('--')) line = line.replace(/<!--/g, '< !--').replace(/--!?>/g, '→');
  if (line.toLowerCase().includes('scratchpad')) line = line.replace(OPENING, '($1)');
  if (!/^[A-Za-z]/.test(line)) line = line.replace(NUMBERED, '$1\\$2').replace(BLOCK_START, '\\$&');
  return cut(line, maxCodePoints);
}
