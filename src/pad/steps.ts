import { formatCount, makeWordSet, shorten, splitWordList } from '../base/text/strings.ts';

/** For one line; `.` would stop at U+2028, and try every way of splitting the spaces before it. */
const ITEM = /^(\s*)((\d+)[.)]|[-*+])(\s+)([\s\S]*)$/;
export const CURRENT = '<-- current';

/** What people write for "done", in the languages of most public plans. */
const DONE = makeWordSet(
  'done complete completed finished erledigt fertig fait terminé hecho listo completado feito concluído fatto klaar gedaan ' +
    'zrobione gotowe hotovo klar klart färdig готово сделано выполнено 完成 已完成 完了 済 済み 완료',
);
const CHECKED = makeWordSet('x ✅ ☑ ☒ ✔ ✓ √ v *');
/** What a box of a step that is not done has in it; anything else in brackets is text. */
const UNCHECKED = new Set([
  ...splitWordList('- ~ / > ! ? o . ☐ 🔄 ⏳ 🚧 ❌ todo to-do open pending wip next current started blocked'),
  ...['', 'in progress', 'in-progress', 'in_progress', 'to do'],
]);
const CHECK_MARK = /[✅☑☒✔✓]\uFE0F?/g;
/** `(done)`, `[x]`, `- done`, `: done` or `DONE` at the end of a step. */
const DONE_AT_END =
  /\s*(?:[([（【]([^()[\]（）【】]{2,60})[)\]）】]|\[[xX✅☑☒✔✓]\uFE0F?\]|(?:\s[-–—]+|[:：])\s*([^\s:：–—]{1,20})|\s(DONE))[.!]?\s*$/;
const BRACKETS = /^\[([^[\]]{0,16})\](?![([])(?:\s+|$|(?<=\[[ xX✅☑✔✓]\]))/;

/** `- **Status:** completed`: a fact about the steps beside it. */
const BOLD_LABEL = /^(?:\*\*|__)[^\s*_]+(?: [^\s*_]+)?(?::(?:\*\*|__)|(?:\*\*|__)\s*:)(?:\s|$)/;
/** Headings, quotations, tables, comments, rules, and lines that introduce others. */
const NO_STEP = /^(?:\s|#{1,6}\s|>|\||<!--|[-*_=]{3,}\s*$)|:(?:\*\*)?\s*$/;

/** A step of a plan: a list item at the outermost level, or a line of a plan without a list. */
export interface Step {
  /** The number that `plan done N` takes: the printed one, or the position when items have bullets. */
  number: number;
  /** The number in front of it, if that is not the one that counts, because others have it too. */
  printed?: number;
  line: number;
  text: string;
  done: boolean;
  current: boolean;
}

export interface Line {
  indent: string;
  /** `1.` or `-` with the space after it; empty where there is none. */
  marker: string;
  /** The digits of a number. */
  digits: string | undefined;
  text: string;
}

/** Takes a line apart: `  2. [x] Add test`. */
export function parseLine(content: string): Line {
  const [, indent, sign = '', digits, gap = '', text = ''] = ITEM.exec(content) ?? [];
  if (indent !== undefined) return { indent, marker: sign + gap, digits, text };

  const bare = content.trimStart();

  return {
    indent: content.slice(0, content.length - bare.length),
    marker: '',
    digits: undefined,
    text: bare,
  };
}

interface Item extends Line {
  line: number;
  parts: StepParts;
}

/** The steps in order; lines that are not list items, and deeper levels, belong to the step above. */
export function parseSteps(plan: string): Step[] {
  const chosen = chooseItems(plan);
  const labels = chosen.map(({ digits }) => Number(digits));
  // Printed numbers count if they are unique, because a person reads them.
  const printed = labels.every(Number.isInteger) && new Set(labels).size === labels.length;
  const isLazy = new Set(labels).size === 1;

  return chosen.map((item, index) => {
    const { text, done, current } = item.parts;
    const number = printed ? (labels[index] ?? index + 1) : index + 1;
    const label = labels[index];
    const other = printed || isLazy || Number.isNaN(label) ? undefined : label;
    return { number, printed: other, line: item.line, text, done, current };
  });
}

/** The lines that are steps: those with checkboxes if there are any, else list items, else all lines of text. */
function chooseItems(plan: string): Item[] {
  const all = plan.split('\n');
  const hidden = findHiddenLines(all);
  const lines = all.flatMap((content, line): Item[] => {
    if (hidden.has(line) || content.trim() === '') return [];
    const parsed = parseLine(content);
    return [{ ...parsed, line, parts: parseStepParts(parsed.text) }];
  });

  const items = lines.filter(({ marker }) => marker !== '');

  if (items.length === 0) return lines.filter(({ indent, text }) => !NO_STEP.test(indent + text));

  const outermost = filterOutermost(items);
  const boxes = filterOutermost(items.filter(({ parts }) => parts.box !== ''));
  const areParts = outermost.some(
    ({ digits, indent }) => digits && indent.length < (boxes[0]?.indent.length ?? 0),
  );

  if (boxes.length > 0 && !areParts) {
    // In a numbered list without boxes a person checks off what is done.
    const areAdded = boxes.every(({ parts, digits }) => parts.checked && digits);
    return areAdded ? outermost.filter(({ digits }) => digits) : boxes;
  }

  const steps = outermost.filter(({ digits, text }) => digits || !BOLD_LABEL.test(text));

  return steps.length > 0 ? steps : outermost;
}

function filterOutermost(items: readonly Item[]): Item[] {
  const least = items.reduce((min, { indent }) => Math.min(min, indent.length), Number.POSITIVE_INFINITY);
  return items.filter(({ indent }) => indent.length === least);
}

/** The lines of fenced code and of comments; what is opened and never closed hides nothing. */
export function findHiddenLines(lines: readonly string[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  let open: { at: number; isEnd(line: string): boolean } | undefined;

  for (const [at, line] of lines.entries()) {
    if (open?.isEnd(line)) {
      for (let each = open.at; each <= at; each += 1) hidden.add(each);
      open = undefined;
      continue;
    }

    const fence = /^\s*(`{3,}(?=[^`]*$)|~{3,}(?!.*~~))/.exec(line)?.[1];
    if (fence !== undefined) open ??= { at, isEnd: (each) => isFence(each.trim(), fence) };
    else if (/^\s*<!--(?!.*-->)/.test(line)) open ??= { at, isEnd: (each) => each.includes('-->') };
  }

  return hidden;
}

function isFence(line: string, opening: string): boolean {
  return line.startsWith(opening) && line.replaceAll(opening.charAt(0), '') === '';
}

const MOST_NUMBERS = 1000;

/** Numbers of steps as people and models write them: `2`, `2,3`, `2-4`. `undefined` for anything else. */
export function stepNumbers(text: string): number[] | undefined {
  const numbers: number[] = [];
  for (const part of text.trim().split(/\s*,\s*|\s+/)) {
    const [, first, last = first] = /^(\d{1,9})(?:[-–](\d{1,9}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || to < from || to - from >= MOST_NUMBERS) return undefined;
    for (let number = from; number <= to; number += 1) numbers.push(number);
  }

  return [...new Set(numbers)];
}

/** The current step: the one with the marker, else the first open one. */
export function findCurrentStep(steps: readonly Step[]): Step | undefined {
  return steps.find((step) => step.current) ?? steps.find((step) => !step.done);
}

const STEP_CHARACTERS = 200;

/** Of a plan with text and no step. */
export const NO_STEPS = 'the plan has text but no steps; begin each with "1." or "-"';

/** The next step: `next: 2. Add test`. */
export function renderOutlook(steps: readonly Step[]): string {
  const next = steps.every(({ done }) => done) ? undefined : findCurrentStep(steps);
  if (next) return `next: ${shorten(label(next), STEP_CHARACTERS)}`;
  return steps.length === 1 ? 'the plan is done' : `all ${steps.length} steps are done`;
}

/** `2. Add test` */
export function label({ number, text }: Pick<Step, 'number' | 'text'>): string {
  return `${number}. ${text.trim()}`;
}

interface StepParts {
  /** The checkbox with its space, or nothing. */
  box: string;
  checked: boolean;
  /** Whether the words say that it is done: struck through, or marked. */
  marked: boolean;
  done: boolean;
  /** The words alone, without checkbox and marks. */
  text: string;
  current: boolean;
  /** The text after the checkbox, without the marker. */
  tail: string;
}

/** Parses the text of a step: `[x] ~~Add test~~ DONE <-- current`. */
export function parseStepParts(raw: string): StepParts {
  const open = stripCurrentMark(raw);
  const [whole = '', inside = ''] = BRACKETS.exec(open) ?? [];
  const sign = inside.replace('\uFE0F', '').trim().toLowerCase();
  const checked = CHECKED.has(sign) || DONE.has(sign);
  const box = checked || UNCHECKED.has(sign) ? whole : '';
  const tail = open.slice(box.length);
  const words = stripDoneMark(tail);
  const marked = words !== undefined;

  return {
    box,
    checked,
    marked,
    done: checked || marked,
    text: words ?? tail,
    current: isCurrent(raw),
    tail,
  };
}

/** A step's words without what says that it is done; `undefined` if nothing does. */
function stripDoneMark(text: string): string | undefined {
  if (!/[~✅☑☒✔✓([（【:：–—-]|DONE/.test(text)) return undefined;

  const [whole, , struck] = /^(\*{0,2})~~([\s\S]*)~~\1\s*/.exec(text) ?? [];
  // Words after a text that is struck through replace it.
  if (whole !== undefined && isRemark(text.slice(whole.length))) return struck;

  const marks = [...text.matchAll(CHECK_MARK)];
  for (const { 0: sign, index } of marks.length > 1
    ? ([marks[0], marks.at(-1)] as RegExpExecArray[])
    : marks) {
    const [before, after] = [text.slice(0, index).trim(), text.slice(index + sign.length).trim()];
    if (before === '' || after === '' || /^[-–—(:|]/.test(after)) return `${before} ${after}`.trim();
  }

  const [begin, first] =
    /^(?:\(([^()]{1,20})\)|([^\s:–—]{1,20})\s*[:–—]|(DONE)\s+-)\s*(?=\S)/.exec(text)?.filter(Boolean) ?? [];
  if (begin !== undefined && isDone(first)) return text.slice(begin.length);

  const from = Math.max(0, text.length - 80);
  const end = DONE_AT_END.exec(text.slice(from));
  const last = end?.slice(1).find((word) => word !== undefined);

  return end && (last === undefined || isDone(last)) ? text.slice(0, from + end.index) : undefined;
}

/** Whether it begins with a word for "done": `done`, `completed 2026-03-01`. */
function isDone(text = ''): boolean {
  return DONE.has(
    text
      .trim()
      .split(/[\s,.:;]/, 1)[0]
      ?.toLowerCase() ?? '',
  );
}

function isRemark(text: string): boolean {
  return text === '' || /^[.,;:!(–—✅☑☒✔✓-]/.test(text) || isDone(text);
}

function isCurrent(text: string): boolean {
  return text.trimEnd().endsWith(CURRENT);
}

export function stripCurrentMark(text: string): string {
  if (!isCurrent(text)) return text;
  // A formatter of Markdown escapes the marker.
  return text.trimEnd().slice(0, -CURRENT.length).replace(/\\$/, '').trimEnd();
}

const TITLE_CHARACTERS = 60;

/** What a plan is about: its text before the steps, else its first step. */
export function getPlanTitle(plan: string): string {
  const lines = plan.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const [step] = parseSteps(plan);
  const words = step !== undefined && step.line <= first ? step.text : (lines[first] ?? '');
  return shorten(collapseText(words.replace(/^[#\s]+/, '')), TITLE_CHARACTERS);
}

/** `2 of 5 done`; without steps `4 lines`. */
export function renderProgress(plan: string): string {
  const steps = parseSteps(plan);
  if (steps.length > 0) return `${steps.filter(({ done }) => done).length} of ${steps.length} done`;
  return formatCount(plan.split('\n').filter((line) => line.trim() !== '').length, 'line');
}

export const collapseText = (text = ''): string =>
  text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').slice(0, 120);
