import TAGS from '../../../models/words/host-tags.json' with { type: 'json' };
import { makeWordSet, shorten } from '../text/strings.ts';
import { redactSecrets } from './redact.ts';

/* Characters that a reader does not see: they hide text, reverse its order, or are obeyed by a terminal. */

/** Bidirectional controls: they change the order in which other text is shown. */
const BIDI = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/** Soft hyphen, zero-width spaces, fillers, annotation marks; language tags, which can hide whole sentences. */
const HIDDEN =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f' +
  '\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}';

/** Joiners and variation selectors: invisible too, but part of many words and emoji. */
const JOINER = '\\u200c\\u200d\\ufe00-\\ufe0f';
/** Letters of the scripts in which a joiner is part of the spelling of a word (Persian, the Indic family). */
const JOINING = '[\\u0590-\\u061b\\u061d-\\u115e\\u1161-\\u17b3\\u17b6-\\u180a\\u1810-\\u1cff]';
const PICTURE = '\\p{Extended_Pictographic}';

/**
 * Escape sequences (ECMA-48, 7-bit and 8-bit). Each alternative starts at an escape character, which no later
 * part of it may contain, so matching is linear. An unterminated sequence loses only its opener.
 */
const ESCAPES = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]', // CSI: colours, cursor, erasing
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0090\\u0098\\u009c-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)', // OSC, DCS, SOS, PM, APC
    '\\u001b[ -/]*[0-~]', // two-character and charset escapes
  ].join('|'),
  'g',
);
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;
const UNSEEN = new RegExp(
  [
    // Joiners that are part of the spelling of an emoji or a word stay.
    `(?<joiner>(?<=${PICTURE}(?:\\ufe0f|[\\u{1f3fb}-\\u{1f3ff}])?)\\u200d(?=${PICTURE})` +
      `|(?<=${PICTURE})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)|(?<=${JOINING})[\\u200c\\u200d](?=${JOINING}))`,
    `[${BIDI}${HIDDEN}${JOINER}]+`,
  ].join('|'),
  'gu',
);
const MAY_HIDE = new RegExp(`[${BIDI}${HIDDEN}${JOINER}]`, 'u');
const BIDI_ONLY = new RegExp(`[${BIDI}]`, 'g');
const UNUSUAL = /[^\n\t -~]/;

/**
 * The text without escape sequences, control characters and invisible characters. Tabs and line ends stay.
 * What a removal joins (`<\0!--`) is visible to the next check.
 */
export function stripInvisible(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const printable = text.replace(ESCAPES, '').replace(CONTROL, '').toWellFormed();
  if (!MAY_HIDE.test(printable)) return printable;
  return printable.replace(UNSEEN, (_, joiner = '') => joiner);
}

/**
 * Text for a terminal: no escape sequences, no control characters, no bidirectional controls. Line feeds and
 * tabs stay; CRLF becomes LF, because a lone carriage return would let a line overwrite itself.
 */
export function sanitizeForTerminal(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replace(/\r\n/g, '\n')
    .replace(ESCAPES, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '')
    .replace(BIDI_ONLY, '');
}

/** Characters that JSON does not escape and a terminal obeys. */
const OBEYED_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${BIDI}]`, 'g');

/** A value as JSON that is safe to print on a terminal; it parses back to the same value. */
export function renderSafeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replace(OBEYED_IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Special tokens of chat templates: `<|im_start|>`, `<start_of_turn>`, `<<SYS>>`, `[INST]`. */
const TOKENS = /<(?=[|｜][\w▁.-]{1,60}[|｜]>|\/?(?:start|end)_of_\w{1,20}>|[be]os>|<\/?SYS>>)/gi;
const BRACKETED =
  /(?<!\\)\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])/g;
/** The first and last line of our own injected block, in any brackets, which become parentheses. */
const MARKER =
  /(?:[[［【〔「『〖〘〚⟦❲]\s{0,20}){1,20}((?:end\s{0,20}(?:of\s{0,20})?(?:session\s{0,20})?scratchpad|session\s{0,20}scratchpad)[^[［【〔「『〖〘〚⟦❲\]］】〕\n]{0,100})[\]］】〕]?/gi;
/** A change of speaker in a plain-text conversation: after a blank line or at the start. */
const TURN =
  /(?=(?:Human|Assistant|System)(?:\*\*|__)?:(?:\s|\*|_|$))(?<=(?:^|\n[ \t\r]*\n)[ \t]{0,40}(?:\*\*|__)?)/g;
/** Part of every token, marker and turn above: a text without it needs no further check. */
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
  const safe = defusePlain(stripInvisible(text).replace(/\r(?!\n)|[\v\f\u0085\u2028\u2029]/g, '\n'));
  if (!COMPATIBLE.test(safe)) return safe;

  return safe
    .split('\n')
    .map((line) => {
      if (!COMPATIBLE.test(line)) return line;
      const plain = line.normalize('NFKC').replace(/\n/g, ' ');
      const defused = defusePlain(plain);
      return defused === plain ? line : defused;
    })
    .join('\n');
}

/**
 * Makes foreign text of several lines (transcripts, memory files, command output) safe for a model or a
 * person: redacted, then defused as by `defuse`, including HTML comments. The number of lines stays the same.
 */
export const sanitizeText = (text: string): string => defuseComments(defuse(redactSecrets(text)));

/** Applies a function to every string in a JSON value, except to keys. */
export function withTexts<Value>(value: Value, change: (text: string) => string): Value {
  const changePart = (part: unknown): unknown => {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return part.map(changePart);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, changePart(inner)]));
  };

  return changePart(value) as Value;
}

const defuseComments = (text: string): string =>
  text.includes('--') ? text.replace(/<!--/g, '< !--').replace(/--!?>/g, '→') : text;

const BLOCK_START =
  /^(?:#{2,}|#(?=\s|$)|-(?=\s|$|--)|[*+](?=\s|$)|\*{3}|\+{3}|_{3}|={2,}|`{3}|~{3}|>|\||<(?=[A-Za-z/!?])|\[(?=[^\]]*\]:))/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/**
 * Makes foreign text safe as one line of the state block or of a list: redacted, white space collapsed,
 * defused as by `defuse`, including HTML comments and anything that would open a block at the start of a
 * line. Ordinary text is unchanged. Idempotent.
 * @param maxCodePoints longest result in code points, including the `…` that replaces what was cut
 */
export const sanitizeLine = (text: string, maxCodePoints = Number.POSITIVE_INFINITY): string =>
  toPlainLine(redactSecrets(cutBeginning(text, maxCodePoints)), maxCodePoints);

/** Allowance for blanks, markup and secrets that are removed before a line is cut. */
const READ_AHEAD = 4000;

/** As much of a text as a line of that length can need, up to a whole word. */
function cutBeginning(text: string, maxCodePoints: number): string {
  const most = READ_AHEAD + 8 * maxCodePoints;
  if (text.length <= most) return text;
  const read = text.slice(0, most);
  const lastBlank = read.search(/\s\S*$/);
  return `${lastBlank > most - READ_AHEAD / 2 ? read.slice(0, lastBlank) : read.toWellFormed()}…`;
}

/** Like `sanitizeLine`, for text that is already redacted, as by `redactPassage`. */
export function toPlainLine(text: string, maxCodePoints = Number.POSITIVE_INFINITY): string {
  // Collapsed again: the plain form of a disguised line may contain blanks.
  const safe = collapseSpaces(defuse(collapseSpaces(stripInvisible(cutBeginning(text, maxCodePoints)))));
  const line = defuseComments(safe).replace(NUMBERED, '$1\\$2').replace(BLOCK_START, '\\$&');
  return shorten(line, maxCodePoints);
}

/** White space collapsed to single blanks and trimmed; a single no-break space is part of the spelling. */
const collapseSpaces = (text: string): string =>
  text.replace(/[\s\u0085]+/g, (run) => (run === '\u00a0' || run === '\u202f' ? run : ' ')).trim();

/** Tag names with which hosts and prompt formats mark the speaker. A tag with one of them is always defused. */
const SPEAKERS = makeWordSet(TAGS.speakers);
/** Names that are also used as placeholders (`ssh <user>@host`): defused only as a closing tag, or alone on a line. */
const EVERYDAY = makeWordSet(TAGS.everyday);
/** Hyphenated names that hosts use; any other is a custom element. */
const HYPHENATED = new RegExp(`^(?:${TAGS.hyphenated.join('|')})$`);
/** HTML names have no underscore, so a name with one is defused if it contains one of these words. */
const SNAKE_WORDS = makeWordSet(TAGS.snakeWords);
/** `<session_id>` is a place to fill in. */
const PLACEHOLDER = /_(?:id|name|path|file|dir|url|type|key|number|version)$/;

/**
 * A tag: whether it closes, its name, and whether the tag ends there. Names are checked by functions: a
 * pattern of all of them takes longer to compile than Node takes to start.
 */
const TAG =
  /<(?=(\s{0,3}\/\s{0,3})?(permissions instructions|[a-z][a-z_:-]{0,159})(?:(>)|[\s/][^>]{0,300}>))/gi;
const ALONE = new RegExp(`(?<=^[ \\t]{0,20})<(?=(?:${[...EVERYDAY].join('|')})>[ \\t]{0,20}\\r?$)`, 'gim');
/** A capitalized name right after a word is a type argument: `Promise<System>`. */
const TYPE_ARGUMENT = /^[\w$]<[A-Z][a-z]+[>\s]/;

/** Makes the opening and closing tags of hosts in a text harmless: `<system-reminder>`, `</hook_context>`. */
const defuseTags = (text: string): string =>
  text
    .replace(
      TAG,
      (sign, slash: string | undefined, name: string, end: string | undefined, offset: number) => {
        const isOfHost = isHostTag(name.toLowerCase(), slash !== undefined, end !== undefined);
        return isOfHost && !TYPE_ARGUMENT.test(text.slice(offset - 1, offset + 20)) ? '&lt;' : sign;
      },
    )
    .replace(ALONE, '&lt;');

function isHostTag(name: string, isClosing: boolean, hasNoAttributes: boolean): boolean {
  if (SPEAKERS.has(name) || HYPHENATED.test(name)) return true;
  if (isClosing) return EVERYDAY.has(name) || isSnakeName(name);
  return isSnakeName(name) && !(hasNoAttributes && PLACEHOLDER.test(name));
}

function isSnakeName(name: string): boolean {
  const words = name.split('_');
  return words.length > 1 && words.some((word) => SNAKE_WORDS.has(word)) && /^[a-z]+(?:_[a-z]+)+$/.test(name);
}
