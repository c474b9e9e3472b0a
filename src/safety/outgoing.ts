import { shorten } from '../text/shorten.ts';
import { defuseTags } from './host-tags.ts';
import { redactSecrets } from './redact.ts';
import { visible } from './visible.ts';

/**
 * Special tokens of chat templates: `<
 * im_start
 * >`, `<start_of_turn>`, `<<SYS>>`, `[INST]`.
 */
const TOKENS = /<(?=[|｜][\w▁.-]{1,60}[|｜]>|\/?(?:start|end)_of_\w{1,20}>|[be]os>|<\/?SYS>>)/gi;
const BRACKETED =
  /(?<!\\)\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])/g;
/** The first and last line of our own injected block, in any brackets, which become parentheses. */
const MARKER =
  /(?:[[［【〔「『〖〘〚⟦❲]\s{0,20}){1,20}((?:end\s{0,20}(?:of\s{0,20})?(?:session\s{0,20})?scratchpad|session\s{0,20}scratchpad)[^[［【〔「『〖〘〚⟦❲\]］】〕\n]{0,100})[\]］】〕]?/gi;
/** A change of speaker in a plain-text conversation: after a blank line or at the start. */
const TURN =
  /(?=(?:Human|Assistant|System)(?:\*\*|__)?:(?:\s|\*|_|$))(?<=(?:^|\n[ \t\r]*\n)[ \t]{0,40}(?:\*\*|__)?)/g;
const MAY_HOLD = /[<[［【〔「『〖〘〚⟦❲]|Human|Assistant|System/;
/** Compatibility forms that read as plain letters and brackets: full-width, small and mathematical ones. */
const COMPATIBLE =
  /[\u2045\u2100-\u214f\u2768-\u2775\u2f00-\u2fdf\ufb00-\ufb06\ufe10-\ufe6f\uff00-\uff5e]|[\ud835\ud83c]/;

function defusePlain(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  return defuseTags(text)
    .replace(TOKENS, '&lt;')
    .replace(BRACKETED, '\\[')
    .replace(MARKER, (_, words: string) => `(${words})`)
    .replace(TURN, '\\');
}

/**
 * Makes text of the person or the agent (plan, notes, refs, entries) safe for a model: whatever a model or a
 * host could take for its own structure becomes harmless, and invisible characters are removed; secrets stay.
 * Ordinary text, code and HTML are unchanged. Idempotent, linear in the length of the text.
 */
export function defuse(text: string): string {
  const seen = visible(text).replace(/\r(?!\n)|[\v\f\u0085\u2028\u2029]/g, '\n');
  const safe = defusePlain(seen);
  if (!COMPATIBLE.test(safe)) return safe;
  return safe
    .split('\n')
    .map((line) => {
      if (!COMPATIBLE.test(line)) return line;
      const read = line.normalize('NFKC').replace(/\n/g, ' ');
      const defused = defusePlain(read);
      return defused === read ? line : defused;
    })
    .join('\n');
}

/**
 * Makes foreign text of several lines (transcripts, memory files, command output) safe for a model or a
 * person: redacted, then defused as by `defuse`, including HTML comments. The number of lines stays the same.
 */
export function safeText(text: string): string {
  return withoutComments(defuse(redactSecrets(text)));
}

/** Applies a function to every string in a JSON value, except to keys. */
export function withTexts<Value>(value: Value, change: (text: string) => string): Value {
  const changed = (part: unknown): unknown => {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return part.map(changed);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, changed(inner)]));
  };
  return changed(value) as Value;
}

const withoutComments = (text: string): string =>
  text.includes('--') ? text.replace(/<!--/g, '< !--').replace(/--!?>/g, '→') : text;

/** What would start a block of Markdown, front matter or HTML at the start of a line. */
const BLOCK_START =
  /^(?:#{2,}|#(?=\s|$)|-(?=\s|$|--)|[*+](?=\s|$)|\*{3}|\+{3}|_{3}|={2,}|`{3}|~{3}|>|\||<(?=[A-Za-z/!?])|\[(?=[^\]]*\]:))/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/**
 * Makes foreign text safe as one line of the state block or of a list: redacted, white space collapsed,
 * defused as by `defuse`, including HTML comments and anything that would open a block at the start of a
 * line. Ordinary text is unchanged. Idempotent.
 * @param maxCodePoints longest result in code points, including the `…` that replaces what was cut
 */
export function safeLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  return plainLine(redactSecrets(beginning(text, maxCodePoints)), maxCodePoints);
}

/** Allowance for blanks, markup and secrets that are removed before a line is cut. */
const READ_AHEAD = 4000;

/** As much of a text as a line of that length can need, up to a whole word. */
function beginning(text: string, maxCodePoints: number): string {
  const most = READ_AHEAD + 8 * maxCodePoints;
  if (text.length <= most) return text;
  const read = text.slice(0, most);
  const lastBlank = read.search(/\s\S*$/);
  return `${lastBlank > most - READ_AHEAD / 2 ? read.slice(0, lastBlank) : read.toWellFormed()}…`;
}

/** Like `safeLine`, for text that is already redacted, as by `redactPassage`. */
export function plainLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  // Collapsed again: the plain form of a disguised line may contain blanks.
  const safe = folded(defuse(folded(visible(beginning(text, maxCodePoints)))));
  const line = withoutComments(safe).replace(NUMBERED, '$1\\$2').replace(BLOCK_START, '\\$&');
  return shorten(line, maxCodePoints);
}

/** White space collapsed to single blanks and trimmed; a single no-break space is part of the spelling. */
function folded(text: string): string {
  return text.replace(/[\s\u0085]+/g, (run) => (run === '\u00a0' || run === '\u202f' ? run : ' ')).trim();
}
