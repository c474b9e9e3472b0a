import WORDS from '../../models/words/pasted.json' with { type: 'json' };
import { toOneLine } from '../base/text/prose.ts';
import { makeWordSet, splitWordList } from '../base/text/strings.ts';
import type { Message } from './types.ts';

/*
 * Tells pasted lines (logs, traces, diffs, code, tables, listings) from a person's own prose, by what machines write and
 * people do not. Every expression here takes linear time: no nested quantifiers.
 */

/** Lines that only a program writes. */
const CERTAIN: readonly RegExp[] = [
  // Logs
  /^[\s>|*[(]{0,4}(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d{1,2}:\d\d:\d\d|\d\d\/\w{3}\/\d{4})/,
  /^[\s>|*[(]{0,4}(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} +\d{1,2} (?:\d\d:|\d{4})/,
  // Traces
  /^\s*(?:at [\w$.<>[\]/@ #-]{1,200}[(:]|at async |[\w$.()]{1,80}\s+@\s+\S{1,200}:\d+|Promise\.(?:then|catch)\s*$)/,
  /^\s*(?:File "[^"]{1,300}", line \d|\.\.\. \d+ more|goroutine \d|\[?<?frame|from [/\w.-]+:\d+)/,
  /^\s*(?:Traceback \(most recent|During handling of the above|The above exception was|Caused by: |Suppressed: )/,
  /^\s*(?:thread '|panic: |stack backtrace|Exception in thread|Unhandled|Uncaught )/,
  // Diffs
  /^(?:diff --git |index [0-9a-f]{6,40}\.\.|@@ -?\d|\+\+\+ \S|--- \S|new file mode|deleted file mode)/,
  /^(?:similarity index|rename (?:from|to) |Binary files )/,
];
const DIFF_HEAD = CERTAIN.slice(-2);
const ERRORS: readonly RegExp[] = [
  /^\s*(?:[✓✔✗✘×⨯❯●○▲→]|===|----|____|\*\*\*\*|~~~|E {2}|\^+\s*$)/,
  /^\s*(?:Process (?:exited|finished)|Command failed|Build failed|npm (?:warn|error|notice|verb) )/,
  /^(?:\[[\w.:-]{2,40}\] )?\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|OK)\]? \S/,
  /^\s*[a-z]{1,20} ERR!|^(?:ERROR|FAIL(?:ED)?|PASS)\b|^make(?:\[\d+\])?: /,
  /^[A-Za-z_$][\w$.]{0,120}(?:Error|Exception|Warning|Fault|Panic|Interrupt|Timeout|Exit|Failure)(?: \[[\w-]+\])?(?::|$)/,
  /^\s*(?:fatal|error|warning|note|help|hint|info|debug|failed|failure|panic|abort(?:ed)?)(?:\[\w+\]|\s\w+\d+)?: /i,
  /^\S{1,200}: (?:no such|permission denied)\b|^\S{1,200}\(\d+(?:,\d+)?\): |^\S{1,200}:\d+(?::\d+)?:? /,
];
const SHELL: readonly RegExp[] = [
  /^\s*(?:\$ |% |❯ |➜ |>>> |\.\.\. |PS [A-Z]:\\|C:\\[^ ]*>|# \w+ [-/.]|\([\w.-]+\) \$)/,
  /^\s*[\w-][\w.-]{0,60}@[\w.-]{1,60}[:~][^ ]{0,200} ?[$#%]/,
];
const DATA: readonly RegExp[] = [
  /^\s*(?:["'][\w .$/-]{1,80}["']\s*:|[{[]\s*$|[{[]".*|[}\]],?\s*$|\|.*\||\+[-+=]{3,})/,
  /^\s*-?\s?[\w.-]{1,60}:\s*(?:["'[{|>&*]|(?:\d[\d.:]*|true|false|null)\s*$)/,
];
const CODE: readonly RegExp[] = [
  /^\s*(?:[}\])]+[;,)]*\s*$|@\w+(?:\([^)]*\))?\s*$|\/\/ |\/\*|\*\/|<!--|-->)/,
  /^\s*(?:[\w.$[\]'"-]+ ?[+\-*/|&]?= ?\S.*[;,]?$|[\w.$]+\([^)]*\)[;,]?$)/,
];
/** First words of lines of code, which must also end like code. */
const KEYWORDS = makeWordSet(WORDS.keywords);
const CODE_END = /[=({;:[\]})<>*,]\s*(?:#.*|\/\/.*)?$/;
const COLUMNS = /\S(?: {2,}|\t+)\S/g;
const SYMBOLS = /[{}()[\];=<>|$\\/`]/g;
const HEX = /\b(?:0x[0-9a-f]{4,}|[0-9a-f]{12,})\b/i;
/** Words that people write and machines hardly ever do. */
const SPEAKING = makeWordSet(WORDS.speaking);
const LONG_LINE = 2000;

const matchesAny = (patterns: readonly RegExp[], line: string): boolean =>
  patterns.some((pattern) => pattern.test(line));

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const isSpeech = (line: string): boolean =>
  line
    .toLowerCase()
    .split(/[^a-z']+/)
    .some((word) => SPEAKING.has(word));

const isError = (line: string): boolean => matchesAny(ERRORS, line.trimStart());

const isCode = (line: string): boolean =>
  matchesAny(CODE, line) || (KEYWORDS.has(/^\s*([#\w]+)\b/.exec(line)?.[1] ?? '') && CODE_END.test(line));

/** True when a line, alone, looks like the output of a program or like its source. */
export function isPasted(line: string): boolean {
  // A paragraph has many spaces, or letters outside of ASCII; minified code and data have neither.
  if (line.length > LONG_LINE) {
    const start = line.slice(0, LONG_LINE);
    return count(start, / |\P{ASCII}/gu) <= 0.08 * LONG_LINE || count(start, SYMBOLS) >= 0.04 * LONG_LINE;
  }

  if (matchesAny(CERTAIN, line)) return true;
  if (isError(line)) return !/^\s*[a-z]+: (?:i|you|we|why|please)\b/i.test(line);
  if (matchesAny(SHELL, line) || matchesAny(DATA, line)) return true;

  const hasSpeech = isSpeech(line);
  if (isCode(line) && !(hasSpeech && /[a-z] [a-z]+ [a-z]+ [a-z]/.test(line))) return true;
  if (!hasSpeech && count(line, COLUMNS) >= 2) return true;

  const text = line.trim();
  const symbols = count(text, SYMBOLS);
  if (text.length >= 8 && symbols >= 4 && symbols / text.length > 0.14) return true;

  return !hasSpeech && text.length > 16 && (symbols / text.length > 0.1 || HEX.test(text));
}

/** The same for a message of one line, in which people write odd marks: only what a program must have written counts. */
function isPastedAlone(line: string): boolean {
  if (line.length > LONG_LINE) return isPasted(line);
  if (matchesAny(CERTAIN, line)) return true;
  if (line.length < 400 && isSpeech(line)) return false;
  if (isError(line) || matchesAny(SHELL, line)) return true;
  return count(line, SYMBOLS) / line.length > 0.2 && isCode(line);
}

/** Characters to read from the beginning and the end of a message, where people put their own words. */
export const READ_HEAD = 12_000;
export const READ_TAIL = 4_000;

const FENCE = /^\s{0,3}(?:```|~~~)/;
const DIFF_LINE = /^(?:[+-](?![+-]?\s*$)|[ \t]|[+-]$)/;
const EXTENSIONS = WORDS.extensions.replaceAll(' ', '|');
const SAYING = WORDS.saying.replaceAll(' ', '|');
/** Names and quotations in prose, and their replacements. */
const NAMED: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/<!--[\s\S]{0,4000}?-->/g, ' '],
  [/<\/?[a-zA-Z][\w:-]{0,40}(?:\s[^<>\n]{0,300})?>/g, ' '],
  [/`[^`\n]{1,400}`/g, ' '],
  // Quoted words of a program or another person.
  [new RegExp(`(\\b(?:${SAYING}):? {0,2})["“][^"“”\\n]{3,600}["”]`, 'gi'), '$1 '],
  [/\b(?:https?|ftp|file|ssh|git|wss?):\/\/[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+|\bgit@[^\s]+/gi, ' '],
  [/\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, ' '],
  [/(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@+-]{1,80}[\\/]){0,16}[\w.@+-]{1,80}/g, ' '],
  [/\b[\w@+-]{1,80}(?:\/[\w.@+-]{1,80}){1,16}\.\w{1,8}(?::\d+){0,2}/g, ' '],
  [new RegExp(`\\b[\\w-]{1,80}\\.(?:${EXTENSIONS})\\b(?::\\d+){0,2}`, 'g'), ' '],
  [/\S{60,}/g, ' '],
];

/** A person's own words without what they name or quote. Reads as much as {@link ownWords} does. */
export const extractProse = (text: string): string =>
  NAMED.reduce((prose, [pattern, replacement]) => prose.replace(pattern, replacement), ownWords(text)).trim();

/**
 * The lines that a person typed: pasted output, code, diffs and quoted lines become empty lines. Reads at most
 * {@link READ_HEAD} characters from the beginning and {@link READ_TAIL} from the end.
 */
export function ownWords(text: string): string {
  const source =
    text.length > READ_HEAD + READ_TAIL ? `${text.slice(0, READ_HEAD)}\n${text.slice(-READ_TAIL)}` : text;
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  const pasted = lines.length === 1 ? [isPastedAlone(lines[0] ?? '')] : markPasted(lines);
  return lines.map((line, index) => (pasted[index] === true || isQuoted(line) ? '' : line)).join('\n');
}

const isQuoted = (line: string): boolean => /^\s{0,3}>/.test(line) && !/^\s{0,3}>[.:_\-o(<]/.test(line);

const LIST_MARK = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** The sentences that a person typed, without marks of lists, headings and rows of a table. */
export const ownSentences = (text: string): string[] =>
  ownWords(text)
    .split('\n')
    .filter((line) => !/^\s*[#|]/.test(line))
    .flatMap((line) => line.replace(LIST_MARK, '').split(/(?<=[.!?…])\s+(?=\S)/))
    .map(toOneLine)
    .filter((sentence) => sentence !== '');

function markPasted(lines: readonly string[]): boolean[] {
  let fenced = false;
  let diff = false;
  const pasted = lines.map((line) => {
    const isFence = FENCE.test(line);
    if (isFence) fenced = !fenced;
    if (isFence || fenced) return true;

    const isHead = matchesAny(DIFF_HEAD, line);
    if (isHead || (diff && DIFF_LINE.test(line))) {
      diff = true;
      return true;
    }

    diff &&= line.trim() === '';

    return isPasted(line);
  });

  let lastPasted = -1;

  for (const [index, line] of lines.entries()) {
    // An indented line below a pasted one belongs to it.
    if (pasted[index - 1] === true && /^(?: {2,}|\t)\S/.test(line)) pasted[index] = true;
    if (pasted[index] !== true) continue;

    // Up to three lines between pasted ones belong to them, unless somebody speaks in them.
    if (lastPasted >= 0 && index - lastPasted <= 4)
      for (let k = lastPasted + 1; k < index; k += 1) pasted[k] ||= !isSpeech(lines[k] ?? '');
    lastPasted = index;
  }

  return pasted;
}

interface ListItem {
  label: string;
  text: string;
  /** The line that leads to its list; empty where none does. */
  heading: string;
}

/** A line that leads to a list: "Three fixes applied:", "## Fixes". */
const LEADS = /^(?=.{2,90}$)(?:#+ .+|\*\*[^*]+\*\*|.+[:：])$/;

/** An item with its label and its text: "1. …", "(b) …", "**Option 2:** …", "### Step 3. …". */
const ITEM = new RegExp(
  String.raw`^\s{0,4}(?:#{1,4} +)?(?:\*\*)?(?:(?:option|approach|step|fix|issue|choice) +)?` +
    String.raw`(?:\((\w)\)|(\d{1,2}|[A-Ha-h])(?:[.):]| [—–-](?= )))(?:\*\*)?[ :]+(.{2,400})$`,
  'i',
);

function parseLists(text: string): ListItem[][] {
  const lists: ListItem[][] = [[]];
  let heading = '';
  for (const line of text.replace(/^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, '').split('\n')) {
    const [, bracketed, label = bracketed, itemText = ''] = ITEM.exec(line) ?? [];
    const plain = (label === undefined ? line : itemText).replace(/\*\*|__|`{2,}/g, '').trim();

    if (label === undefined) {
      if (plain !== '') heading = LEADS.test(line.trim()) ? plain.replace(/^#+ +/, '') : '';
      continue;
    }

    if (/^[1a]$/i.test(label)) lists.push([]);
    const list = lists.at(-1) ?? [];
    list.push({ label: label.toLowerCase(), text: plain, heading: list[0]?.heading ?? heading });
    heading = '';
  }

  return lists.reverse().map((items) => items.slice(0, 20));
}

/** Words beside the labels of a message that only picks: "yes, let's do option 2". */
const PICKING = makeWordSet(WORDS.picking);
const ORDINALS: readonly string[] = splitWordList('first second third fourth fifth');
const LABEL = String.raw`#?\(?(\d{1,2}|[a-h])\)?`;
const OPTION = new RegExp(String.raw`\b(?:option|approach|choice|alternative)s?\s+${LABEL}(?!\w)`, 'g');
const LEADING = /^#?\(?(?:([b-h])[.)]|(\d{1,2}|[b-h])\)?(?:\s*[,:–—]|\s+(?:but|and|is|with|for|please)\b))/;

/** The labels that a message refers to: "2", "option B", "1 and 3", "the second one", "the last one". */
function extractLabels(prompt: string): string[] {
  const text = prompt.trim().toLowerCase();
  const options = [...text.matchAll(OPTION)].flatMap(([, label]) => label ?? []);
  if (options.length > 0) return options;

  const words = text.split(/[\s,.!()#&+]+/).filter((word) => word !== '' && !PICKING.has(word));
  const labels = words.map((word) => (ORDINALS.includes(word) ? `${ORDINALS.indexOf(word) + 1}` : word));

  if (words.length > 0 && labels.every((label) => /^(?:\d{1,2}|[a-h]|last)$/.test(label))) return labels;

  const [, letter, leading = letter] = LEADING.exec(text) ?? [];

  return leading === undefined ? [] : [leading];
}

/** The items that a message picks from the list in an answer; from several lists if all have as many of them. */
export function findPicked(prompt: string, answer: string): ListItem[] {
  const labels = extractLabels(prompt);
  const lists = labels.length === 0 ? [] : parseLists(answer);
  const picks = lists.map((items) =>
    labels.flatMap((label) =>
      label === 'last' ? items.slice(-1) : (items.find((one) => one.label === label) ?? []),
    ),
  );
  const most = Math.max(...picks.map(({ length }) => length));

  return picks.filter(({ length }) => length === most).flat();
}

/** Picked items in words: `2: the newest four`; of several lists `2: the newest four, or of another list: HOST.tar`. */
export const describePicked = (items: readonly ListItem[]): string =>
  [...new Set(items.map(({ label }) => label))]
    .map((label) => {
      const texts = items.filter((item) => item.label === label).map(({ text }) => text);
      return `${label}: ${texts.join(', or of another list: ')}`;
    })
    .join('; ');

/**
 * The text of the last message, followed by the list items of the answer before it that it points at ("2", "option B",
 * "the second one"), if any.
 *
 * @param messages oldest first; the last is the one to resolve
 */
export function resolvePointers(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const text = last?.content ?? '';
  if (last?.role !== 'user') return text;
  const before = messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return [text, ...findPicked(text, before?.content ?? '').map((item) => item.text)].join('\n');
}
