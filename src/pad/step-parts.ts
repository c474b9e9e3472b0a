import WORDS from '../../models/words/done.json' with { type: 'json' };
import { splitWordList } from '../base/text/strings.ts';

export const CURRENT = '<-- current';

/* A dropped step counts as done; in doubt a step is open. `steps.test.ts` has a table of marks by tool. */

const { signs, checked: CHECKED_WITH, boxed, unchecked, yes, no, verbs, remarks, ...languages } = WORDS;
const splitPhrases = (list: string): string[] => list.split(', ');
const DONE = new Set(Object.values(languages).flatMap(splitPhrases));
/** Words that at the beginning of a step are what it asks for: `Complete the form`. */
const VERBS = new Set(splitPhrases(verbs));
const REMARKS = new Set(splitPhrases(remarks));
const SIGNS = splitWordList(signs);
const CHECKED = new Set([...splitWordList(CHECKED_WITH), ...SIGNS]);
const BOXED = new Set([...CHECKED, ...splitWordList(boxed)]);
const UNCHECKED = new Set(['', ...splitPhrases(unchecked)]);
const YES = new Set(splitPhrases(yes));
const NO = new Set(['', ...splitPhrases(no)]);

const SIGN = String.raw`(?:${SIGNS.join('|')})\uFE0F?`;
const ANY_SIGN = new RegExp(SIGN, 'gu');
const BOX = new RegExp(
  String.raw`^(?:\\?\[([^[\]\\]{0,16})\\?\](?![([])|\(([ xX×/?!+-]|${SIGN})\)(?=\s))(\s*)`,
  'u',
);

/** The sign before an open step; `plan done` removes it. */
const OPEN_SIGN = /^(?:[☐□◻▢⬜]|🔲)\uFE0F?\s+(?=\S)/u;

const STRUCK = /^([*_]{0,3})(?:(~~?)(?=\S)([\s\S]*\S)\2(?!~)|<(del|s|strike)>([\s\S]*)<\/\4>)\1\s*/i;
/** `**1. ~~Fix~~**`: the whole line in emphasis. */
const BOLD_NUMBERED = /^(\*\*|__)\d+[.)]\s+([\s\S]+)\1$/;
const EMPHASIS_AT_START = /^([*_`]{1,3})([^*_`]{1,24})\1\s*/;
const EMPHASIS_AT_END = /(?:\s+(?:[-–—|→]|[-=]>))?\s*([*_`]{1,3})([^*_`]{1,60})\1[.!]?\s*$/;
/** `[DONE]`, `Done:`, `Done -`, `x 2026-03-01`, `× Fix` and `DONE`; any other `x` may be a word: `x axis`, `x the old cron`. */
const MARK_AT_START =
  /^(?:[([{（【]([^()[\]{}（）【】]{1,20})[)\]}）】][:：]?\s*(?=\S)|([^\s:：–—|]{1,20})(?:\s*[:：–—|]|\s+-(?=\s))\s*(?=\S)|(x(?=\s+\d{4}-\d\d-\d\d\s)|×(?=\s+(?:\d{4}-\d\d-\d\d\s|[\p{L}`*"'(])))\s+|(\p{Lu}{4,20})\s+(?=\S))/u;
/** `(done)`, `- done`, `: done`, `→ done`, `@done(2026-03-01)`, `DONE` and `完了`. */
const MARK_AT_END =
  /(?:\s*[([{（【]([^()[\]{}（）【】]{1,60})[)\]}）】]|(?:\s+(?:[-–—|→…]+|[-=]>)\s*|\s[#@]|\s*(?:[:：,;]|\.{3})\s*)([^\s:：–—()（）【】]{1,20})(?:\([^()]*\)|\s+(?:on\s+)?\d[\d./-]+)?|\s(\p{Lu}{4,20}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]{1,4}))[.!。！]?\s*$/u;
/** Obsidian Tasks writes the day on which a task was done, or dropped. */
const DAY_AT_END = /\s[✅❌]\uFE0F?\s*\d{4}-\d\d-\d\d\s*$/u;
const IS_CHECKED = /^\s*\[[xX]\]/;
/** A word in emphasis alone may be what the step is about: `Return **done**`. */
const IS_SET_OFF = /[-–—|→:：[({（【✅☑✔✓]|^\P{Ll}+$/u;
const END_CHARACTERS = 80;

export interface StepParts {
  /** The checkbox with the blank after it; empty if there is none. */
  box: string;
  checked: boolean;
  /** Whether the words say that it is done: struck through, or marked. */
  marked: boolean;
  done: boolean;
  /** The words without all marks. */
  text: string;
  current: boolean;
  /** All after the box, with its marks. */
  tail: string;
}

/** Parses the text of a step: `[x] ~~Add test~~ DONE <-- current`. */
export function parseStepParts(raw: string): StepParts {
  const open = stripCurrentMark(raw).replace(OPEN_SIGN, '');
  const [whole = '', inSquare, inRound, space = ''] = BOX.exec(open) ?? [];
  // Jira's `(/)` is done, and Obsidian's `[/]` is half done.
  const sign = (inSquare ?? inRound?.replace('/', 'x') ?? '').replace('\uFE0F', '').trim().toLowerCase();
  const checked = whole !== '' && (BOXED.has(sign) || DONE.has(sign));
  const isOpen = UNCHECKED.has(sign) || /^[^\p{L}\p{N}\s]$/u.test(sign);
  const isBox = checked || (isOpen && (space !== '' || sign === '' || whole === open));
  const box = isBox ? whole : '';
  const tail = open.slice(box.length);
  const words = stripMarks(tail);
  const marked = words !== undefined;

  const text = words ?? tail;
  return { box, checked, marked, done: checked || marked, text, current: isCurrent(raw), tail };
}

const MOST_MARKS = 6;

/** A step's words without all that says that it is done; `undefined` if nothing does. */
function stripMarks(text: string): string | undefined {
  const inner = BOLD_NUMBERED.exec(text)?.[2];
  if (inner !== undefined) return stripMarks(inner);

  let words: string | undefined;

  for (let count = 0; count < MOST_MARKS; count += 1) {
    const before = words ?? text;
    const next = stripStruck(before) ?? stripSign(before) ?? stripStart(before) ?? stripEnd(before);
    if (next === undefined) break;
    words = next;
  }

  return words;
}

function stripStruck(text: string): string | undefined {
  const [whole = '', , , tildes, , tags] = STRUCK.exec(text) ?? [];
  const rest = text.slice(whole.length);
  // Words after a text that is struck through replace it.
  const isRemark = rest === '' || /^[.,;:!(–—-]/.test(rest) || startsWithSign(rest) || isDone(rest);
  return whole !== '' && isRemark ? (tildes ?? tags) : undefined;
}

/** A sign counts at either end, also within emphasis, and before a remark. */
function stripSign(text: string): string | undefined {
  const found = [...text.matchAll(ANY_SIGN)].filter((_, k, all) => k === 0 || k === all.length - 1);

  for (const { 0: sign, index } of found) {
    const [before, after] = [text.slice(0, index), text.slice(index + sign.length)];
    const isEnd = /^[\s*_`~]*$/.test(before) || /^[\s*_`~.!]*$/.test(after);
    if (!isEnd && !/^\s*[-–—(:|]/.test(after) && !isDone(after)) continue;

    const glue = /[*_`]$/.test(before) || /^[*_`]/.test(after) ? '' : ' ';
    return `${before.trim()}${glue}${after.trim()}`.trim();
  }
}

function stripStart(text: string): string | undefined {
  const [whole, , inner = ''] = EMPHASIS_AT_START.exec(text) ?? [];
  if (whole !== undefined && text.length > whole.length && (isDone(inner, VERBS) || IS_CHECKED.test(inner)))
    return text.slice(whole.length).replace(/^[:：–—-]+\s*/, '');

  const lead = /^[*_`]{0,3}/.exec(text)?.[0] ?? '';
  const rest = text.slice(lead.length);
  const [mark = '', bracket, label, todo, capitals] = MARK_AT_START.exec(rest) ?? [];
  const isMark = todo ?? (capitals === undefined ? isDone(bracket ?? label) : isDone(capitals, VERBS));

  return isMark ? lead + rest.slice(mark.length) : undefined;
}

function stripEnd(text: string): string | undefined {
  const [day = ''] = DAY_AT_END.exec(text.slice(-END_CHARACTERS)) ?? [];
  if (day !== '') return text.slice(0, -day.length);

  const [whole, , inner = ''] = EMPHASIS_AT_END.exec(text.slice(-END_CHARACTERS)) ?? [];
  if (whole !== undefined && text.length > whole.length && IS_SET_OFF.test(whole) && isDone(inner))
    return trimEnd(text, whole);

  const tail = /[*_`]{0,3}$/.exec(text)?.[0] ?? '';
  const rest = text.slice(0, text.length - tail.length);
  const [mark = '', ...words] = MARK_AT_END.exec(rest.slice(-END_CHARACTERS)) ?? [];
  const isMark = words.some((word) => isDone(word)) || IS_CHECKED.test(mark);

  return isMark && mark.length < rest.length ? trimEnd(rest, mark) + tail : undefined;
}

/** A text without its end, and without what joined both. */
const trimEnd = (text: string, end: string): string =>
  text
    .slice(0, text.length - end.length)
    .replace(
      /(?<![\s\-–—|→…:：,;=>])(?:\s*[-–—|,;(]\s*(?:status|state)\b)?(?:[\s\-–—|→…:：,;=>]|\.{3}){0,40}$/i,
      '',
    );

const startsWithSign = (text: string): boolean => SIGNS.some((sign) => text.startsWith(sign));

/** Whether a heading is nothing but a word for "done": `## Done (3)`. */
export const isDoneHeading = (text: string): boolean => DONE.has(getHeadingWords(text));

/** Whether a list below a heading holds no steps: `Notes:`, `## Open questions`. */
export const isRemarkHeading = (text: string): boolean => REMARKS.has(getHeadingWords(text));

const getHeadingWords = (text: string): string =>
  text
    .replace(/[^\p{L}\p{M}\s-]/gu, '')
    .trim()
    .toLowerCase();

/** The end of a word for "done" in `done 3/1`, `completed in PR 12`, `done: see below`, not in `complete rewrite`. */
const FOLLOWING =
  /[,.:;!。！)\]}）】]|\s(?=[\d#(（[/-]|(?:in|on|by|at|via|with|see|am|im|von|vom|mit|le|la|el|il|em|op|w|v|today|yesterday|last|already)(?!\p{L}))/u;

/** Whether a text begins with a word for "done": `done`, `[completed 2026-03-01]`, `status: done`. */
function isDone(text = '', except?: ReadonlySet<string>): boolean {
  const words = text
    .replace(ANY_SIGN, '')
    .replace(/^[\s([{（【]+/, '')
    .trim()
    .toLowerCase()
    .replace(/^(?:status|state)\s*[:=]\s*/, '');
  const first = words.split(FOLLOWING, 1)[0] ?? '';
  const found = [words, first].find((each) => DONE.has(each));

  return found === undefined ? startsWithSign(text.trim()) : !except?.has(found);
}

/** Whether a cell of a table says "done" or "open", or below a head like "Done" yes or no; else `undefined`. */
export function readStatus(cell: string, head = ''): boolean | undefined {
  const answer = cell.trim().toLowerCase();
  if (isDoneHeading(head) && (YES.has(answer) || NO.has(answer))) return YES.has(answer);

  const box = /^\s*\\?\[(.?)\\?\]\s*$/u.exec(cell)?.[1]?.trim().toLowerCase();
  if (box !== undefined) return CHECKED.has(box);

  const word = answer.replace(/[*_`]|\uFE0F/g, '').trim();
  if (word === '' || word.split(/\s+/).length > 3) return undefined;
  const bare = word.replace(/^[^\p{L}\p{N}:]+/u, '');
  if (CHECKED.has(word) || isDone(word) || isDone(bare)) return true;

  return UNCHECKED.has(word) || UNCHECKED.has(bare) ? false : undefined;
}

const isCurrent = (text: string): boolean => text.trimEnd().endsWith(CURRENT);

export function stripCurrentMark(text: string): string {
  if (!isCurrent(text)) return text;
  // A formatter of Markdown escapes the marker.
  return text.trimEnd().slice(0, -CURRENT.length).replace(/\\$/, '').trimEnd();
}
