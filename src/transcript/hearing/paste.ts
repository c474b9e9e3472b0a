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
export function looksPastedAlone(line: string): boolean {
  if (isPlain(line)) return false;
  if (line.length > LONG_LINE) return !isParagraph(line.slice(0, LONG_LINE));
  if (TRACE.test(line) || LOG_START.test(line) || startsDiff(line)) return true;
  if (line.length < 400 && speaks(line)) return false;
  if (hasLevel(line) || isErrorHead(line) || PROMPT.test(line)) return true;
  if (line.includes('=') && count(line, KEY_VALUES) >= 3) return true;
  return count(line, SYMBOLS) / line.length > 0.2 && CODE_START.test(line);
}

/** True when a line could be a line of a unified diff, given that a diff has begun. */
export function looksDiff(line: string): boolean {
  return DIFF_LINE.test(line) || /^[ \t]/.test(line) || line === '+' || line === '-' || startsDiff(line);
}

/** True when a diff begins here. */
export function startsDiff(line: string): boolean {
  return DIFF_HEAD.test(line);
}

/** True when a line has the words of somebody speaking to somebody. */
export function speaks(line: string): boolean {
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
