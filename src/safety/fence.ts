import { asSeen } from './invisible.ts';

/** A line that a model would take for the start or the end of the injected block. */
const MARKER =
  /^[\s>*_#`~-]*\[\s*(?:end\s*(?:of\s*)?(?:session\s*)?scratchpad|session\s*scratchpad).*\][\s>*_#`~-]*$/is;
/** Where the backslash goes: before the first character that shows. */
const BLANKS = /^[\s\u0000-\u001f\u007f-\u009f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*/;
/** Everything that some reader takes for the end of a line. */
const LINE = /([^\n\r\v\f\u0085\u2028\u2029]*)([\n\r\v\f\u0085\u2028\u2029]|$)/g;
/** Longer lines are prose, whatever they hold. */
const LONGEST_MARKER = 400;

function readsAsMarker(line: string): boolean {
  if (line.length < 12 || line.length > LONGEST_MARKER) return false;
  const seen = asSeen(line)
    .replace(/[【〔「『〖〘〚⟦❲]/g, '[')
    .replace(/[】〕」』〗〙〛⟧❳]/g, ']')
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g, '');
  return MARKER.test(seen);
}

/**
 * Owned text of several lines, made safe to stand between the lines
 * `[Session Scratchpad - your persistent working memory]` and `[End Scratchpad]`: a line that would read as
 * one of these two gets a backslash in front of its first visible character. Every other byte is unchanged.
 */
export function defuseInjection(text: string): string {
  if (!/scratchpad|[^\n\r\t -~]/i.test(text)) return text;
  return text.replace(LINE, (whole, line: string, end: string) => {
    if (!readsAsMarker(line)) return whole;
    const blanks = BLANKS.exec(line)?.[0] ?? '';
    return `${blanks}\\${line.slice(blanks.length)}${end}`;
  });
}
