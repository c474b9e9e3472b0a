import { asSeen } from './invisible.ts';

/** A line that a model would take for the start or the end of the injected block. */
const MARKER =
  /^[\s>*_#`~-]*\[+\s*(?:end\s*(?:of\s*)?(?:session\s*)?scratchpad|session\s*scratchpad).*\][\s>*_#`~-]*$/is;
const BRACKET = /[[［【〔「『〖〘〚⟦❲]/g;
const OPENS_MARKER = /^\[+\s*(?:end|session)/i;
/** What is a bracket, or becomes one when it is read as its plain form: most lines have none and need no closer look. */
const MAY_OPEN = /[[\u2045\u2768-\u2775\u27e6-\u27ef\u3008-\u301b\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uffef]/;
/** Everything that some reader takes for the end of a line. */
const LINE = /([^\n\r\v\f\u0085\u2028\u2029]*)([\n\r\v\f\u0085\u2028\u2029]|$)/g;
/** Longer lines are prose, whatever they hold. */
const LONGEST_MARKER = 400;

/** The text as a terminal would show it, and as a model reads it that takes an escape character for nothing. */
function readings(text: string): string[] {
  return [text, text.replace(/\u001b|\u009b/g, '')].map((reading) =>
    asSeen(reading)
      .replace(BRACKET, '[')
      .replace(/[】〕」』〗〙〛⟧❳]/g, ']')
      .replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g, ''),
  );
}

function readsAsMarker(line: string): boolean {
  if (line.length < 12 || line.length > LONGEST_MARKER || !MAY_OPEN.test(line)) return false;
  return readings(line).some((reading) => MARKER.test(reading));
}

function defused(line: string): string {
  for (const { index } of line.matchAll(BRACKET)) {
    if (!readings(line.slice(index)).some((reading) => OPENS_MARKER.test(reading))) continue;
    // After an escape character a backslash belongs to the escape sequence: then it takes a second one.
    for (const guard of ['\\', '\\\\']) {
      const safe = line.slice(0, index) + guard + line.slice(index);
      if (!readsAsMarker(safe)) return safe;
    }
  }
  return `\\ ${line}`;
}

/**
 * Owned text of several lines, made safe to stand between the lines
 * `[Session Scratchpad - your persistent working memory]` and `[End Scratchpad]`: a line that would read as
 * one of these two gets a backslash in front of its bracket. Every other byte is unchanged, and nothing is
 * changed the second time.
 */
export function defuseInjection(text: string): string {
  if (!MAY_OPEN.test(text) || !/scratchpad|[^\n\r\t -~]/i.test(text)) return text;
  return text.replace(LINE, (whole, line: string, end: string) =>
    readsAsMarker(line) ? defused(line) + end : whole,
  );
}

/**
 * `<system-reminder>`, `<hook_context>` and their like are how hosts mark what is not the human's: an opening or
 * closing tag of a name of several words is written so that it is none.
 */
export function defuseElements(text: string): string {
  return text.includes('<') ? text.replace(/<(?=\/?[a-z]+[-_][a-z_-]*[\s/>])/gi, '&lt;') : text;
}
