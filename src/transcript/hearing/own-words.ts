import { wordList } from '../../base/text/word-list.ts';

/**
 * Tells pasted lines (logs, traces, diffs, code, tables, listings) from a
 * person's own prose. Every expression here is linear: no nested quantifiers.
 */

const LOG_START =
  /^[\s>|*[(]{0,4}(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d{1,2}:\d\d:\d\d|\d\d\/\w{3}\/\d{4}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} +\d{1,2} (?:\d\d:|\d{4}))/;
/** What may be a level, as the first of its groups. */
const LOG_LEVEL = /^[\s[(<]{0,4}([A-Z]{2,9})[\])>]{0,2}(?::|\s{1,3}[[({/\w.@-]|\s*$)/;
const LEVELS = new Set(
  wordList(
    'TRACE DEBUG INFO NOTICE WARN WARNING ERROR ERR FATAL CRITICAL SEVERE PANIC FAIL FAILED PASS PASSED OK SKIP SKIPPED EMERG ALERT',
  ),
);
const LEVEL_INSIDE = /[[ (](?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)[\]): ]/;
const TRACE =
  /^\s*(?:at [\w$.<>[\]/@ #-]{1,200}[(:]|at async |[\w$.()]{1,80}\s+@\s+\S{1,200}:\d+|Promise\.(?:then|catch)\s*$|(?:GET|POST|PUT|PATCH|DELETE) https?:\/\/\S+ .*\b(?:net::|\d{3}\b)|File "[^"]{1,300}", line \d|Traceback \(most recent|During handling of the above|The above exception was|Caused by: |Suppressed: |\.\.\. \d+ more|goroutine \d|thread '|panic: |\[?<?frame|from [/\w.-]+:\d+|#\d+ +(?:0x|\S+ in |\S+\()|\d+: +(?:0x|\S+::)|stack backtrace|Exception in thread|Unhandled|Uncaught )/;
/** Only lines of a program's output begin with these. */
const ERROR_STARTS =
  '===|----|____|****|~~~|E  |Segmentation fault|Aborted|core dumped|exit code|exit status|return code|return status|Process exited|Process finished|Command failed|Build failed|npm warn |npm error |npm notice |npm verb '.split(
    '|',
  );
const ERROR_SIGNS = new Set('✓✔✗✘×⨯❯●○▲→');
const ERROR_HEADS = [
  /^[a-z]{1,20} ERR!/,
  /^[A-Za-z_$][\w$.]{0,120}(?:Error|Exception|Warning|Fault|Panic|Interrupt|Timeout|Exit|Failure)(?: \[[\w-]+\])?(?::|$)/,
  /^(?:fatal|error|warning|note|help|hint|info|debug|failed|failure|panic|abort|aborted|FATAL|Error|Warning|Fatal)(?:\[\w+\]|\s\w+\d+)?: /,
  /^\S{1,200}: (?:fatal |syntax |undefined |internal )?(?:error|warning|note|cannot|can't|command not found|no such|permission denied)\b/,
  /^\S{1,200}\(\d+(?:,\d+)?\): /,
  /^\S{1,200}:\d+(?::\d+)?:? /,
  /^make(?:\[\d+\])?: /,
  /^(?:ERROR|FAILED)\b/,
  /^\^+\s*$/,
  /^Killed$/,
  /^Found \d+ (?:errors?|problems?|warnings?|vulnerabilities)(?: in \S+(?: files?)?)?\.?\s*$/,
];
const DIFF_HEAD =
  /^(?:diff --git |index [0-9a-f]{6,40}\.\.|@@ -?\d|\+\+\+ \S|--- \S|new file mode|deleted file mode|similarity index|rename (?:from|to) |Binary files )/;
const DIFF_LINE = /^[+-](?![+-]?\s*$)/;
const PROMPT =
  /^\s*(?:\$ |% |❯ |➜ |>>> |\.\.\. |PS [A-Z]:\\|[\w-][\w.-]{0,60}@[\w.-]{1,60}[:~][^ ]{0,200} ?[$#%]|\([\w.-]+\) \$|C:\\[^ ]*>|# \w+ [-/.])/;
const CODE_START =
  /^\s*(?:(?:export |default |async |public |private |protected |static |final |abstract |pub |inline )*(?:const|let|var|function|class|interface|enum|struct|impl|fn|func|def|import|from|package|namespace|using|module|#include|#define|return|throw|raise|yield|elif|else|try|except|catch|finally|switch|case|while|for|if|match|select|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|FROM|JOIN|GROUP BY|ORDER BY)\b.*[=({;:[\]})<>*,]\s*(?:#.*|\/\/.*)?$|[}\])]+[;,)]*\s*$|@\w+(?:\([^)]*\))?\s*$|\/\/ |\/\*|\*\/|<\/?[a-zA-Z][\w-]*(?: [^>]*)?\/?>|<!--|-->|[\w.$[\]'"-]+ ?[+\-*/|&]?= ?\S.*[;,]?$|[\w.$]+\([^)]*\)[;,]?$)/;
const DATA =
  /^\s*(?:["'][\w .$/-]{1,80}["']\s*:|[{[]\s*$|[{[]".*|[}\]],?\s*$|\|.*\||\+[-+=]{3,}|[0-9a-f]{4,16}[: ] ?(?:[0-9a-f]{2,4} ){3}|-?\s?[\w.-]{1,60}:\s*(?:["'[{|>&*]|\d[\d.:]*\s*$|true\s*$|false\s*$|null\s*$)|[A-Z][A-Z0-9_]{2,60}=|[drwx-]{9,10}[.+@]? )/;
const KEY_VALUES = /\b[\w.-]{1,40}=(?:"[^"]{0,200}"|[^\s,;]{1,200})/g;
const COLUMNS = /\S(?: {2,}|\t+)\S/g;
const SYMBOLS = /[{}()[\];=<>|$\\/`]/g;
const HEX = /\b(?:0x[0-9a-f]{4,}|[0-9a-f]{12,})\b/i;

/** Words that people write and machines do not, in any amount worth noticing. */
const SPEAKING =
  /\b(?:i|im|you|your|we|please|pls|plz|thanks|thank|why|could|should|would|hmm|ugh|ok|okay|yeah|yes|sorry|hi|hey|hello|my|me|us|our|let's|can't|don't|didn't|doesn't|isn't|it's|that's|what's|how come)\b/i;

/** Words with which a line of a program's output may begin that has nothing else of one in it. */
const PROGRAMS = new Set(
  'at aborted build caused command core during exception exit found from frame goroutine gyp killed make npm panic process return segmentation stack suppressed the thread traceback uncaught unhandled'.split(
    ' ',
  ),
);

const LETTERS = "'’,.?!0-9A-Za-z";
const PLAIN = new RegExp(`^(?!.*(?: {2}| 0x|,$|[,.?!][^ ,.?!]|[^ ]{11}\\d))[${LETTERS}]{2,} [ ${LETTERS}]*$`);

/**
 * True for a line that only a person can have written: two words or more,
 * one space apart, with no other marks than those of a sentence, and no number or hash that is
 * too long to be anybody's word.
 */
export function isPlain(line: string): boolean {
  if (line.length > LONG_LINE || !PLAIN.test(line)) return false;
  const first = line.slice(0, line.indexOf(' '));
  return first !== first.toUpperCase() && !PROGRAMS.has(first.toLowerCase());
}

const LONG_LINE = 2000;

/** A paragraph has words of ordinary length between its spaces; minified code and data have not. */
function isParagraph(start: string): boolean {
  const spaces = count(start, / /g);
  return spaces / start.length > 0.08 && count(start, SYMBOLS) / start.length < 0.04;
}

/** True when a line, alone, looks like the output of a program or like its source. */
export function looksPasted(line: string): boolean {
  return !isPlain(line) && hasMarks(line);
}

function hasMarks(line: string): boolean {
  if (line.length > LONG_LINE) return !isParagraph(line.slice(0, LONG_LINE));
  if (TRACE.test(line) || LOG_START.test(line) || hasLevel(line) || startsDiff(line)) return true;
  const spoken = speaks(line);
  if (isErrorHead(line)) return !/^\s*[a-z]+: (?:i|you|we|why|please)\b/i.test(line);
  if (PROMPT.test(line) || DATA.test(line)) return true;
  if (CODE_START.test(line) && !(spoken && /[a-z] [a-z]+ [a-z]+ [a-z]/.test(line))) return true;
  if (!spoken && LEVEL_INSIDE.test(line)) return true;
  if (line.includes('=') && count(line, KEY_VALUES) >= 2) return true;
  if (!spoken && count(line, COLUMNS) >= 2) return true;
  return dense(line, spoken);
}

/** Lines with more brackets and operators than words need. */
function dense(line: string, spoken: boolean): boolean {
  const text = line.trim();
  if (text.length < 8) return false;
  const symbols = count(text, SYMBOLS);
  if (symbols / text.length > 0.14 && symbols >= 4) return true;
  return !spoken && text.length > 16 && (symbols / text.length > 0.1 || HEX.test(text));
}

/**
 * The same for a message of one line: people write short things with odd marks
 * in them, so only what a program must have written counts.
 */
function looksPastedAlone(line: string): boolean {
  if (isPlain(line)) return false;
  if (line.length > LONG_LINE) return !isParagraph(line.slice(0, LONG_LINE));
  if (TRACE.test(line) || LOG_START.test(line) || startsDiff(line)) return true;
  if (line.length < 400 && speaks(line)) return false;
  if (hasLevel(line) || isErrorHead(line) || PROMPT.test(line)) return true;
  if (line.includes('=') && count(line, KEY_VALUES) >= 3) return true;
  return count(line, SYMBOLS) / line.length > 0.2 && CODE_START.test(line);
}

/** True when a line could be a line of a unified diff, given that a diff has begun. */
function looksDiff(line: string): boolean {
  return DIFF_LINE.test(line) || /^[ \t]/.test(line) || line === '+' || line === '-' || startsDiff(line);
}

/** True when a diff begins here. */
function startsDiff(line: string): boolean {
  return DIFF_HEAD.test(line);
}

/** True when a line has the words of somebody speaking to somebody. */
function speaks(line: string): boolean {
  return SPEAKING.test(line);
}

function hasLevel(line: string): boolean {
  const level = LOG_LEVEL.exec(line)?.[1];
  return level !== undefined && LEVELS.has(level);
}

function isErrorHead(line: string): boolean {
  const text = line.trimStart();
  return (
    ERROR_STARTS.some((start) => text.startsWith(start)) ||
    ERROR_SIGNS.has(text.charAt(0)) ||
    ERROR_HEADS.some((head) => head.test(text))
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Characters of one message that are read: the beginning and the end, where people put their own words. */
export const READ_HEAD = 12_000;
export const READ_TAIL = 4_000;

/** What is left of a message when everything that is not the person speaking is gone. */
export interface Masked {
  /** The prose, lines kept; what was taken out leaves a space or an empty line. */
  prose: string;
  /** Characters that were not read as prose. */
  masked: number;
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['nbsp', ' '],
]);
const FENCE = /^\s{0,3}(?:```|~~~)/;
const INLINE_CODE = /`[^`\n]{1,400}`/g;
const URL = /\b(?:https?|ftp|file|ssh|git|wss?):\/\/[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+|\bgit@[^\s]+/gi;
const EMAIL = /\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g;
const PATH =
  /(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@+-]{1,80}[\\/]){0,16}[\w.@+-]{1,80}|\b[\w@+-]{1,80}(?:\/[\w.@+-]{1,80}){1,16}\.\w{1,8}(?::\d+){0,2}|\b[\w-]{1,80}\.(?:tsx?|jsx?|mjs|cjs|py|rs|go|java|kt|rb|php|cs|cpp|cc|hpp?|c|sh|ya?ml|json|toml|md|txt|log|sql|css|html?|xml|lock|env|cfg|ini|conf)\b(?::\d+){0,2}/g;
/** Words of others: what a program or a person is said to have said. */
const QUOTED =
  /(\b(?:says?|said|saying|prints?|printed|shows?|showing|reads?|returns?|returned|errors?|message|output|logs?|throws?|got|gets|getting|with|wrote|replied|titled|called|named):? {0,2})["“][^"“”\n]{3,600}["”]/gi;
const TAG = /<\/?[a-zA-Z][\w:-]{0,40}(?:\s[^<>\n]{0,300})?>/g;
const HTML_COMMENT = /<!--[\s\S]{0,4000}?-->/g;
const LONG_TOKEN = /\S{60,}/g;

/**
 * Leaves a person's own prose: their own words without what is named or quoted in them. Reads at most
 * {@link READ_HEAD} characters from the beginning and {@link READ_TAIL} from the end.
 */
export function mask(text: string): Masked {
  const prose = inline(ownWords(text)).trim();
  return { prose, masked: Math.max(0, text.length - prose.length) };
}

/**
 * What a person typed, lines kept: pasted output, code, diffs and quoted lines leave an empty line. Reads as much as
 * {@link mask} does.
 */
export function ownWords(text: string): string {
  const source =
    text.length > READ_HEAD + READ_TAIL ? `${text.slice(0, READ_HEAD)}\n${text.slice(-READ_TAIL)}` : text;
  return lines(decode(source.replace(/\r\n?/g, '\n')));
}

const LIST_MARK = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** The sentences of what a person typed, without marks of lists and lines that are headings or rows of a table. */
export function ownSentences(text: string): string[] {
  return ownWords(text)
    .split('\n')
    .filter((line) => !/^\s*[#|]/.test(line))
    .flatMap((line) => line.replace(LIST_MARK, '').split(/(?<=[.!?…])\s+(?=\S)/))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

/** Chats pass through web forms that encode once too often. */
function decode(text: string): string {
  return text.replace(
    /&(?:amp;)?(amp|lt|gt|quot|#39|nbsp);/g,
    (_, name: string) => ENTITIES.get(name) ?? ' ',
  );
}

function lines(source: string): string {
  if (!source.includes('\n')) return looksPastedAlone(source) ? '' : unquote(source);
  const all = source.split('\n');
  const gone = markPasted(all);
  return all.map((line, i) => (gone[i] ? '' : unquote(line))).join('\n');
}

function unquote(line: string): string {
  return /^\s{0,3}>/.test(line) && !/^\s{0,3}>[.:_\-o(<]/.test(line) ? '' : line;
}

function markPasted(all: readonly string[]): boolean[] {
  const gone: boolean[] = new Array<boolean>(all.length).fill(false);
  let fenced = false;
  let diff = false;
  for (let i = 0; i < all.length; i++) {
    const line = all[i] ?? '';
    if (FENCE.test(line)) {
      fenced = !fenced;
      gone[i] = true;
    } else if (fenced) gone[i] = true;
    else if (startsDiff(line)) {
      diff = true;
      gone[i] = true;
    } else if (diff && looksDiff(line)) gone[i] = true;
    else {
      diff = diff && line.trim() === '';
      gone[i] = looksPasted(line);
    }
  }
  joinRuns(all, gone);
  return gone;
}

/** Lines caught between pasted ones go with them, unless somebody speaks in them. */
function joinRuns(all: readonly string[], gone: boolean[]): void {
  let last = -1;
  for (let i = 0; i < all.length; i++) {
    if (gone[i] !== true) continue;
    if (last >= 0 && i - last <= 4) {
      for (let k = last + 1; k < i; k++) if (!speaks(all[k] ?? '')) gone[k] = true;
    }
    last = i;
  }
  // What is indented below a pasted line belongs to it.
  for (let i = 1; i < all.length; i++) {
    if (gone[i - 1] === true && gone[i] !== true && /^(?: {2,}|\t)\S/.test(all[i] ?? '')) gone[i] = true;
  }
}

function inline(text: string): string {
  return text
    .replace(HTML_COMMENT, ' ')
    .replace(TAG, ' ')
    .replace(INLINE_CODE, ' ')
    .replace(QUOTED, '$1 ')
    .replace(URL, ' ')
    .replace(EMAIL, ' ')
    .replace(PATH, ' ')
    .replace(LONG_TOKEN, ' ');
}
