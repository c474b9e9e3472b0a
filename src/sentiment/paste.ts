import { compiled } from '../text/compile-patterns.ts';
import { wordList } from '../text/word-list.ts';

/**
 * Tells pasted lines (logs, traces, diffs, code, tables, listings) from a
 * person's own prose. Every expression here is linear: no nested quantifiers.
 */

/** A look that costs next to nothing at a line without its leading blanks, and the expression for what passes it. */
interface Mark {
  mayStart: (text: string) => boolean;
  pattern: RegExp;
}

const DIGIT = /\d/;
/** A digit, what may stand before one, or the first letter of a day or a month. */
const DATE_STARTS = new Set('0123456789>|*[(MTWFSJAOND');
const LOG_START: Mark = {
  mayStart: (text) => DATE_STARTS.has(text.charAt(0)) && compiled(DIGIT).test(text),
  pattern:
    /^[\s>|*[(]{0,4}(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d{1,2}:\d\d:\d\d|\d\d\/\w{3}\/\d{4}|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} +\d{1,2} (?:\d\d:|\d{4}))/,
};
const LEVEL_START = /^[\s[(<]{0,4}[A-Z]{2}/;
/** What may be a level, as the first of its groups. */
const LOG_LEVEL = /^[\s[(<]{0,4}([A-Z]{2,9})[\])>]{0,2}(?::|\s{1,3}[[({/\w.@-]|\s*$)/;
const LEVELS = new Set(
  wordList(
    'TRACE DEBUG INFO NOTICE WARN WARNING ERROR ERR FATAL CRITICAL SEVERE PANIC FAIL FAILED PASS PASSED OK SKIP SKIPPED EMERG ALERT',
  ),
);
const LEVEL_INSIDE = /[[ (](?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)[\]): ]/;
const TRACE_STARTS =
  'at |File "|Traceback|During|The above|Caused by|Suppressed|...|goroutine|thread|panic|frame|[frame|<frame|[<frame|from |#|stack|Exception|Unhandled|Uncaught'.split(
    '|',
  );
const TRACE: Mark = {
  mayStart: (text) => startsWithOne(text, TRACE_STARTS) || (text >= '0' && text < ':'),
  pattern:
    /^\s*(?:at [\w$.<>[\]/@ #-]{1,200}[(:]|at async |File "[^"]{1,300}", line \d|Traceback \(most recent|During handling of the above|The above exception was|Caused by: |Suppressed: |\.\.\. \d+ more|goroutine \d|thread '|panic: |\[?<?frame|from [/\w.-]+:\d+|#\d+ +(?:0x|\S+ in |\S+\()|\d+: +(?:0x|\S+::)|stack backtrace|Exception in thread|Unhandled|Uncaught )/,
};
/** With these begin only lines of a program's output. */
const ERROR_STARTS =
  '===|----|____|****|~~~|E  |Segmentation fault|Aborted|core dumped|exit code|exit status|return code|return status|Process exited|Process finished|Command failed|Build failed|npm warn |npm error |npm notice |npm verb '.split(
    '|',
  );
const ERROR_SIGNS = new Set('✓✔✗✘×⨯❯●○▲→');
const ERROR_NAMES = wordList('Error Exception Warning Fault Panic Interrupt Timeout Exit Failure');
const ERROR_WORDS = wordList(
  'fatal error warning note help hint info debug failed failure panic abort FATAL Error Warning Fatal',
);
const ERROR_HEADS: readonly Mark[] = [
  { mayStart: (text) => text.includes(' ERR!'), pattern: /^[a-z]{1,20} ERR!/ },
  {
    mayStart: (text) => ERROR_NAMES.some((name) => text.includes(name)),
    pattern:
      /^[A-Za-z_$][\w$.]{0,120}(?:Error|Exception|Warning|Fault|Panic|Interrupt|Timeout|Exit|Failure)(?: \[[\w-]+\])?(?::|$)/,
  },
  {
    mayStart: (text) => startsWithOne(text, ERROR_WORDS),
    pattern:
      /^(?:fatal|error|warning|note|help|hint|info|debug|failed|failure|panic|abort|aborted|FATAL|Error|Warning|Fatal)(?:\[\w+\]|\s\w+\d+)?: /,
  },
  {
    // The first word ends with a colon, and so does none of most people's lines.
    mayStart: (text) => text.indexOf(': ') === text.indexOf(' ') - 1,
    pattern:
      /^\S{1,200}: (?:fatal |syntax |undefined |internal )?(?:error|warning|note|cannot|can't|command not found|no such|permission denied)\b/,
  },
  { mayStart: (text) => text.includes('): '), pattern: /^\S{1,200}\(\d+(?:,\d+)?\): / },
  {
    mayStart: (text) => text.includes(':') && compiled(DIGIT).test(text),
    pattern: /^\S{1,200}:\d+(?::\d+)?:? /,
  },
  { mayStart: (text) => text.startsWith('make'), pattern: /^make(?:\[\d+\])?: / },
  { mayStart: (text) => startsWithOne(text, ['ERROR', 'FAILED']), pattern: /^(?:ERROR|FAILED)\b/ },
  { mayStart: (text) => text.startsWith('^'), pattern: /^\^+\s*$/ },
  { mayStart: (text) => text.startsWith('Killed'), pattern: /^Killed$/ },
  {
    mayStart: (text) => text.startsWith('Found '),
    pattern: /^Found \d+ (?:errors?|problems?|warnings?|vulnerabilities)(?: in \S+(?: files?)?)?\.?\s*$/,
  },
];
const DIFF_STARTS = 'diff|index|@@|+++|---|new file|deleted file|similarity|rename|Binary'.split('|');
const DIFF_HEAD: Mark = {
  mayStart: (text) => startsWithOne(text, DIFF_STARTS),
  pattern:
    /^(?:diff --git |index [0-9a-f]{6,40}\.\.|@@ -?\d|\+\+\+ \S|--- \S|new file mode|deleted file mode|similarity index|rename (?:from|to) |Binary files )/,
};
const DIFF_LINE = /^[+-](?![+-]?\s*$)/;
const PROMPT_SIGNS = new Set('$%❯➜>.(#');
const PROMPT: Mark = {
  mayStart: (text) =>
    PROMPT_SIGNS.has(text.charAt(0)) || text.includes('@') || text.startsWith('PS ') || text.startsWith('C:'),
  pattern:
    /^\s*(?:\$ |% |❯ |➜ |>>> |\.\.\. |PS [A-Z]:\\|[\w-][\w.-]{0,60}@[\w.-]{1,60}[:~][^ ]{0,200} ?[$#%]|\([\w.-]+\) \$|C:\\[^ ]*>|# \w+ [-/.])/,
};
const CODE_START =
  /^\s*(?:(?:export |default |async |public |private |protected |static |final |abstract |pub |inline )*(?:const|let|var|function|class|interface|enum|struct|impl|fn|func|def|import|from|package|namespace|using|module|#include|#define|return|throw|raise|yield|elif|else|try|except|catch|finally|switch|case|while|for|if|match|select|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|FROM|JOIN|GROUP BY|ORDER BY)\b.*[=({;:[\]})<>*,]\s*(?:#.*|\/\/.*)?$|[}\])]+[;,)]*\s*$|@\w+(?:\([^)]*\))?\s*$|\/\/ |\/\*|\*\/|<\/?[a-zA-Z][\w-]*(?: [^>]*)?\/?>|<!--|-->|[\w.$[\]'"-]+ ?[+\-*/|&]?= ?\S.*[;,]?$|[\w.$]+\([^)]*\)[;,]?$)/;
const DATA =
  /^\s*(?:["'][\w .$/-]{1,80}["']\s*:|[{[]\s*$|[{[]".*|[}\]],?\s*$|\|.*\||\+[-+=]{3,}|[0-9a-f]{4,16}[: ] ?(?:[0-9a-f]{2,4} ){3}|-?\s?[\w.-]{1,60}:\s*(?:["'[{|>&*]|\d[\d.:]*\s*$|true\s*$|false\s*$|null\s*$)|[A-Z][A-Z0-9_]{2,60}=|[drwx-]{9,10}[.+@]? )/;
const KEY_VALUES = /\b[\w.-]{1,40}=(?:"[^"]{0,200}"|[^\s,;]{1,200})/g;
const COLUMNS = /\S(?: {2,}|\t+)\S/g;
const SYMBOLS = /[{}()[\];=<>|$\\/`]/g;
const HEX = /\b(?:0x[0-9a-f]{4,}|[0-9a-f]{12,})\b/i;

/** Words that people write and machines do not, in any amount worth noticing. */
const SPEAKING = new Set(
  wordList(
    "i im you your we please pls plz thanks thank why could should would hmm ugh ok okay yeah yes sorry hi hey hello my me us our let's can't don't didn't doesn't isn't it's that's what's",
  ),
);
const WORD = /\w+/g;

/** Words with which a line of a program's output may begin that has nothing else of one in it. */
const PROGRAMS = new Set(
  'at aborted build caused command core during exception exit found from frame goroutine gyp killed make npm panic process return segmentation stack suppressed the thread traceback uncaught unhandled'.split(
    ' ',
  ),
);

/**
 * True for a line that only a person can have written: two words or more,
 * one space apart, with no other marks than those of a sentence. Most lines
 * of a chat are so, and are spared the expressions above.
 */
export function isPlain(line: string): boolean {
  const end = line.indexOf(' ');
  if (end < 2 || line.length > LONG_LINE || line.endsWith(',') || line.includes(' 0x')) return false;
  let before = ' ';
  let length = 0;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    length = char === ' ' ? 0 : length + 1;
    if (!PLAIN.has(char) || (char === ' ' && before === ' ')) return false;
    // A number or a hash that long is nobody's word.
    if (length >= 12 && char >= '0' && char <= '9') return false;
    if (SENTENCE_MARKS.has(before) && char !== ' ' && !SENTENCE_MARKS.has(char)) return false;
    before = char;
  }
  const first = line.slice(0, end);
  return first !== first.toUpperCase() && !PROGRAMS.has(first.toLowerCase());
}

const SENTENCE_MARKS = new Set(',.?!');
const PLAIN = new Set(" '’,.?!0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

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
  if (isMarked(line, TRACE) || isMarked(line, LOG_START) || hasLevel(line) || startsDiff(line)) return true;
  const spoken = speaks(line);
  if (isErrorHead(line)) return !/^\s*[a-z]+: (?:i|you|we|why|please)\b/i.test(line);
  if (isMarked(line, PROMPT) || compiled(DATA).test(line)) return true;
  if (compiled(CODE_START).test(line) && !(spoken && /[a-z] [a-z]+ [a-z]+ [a-z]/.test(line))) return true;
  if (!spoken && compiled(LEVEL_INSIDE).test(line)) return true;
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
  return !spoken && text.length > 16 && (symbols / text.length > 0.1 || compiled(HEX).test(text));
}

/**
 * The same for a message of one line: people write short things with odd marks
 * in them, so only what a program must have written counts.
 */
export function looksPastedAlone(line: string): boolean {
  if (isPlain(line)) return false;
  if (line.length > LONG_LINE) return !isParagraph(line.slice(0, LONG_LINE));
  if (isMarked(line, TRACE) || isMarked(line, LOG_START) || startsDiff(line)) return true;
  if (line.length < 400 && speaks(line)) return false;
  if (hasLevel(line) || isErrorHead(line) || isMarked(line, PROMPT)) return true;
  if (line.includes('=') && count(line, KEY_VALUES) >= 3) return true;
  return count(line, SYMBOLS) / line.length > 0.2 && compiled(CODE_START).test(line);
}

/** True when a line could be a line of a unified diff, given that a diff has begun. */
export function looksDiff(line: string): boolean {
  return DIFF_LINE.test(line) || /^[ \t]/.test(line) || line === '+' || line === '-' || startsDiff(line);
}

/** True when a diff begins here. */
export function startsDiff(line: string): boolean {
  // Unlike the others it has no blanks before it.
  return DIFF_HEAD.mayStart(line) && compiled(DIFF_HEAD.pattern).test(line);
}

/** True when a line has the words of somebody speaking to somebody. */
export function speaks(line: string): boolean {
  const pattern = compiled(WORD);
  pattern.lastIndex = 0;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const word = match[0].toLowerCase();
    const end = pattern.lastIndex;
    if (SPEAKING.has(word)) return true;
    const next = line.charAt(end);
    // `don't` and the like, and `how come`.
    if (next === "'" && endsAt(line, end + 2) && SPEAKING.has(word + line.slice(end, end + 2).toLowerCase()))
      return true;
    if (word === 'how' && line.slice(end, end + 5).toLowerCase() === ' come' && endsAt(line, end + 5))
      return true;
  }
  return false;
}

function endsAt(line: string, place: number): boolean {
  return !/\w/.test(line.charAt(place));
}

function isMarked(line: string, { mayStart, pattern }: Mark): boolean {
  return mayStart(line.trimStart()) && compiled(pattern).test(line);
}

function hasLevel(line: string): boolean {
  const level = compiled(LEVEL_START).test(line) ? compiled(LOG_LEVEL).exec(line)?.[1] : undefined;
  return level !== undefined && LEVELS.has(level);
}

function isErrorHead(line: string): boolean {
  const text = line.trimStart();
  return (
    startsWithOne(text, ERROR_STARTS) ||
    ERROR_SIGNS.has(text.charAt(0)) ||
    ERROR_HEADS.some((head) => isMarked(text, head))
  );
}

function startsWithOne(text: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => text.startsWith(beginning));
}

function count(text: string, pattern: RegExp): number {
  compiled(pattern).lastIndex = 0;
  let found = 0;
  while (pattern.exec(text) !== null && found < 2000) found++;
  pattern.lastIndex = 0;
  return found;
}
