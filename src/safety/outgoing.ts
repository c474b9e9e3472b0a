import { shorten } from '../text/shorten.ts';
import { redactSecrets } from './redact.ts';
import { visible } from './visible.ts';

/** Names by which hosts and prompt formats mark who speaks. As an element of its own each of them is defused. */
const SPEAKERS = 'system|assistant|human|developer|reminder|instructions|thinking|invoke|function_calls';
/** Names with everyday uses as a placeholder (`ssh <user>@host`): only their closing tag, or alone on a line. */
const EVERYDAY = 'user|tool|function|command|context|parameter|channel|skill|think|transcript|result|output';
/** Names of several words with a hyphen that hosts use; any other is somebody's custom element. */
const HYPHENATED = [
  'system-[a-z-]{1,60}',
  '(?:[a-z]{1,20}-){1,3}(?:reminder|hook)',
  'hook-[a-z-]{1,60}',
  'user-(?:prompt|query|message|instruction|input)[a-z-]{0,60}',
  'command-(?:name|message|args|contents)',
  'local-command-[a-z]{1,20}',
  'bash-(?:input|stdout|stderr)',
  '(?:tool|function)-(?:use|call|result|response|output|error)[a-z-]{0,20}',
  '(?:assistant|human|developer|agent|teammate|session|task|relevant)-(?:message|turn|response|notification|memor(?:y|ies)|start|end)',
  'new-diagnostics|persisted-output|permissions instructions|scratchpad[a-z:-]{0,40}|antml:[a-z_-]{1,60}',
].join('|');
/** With an underscore a name is no HTML: one of these words in it is enough. */
const SNAKE_WORD =
  'system|assistant|human|user|developer|reminder|hook|command|prompt|tool|function|instructions?|antml|bash|thinking|reasoning|' +
  'notification|diagnostics|environment|context|persisted|scratchpad|agent|subagent|permissions|sandbox|ide|turn|transcript|' +
  'mode|skills?|memory|memories|invoke|claude|codex|gemini';
const SNAKE = `(?:[a-z]{1,20}_){0,4}(?:${SNAKE_WORD})(?:_[a-z]{1,20}){1,4}|(?:[a-z]{1,20}_){1,4}(?:${SNAKE_WORD})`;
const TAG_ENDS = '(?=[\\s/>][^>]{0,300}>|>)';

/** Opening and closing tags of hosts: `<system-reminder>`, `</hook_context>`. `<session_id>` is a place to fill in. */
const TAGS = new RegExp(
  [
    `<(?=\\s{0,3}/\\s{0,3}(?:${SPEAKERS}|${EVERYDAY}|${HYPHENATED}|${SNAKE})${TAG_ENDS})`,
    `<(?=(?:${SPEAKERS}|${HYPHENATED})${TAG_ENDS})`,
    `<(?=(?:${SNAKE})${TAG_ENDS})(?![a-z_]{1,80}_(?:id|name|path|file|dir|url|type|key|number|version)>)`,
    `(?<=^[ \\t]{0,20})<(?=(?:${EVERYDAY})>[ \\t]{0,20}\\r?$)`,
  ].join('|'),
  'gim',
);
/** Right after a word a name with a capital is a type argument: `Promise<System>`. */
const TYPE_ARGUMENT = /^[\w$]<[A-Z][a-z]+[>\s]/;
/** Special tokens of chat templates: `<|im_start|>`, `<start_of_turn>`, `<<SYS>>`, `[INST]`. */
const TOKENS = /<(?=[|｜][\w▁.-]{1,60}[|｜]>|\/?(?:start|end)_of_\w{1,20}>|[be]os>|<\/?SYS>>)/gi;
const BRACKETED =
  /(?<!\\)\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])/g;
/** The first and the last line of our own injected block, in any brackets: they become parentheses. */
const MARKER =
  /(?:[[［【〔「『〖〘〚⟦❲]\s{0,20}){1,20}((?:end\s{0,20}(?:of\s{0,20})?(?:session\s{0,20})?scratchpad|session\s{0,20}scratchpad)[^[［【〔「『〖〘〚⟦❲\]］】〕\n]{0,100})[\]］】〕]?/gi;
/** Where a conversation in plain text would change hands: after a blank line or at the start. */
const TURN =
  /(?=(?:Human|Assistant|System)(?:\*\*|__)?:(?:\s|\*|_|$))(?<=(?:^|\n[ \t\r]*\n)[ \t]{0,40}(?:\*\*|__)?)/g;
const MAY_HOLD = /[<[［【〔「『〖〘〚⟦❲]|Human|Assistant|System/;
/** Compatibility forms that read as plain letters and brackets: full-width, small and mathematical ones. */
const COMPATIBLE =
  /[\u2045\u2100-\u214f\u2768-\u2775\u2f00-\u2fdf\ufb00-\ufb06\ufe10-\ufe6f\uff00-\uff5e]|[\ud835\ud83c]/;

function defusePlain(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  return text
    .replace(TAGS, (sign, at: number) => (TYPE_ARGUMENT.test(text.slice(at - 1, at + 20)) ? sign : '&lt;'))
    .replace(TOKENS, '&lt;')
    .replace(BRACKETED, '\\[')
    .replace(MARKER, (_, words: string) => `(${words})`)
    .replace(TURN, '\\');
}

/**
 * Text that belongs to whoever wrote it (plan, notes, refs, entries) on its way to a model: what a model or a
 * host could take for its own structure is made harmless, characters that nobody sees are left out, secrets
 * stay. Ordinary text, code and HTML come out as they went in. Idempotent, linear in the length of the text.
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
 * Foreign text of several lines (transcripts, memory files, output of commands) on its way to a model or a
 * person: redacted, then defused as above, HTML comments included. The number of lines stays.
 */
export function safeText(text: string): string {
  return withoutComments(defuse(redactSecrets(text)));
}

/** A JSON value with every text in it changed, the names of fields apart. */
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
 * Foreign text as one line of the state block or of a list: redacted, white space folded, defused as above,
 * HTML comments and whatever would open a block at the start of a line included. Ordinary text comes out as it
 * went in. Idempotent.
 *
 * @param maxCodePoints longest result in code points, counting the `…` that replaces what was cut
 */
export function safeLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  return plainLine(redactSecrets(beginning(text, maxCodePoints)), maxCodePoints);
}

/** Blanks, marks and secrets that go may take so much more room than what is left of a line. */
const READ_AHEAD = 4000;

/** As much of a text as a line of that length can be made of, up to a whole word. */
function beginning(text: string, maxCodePoints: number): string {
  const most = READ_AHEAD + 8 * maxCodePoints;
  if (text.length <= most) return text;
  const read = text.slice(0, most);
  const lastBlank = read.search(/\s\S*$/);
  return `${lastBlank > most - READ_AHEAD / 2 ? read.slice(0, lastBlank) : read.toWellFormed()}…`;
}

/** `safeLine` for text that is already redacted, as by `redactPassage`. */
export function plainLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  // Folded again: the plain form of a disguised line may have blanks of its own.
  const safe = folded(defuse(folded(visible(beginning(text, maxCodePoints)))));
  const line = withoutComments(safe).replace(NUMBERED, '$1\\$2').replace(BLOCK_START, '\\$&');
  return shorten(line, maxCodePoints);
}

/** White space as single blanks, none at the ends; a no-break space by itself belongs to the spelling. */
function folded(text: string): string {
  return text.replace(/[\s\u0085]+/g, (run) => (run === '\u00a0' || run === '\u202f' ? run : ' ')).trim();
}
