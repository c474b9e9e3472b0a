import { shorten } from '../base/text/strings.ts';
import { findRows, type Row } from './plan-table.ts';
import { isDoneHeading, isRemarkHeading, parseStepParts, type StepParts } from './step-parts.ts';

/** May follow a number without a blank: a mark, a box or a capital, not the rest of `1.5`. */
const WITHOUT_BLANK = String.raw`~~|\*\*|__|\[[ xX]?\]|[\p{Extended_Pictographic}✓✗×☐☑]|\p{Lu}\p{L}|\p{Lo}`;
/** The mark before the words of a list item: `1.`, `**1.**`, `(2)`, `1.2`, `3、`, `a)`, `iv.`, `①`, `-`, `•`, `##`. */
const MARKER = String.raw`\(?(\d+)[.)](?=\s|${WITHOUT_BLANK})|(?:\*\*|__)(\d+)[.)](?:\*\*|__)(?=\s)|([\d０-９]+)[、．）]|(?:\d+\.)+\d+[.)]?(?=\s)|\p{Nd}+[.)](?=\s)|\((?:[a-wyz]|[ivx]{2,5})\)(?=\s)|(?:[A-Za-z]|[ivx]{2,5}|[IVX]{2,5})[.)](?=\s)|[①-⑳]|[一二三四五六七八九十]{1,3}、|[-*+•◦▪‣·–—●○■►▸➤](?=\s)|#{1,6}(?=\s)`;
/** For one line; `.` would stop at U+2028, and try every way of splitting the spaces before it. */
const ITEM = new RegExp(String.raw`^((?:\s*>)*\s*)(${MARKER})(\s*)([\s\S]*)$`, 'u');

/** The label in `- **Status:** completed`, a fact about the steps beside it. */
const BOLD_LABEL = /^(?:\*\*|__)[^\s*_]+(?: [^\s*_]+)?(?::(?:\*\*|__)|(?:\*\*|__)\s*:)(?:\s|$)/;
/** Headings, quotations, tables, comments, rules, and lines that introduce others. */
const NO_STEP = /^(?:\s|>|\||<!--|[-*_=]{3,}\s*$)|:(?:\*\*)?\s*$/;

/** A sign instead of a bullet: `× Fix`, `✓ Fix`, `☐ Fix`. */
const SIGNED = /^[×✓✔✗✘✅❌☐☑☒⬜]\uFE0F?\s/u;
/** A state in brackets: `[D] Fix`, `[deferred] Fix`. */
const LABEL_IN_BRACKETS = /^\[[^[\]]*\p{L}[^[\]]*\]\s/u;

/** A step of a plan: a list item at the outermost level, or a line of a plan without a list. */
export interface Step {
  /** The number that `plan done N` takes: the printed one, or the position when items have bullets. */
  number: number;
  /** The number in front of it, if that does not count because other steps have it, too. */
  printed?: number;
  line: number;
  text: string;
  done: boolean;
  current: boolean;
}

export interface Line {
  indent: string;
  /** `1.`, `-` or `##` with the space after it; empty where there is none. */
  marker: string;
  digits: string | undefined;
  text: string;
}

function splitLine(content: string): Line {
  const [, indent, sign = '', plain, bold, wide, gap = '', text = ''] = ITEM.exec(content) ?? [];
  const digits = (plain ?? bold ?? wide)?.normalize('NFKC');
  if (indent !== undefined) return { indent, marker: sign + gap, digits, text };

  const bare = content.trimStart();
  const blanks = content.slice(0, content.length - bare.length);
  return { indent: blanks, marker: '', digits: undefined, text: bare };
}

/** `A.` may be a mark, or the initial of a name: it is a mark in a list whose letters count. */
const INITIAL = /^([A-Za-z]+)\.\s/;
export const ROMANS = 'i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx'.split(' ');

const withoutInitial = (line: Line): Line =>
  INITIAL.test(line.marker) ? { ...line, marker: '', text: line.marker + line.text } : line;

export const parseLine = (content: string): Line => withoutInitial(splitLine(content));

export function parseLines(contents: readonly string[]): Line[] {
  const lines = contents.map(splitLine);
  const initials = lines.filter(({ marker }) => INITIAL.test(marker));
  const counting = new Set(
    initials.filter((line, k) => isNext(initials[k - 1], line) || isNext(line, initials[k + 1])),
  );

  return lines.map((line) => (counting.has(line) ? line : withoutInitial(line)));
}

/** Whether the letters of two lines follow each other, as `b.` follows `a.` and `ii.` follows `i.`. */
function isNext(a: Line | undefined, b: Line | undefined): boolean {
  const [first = '', second = ''] = [a, b].map((line) => INITIAL.exec(line?.marker ?? '')?.[1]);
  const nextLetter = first.length === 1 ? String.fromCharCode(first.charCodeAt(0) + 1) : undefined;
  const nextRoman = ROMANS[ROMANS.indexOf(first.toLowerCase()) + 1];

  return a?.indent === b?.indent && [nextLetter, nextRoman, nextRoman?.toUpperCase()].includes(second);
}

export interface Item extends Line {
  line: number;
  parts: StepParts;
  row: Row | undefined;
}

/** The steps in order; lines that are not list items, and deeper levels, belong to the step above. */
export function parseSteps(plan: string): Step[] {
  const items = parseItems(plan);
  const chosen = chooseItems(items);
  const printedNumbers = chosen.map(({ digits }) => Number(digits));
  const doneByPlace = new Set([...findDoneByParts(items, chosen), ...findDoneByHeading(items)]);
  // Printed numbers count if they are unique, because a person reads them.
  const different = new Set(printedNumbers).size;
  const countPrinted = printedNumbers.every(Number.isInteger) && different === printedNumbers.length;
  // In Markdown a list may have the number 1 everywhere.
  const areAllEqual = different === 1;

  return chosen.map((item, index) => {
    const { text, current } = item.parts;
    const printedNumber = printedNumbers[index] ?? Number.NaN;
    const isIgnored = !countPrinted && !areAllEqual && !Number.isNaN(printedNumber);
    return {
      number: countPrinted ? printedNumber : index + 1,
      printed: isIgnored ? printedNumber : undefined,
      line: item.line,
      text,
      done: item.parts.done || item.row?.done === true || doneByPlace.has(item.line),
      current,
    };
  });
}

/** The lines of the steps without a checkbox below which all boxes are checked, and nothing beside these is open. */
function findDoneByParts(items: readonly Item[], steps: readonly Item[]): ReadonlySet<number> {
  const done = new Set<number>();
  const open = new Set<number>();
  const boxIndents = new Set(items.filter(({ parts }) => parts.box !== '').map(({ indent }) => indent));
  let index = 0;

  for (const item of items) {
    const { line, parts } = item;
    while ((steps[index + 1]?.line ?? Number.POSITIVE_INFINITY) <= line) index += 1;
    const step = steps[index];
    const isPart = parts.box !== '' || (boxIndents.has(item.indent) && isListed(item));
    if (step === undefined || step.line >= line || !isPart || isHeading(item)) continue;
    if (parts.box === '' ? !parts.done : !parts.checked || step.parts.box !== '') open.add(step.line);
    else if (parts.box !== '') done.add(step.line);
  }

  return new Set([...done].filter((line) => !open.has(line)));
}

/** The lines without a checkbox below a heading such as "Done". */
export function findDoneByHeading(items: readonly Item[]): ReadonlySet<number> {
  const done = new Set<number>();
  let isDone = false;

  for (const item of items)
    if (isHeading(item)) isDone = isDoneHeading(item.text);
    else if (isDone && item.parts.box === '') done.add(item.line);

  return done;
}

/** Parses the lines of a plan that are neither blank nor hidden; of a row of a table the cell with the step. */
export function parseItems(plan: string): Item[] {
  const lines = plan.split('\n');
  const hidden = findHiddenLines(lines);
  const rows = findRows(lines);
  const visible = lines.map((content, line) => (hidden.has(line) ? '' : content));

  return parseLines(visible).flatMap((parsed, line): Item[] => {
    if (visible[line]?.trim() === '') return [];
    const row = rows.get(line);
    const cell = row && {
      indent: '',
      marker: '',
      digits: undefined,
      text: row.cells[row.column]?.trim() ?? '',
    };
    const item = cell ?? parsed;
    return [{ ...item, line, row, parts: parseStepParts(item.text) }];
  });
}

/** The lines that are steps: those with checkboxes if there are any, else list items, lines of text, or headings. */
function chooseItems(lines: readonly Item[]): Item[] {
  // In a bullet journal a sign stands in the place of the bullet.
  const isJournal = lines.some(isListed) && !lines.some(({ digits }) => digits);
  const items = lines.filter(
    (line) => isListed(line) || (isJournal && isText(line) && SIGNED.test(line.text)),
  );
  if (items.length === 0) return chooseWithoutList(lines);

  const outermost = filterOutermost(items);
  const boxes = filterOutermost(items.filter(({ parts }) => parts.box !== ''));
  const boxDepth = boxes[0]?.indent.length ?? 0;
  const areBoxesParts = outermost.some(({ digits, indent }) => digits && indent.length < boxDepth);
  if (boxes.length > 0 && !areBoxesParts && !areNumbersCountingBoxes(outermost))
    return chooseAboveBoxes(lines, boxDepth) ?? chooseByBoxes(lines, items, outermost, boxes);

  const steps = outermost.filter(({ digits, text }) => digits || !BOLD_LABEL.test(text));

  return steps.length > 0 ? steps : outermost;
}

/** Whether a box stands in the place of a numbered item, as that in "2.", "- [x]", "4.", and is no part of the one above. */
function areNumbersCountingBoxes(items: readonly Item[]): boolean {
  const bullet = items.findIndex(({ digits }) => !digits);
  const last = items.findLastIndex(({ digits }) => digits);
  return (
    bullet !== -1 && bullet < last && items.every(({ digits }, at) => !digits || Number(digits) === at + 1)
  );
}

function chooseWithoutList(lines: readonly Item[]): Item[] {
  const rows = lines.filter(({ row, text }) => row && text !== '');
  const bare = lines.filter((line) => isText(line) && !isHeading(line));
  const hasStatus = rows.some(({ row }) => row?.done !== undefined);
  if (rows.length > 0 && (hasStatus || bare.length === 0)) return rows;

  const titles = chooseTitles(lines);
  // Text below numbered headings explains them.
  const areNumbered = titles.length > 0 && titles.every(({ text }) => /\d/.test(text));
  return bare.length === 0 || areNumbered ? titles : bare;
}

/** The items with boxes, and with them those without that a person has not checked off yet. */
function chooseByBoxes(
  lines: readonly Item[],
  items: readonly Item[],
  outermost: readonly Item[],
  boxes: Item[],
): Item[] {
  // In a list without boxes a person checks off what is done, or writes how far some steps are.
  const isPartial =
    boxes.every(({ parts }) => parts.checked) ||
    boxes.some(({ parts }) => /\p{L}{2}/u.test(parts.box)) ||
    items.some(({ parts, text }) => parts.box === '' && LABEL_IN_BRACKETS.test(text));
  const numbers = new Set(boxes.map(({ digits }) => digits));
  if (numbers.has(undefined)) return isPartial ? listBesideBoxes(lines, boxes[0]?.indent ?? '') : boxes;

  return outermost.filter(
    (item) => item.digits && (isPartial || boxes.includes(item) || !numbers.has(item.digits)),
  );
}

/** The items of the outermost level above the boxes where one has no box below it: it is a step, too. */
function chooseAboveBoxes(lines: readonly Item[], boxDepth: number): Item[] | undefined {
  const indents = new Set(lines.map(({ indent }) => indent).filter(({ length }) => length < boxDepth));
  const levels = [...indents].sort((a, b) => a.length - b.length);
  return levels
    .map((indent) => listBesideBoxes(lines, indent))
    .find((items) => items.some((item) => !hasBoxBelow(item, lines)));
}

function hasBoxBelow(item: Item, lines: readonly Item[]): boolean {
  const next = lines.find(({ line, indent }) => line > item.line && indent.length <= item.indent.length);
  const end = next?.line ?? Number.POSITIVE_INFINITY;
  return lines.some(({ line, parts }) => line > item.line && line < end && parts.box !== '');
}

/** The items at one level of the lists that hold boxes, and of those below a heading like theirs. */
function listBesideBoxes(lines: readonly Item[], level: string): Item[] {
  let list: { heading?: Item; items: Item[]; hasBox: boolean } = { items: [], hasBox: false };
  const lists = [list];

  for (const item of lines) {
    const isBox = item.parts.box !== '';
    if (isBox) list.hasBox = true;
    if (item.indent.length > level.length || (item.marker !== '' && BOLD_LABEL.test(item.text))) continue;

    if (isListed(item) && item.indent === level && (isBox || !item.digits)) list.items.push(item);
    else {
      const isBelowHeading = list.items.length === 0 && list.heading !== undefined && isHeading(list.heading);
      list = { heading: isBelowHeading && !isHeading(item) ? list.heading : item, items: [], hasBox: false };
      lists.push(list);
    }
  }

  const forms = new Set(lists.flatMap(({ hasBox, heading }) => (hasBox && heading ? getForm(heading) : [])));
  return lists
    .filter(
      ({ hasBox, heading }) =>
        hasBox || (heading && forms.has(getForm(heading)) && !isRemarkHeading(heading.text)),
    )
    .flatMap(({ items }) => items);
}

const getForm = ({ marker, text }: Item): string =>
  `${marker}${/^\*\*/.exec(text) ?? ''}${/:\W*$/.test(text)}`;

const isListed = ({ marker }: Item): boolean => marker !== '' && !marker.startsWith('#');

const isHeading = ({ marker }: Item): boolean => marker.startsWith('#');

const isText = ({ row, indent, text }: Item): boolean =>
  row === undefined && !NO_STEP.test(indent + text) && !BOLD_LABEL.test(text);

/** The headings of the last one's level; a single one is the title of the plan. */
function chooseTitles(lines: readonly Item[]): Item[] {
  const last = lines.findLast(isHeading);
  const titles = last === undefined ? [] : lines.filter(({ marker }) => marker === last.marker);
  return titles.length < 2 ? [] : titles;
}

function filterOutermost(items: readonly Item[]): Item[] {
  const depths = items.map(measureDepth);
  const least = depths.reduce((min, depth) => Math.min(min, depth), Number.POSITIVE_INFINITY);
  return items.filter((_, k) => depths[k] === least);
}

/** `1.2` and `b.` stand below `1.`, also without indentation. */
function measureDepth({ indent, marker, digits }: Item): number {
  const levels = marker.match(/\.\d/g)?.length ?? 0;
  return indent.length + (digits === undefined && /^\(?[a-z①-⑳]/i.test(marker) ? 1 : levels);
}

/** The lines of fenced code and of comments; an opening without an end hides nothing. */
export function findHiddenLines(lines: readonly string[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  let block: { start: number; isEnd(line: string): boolean } | undefined;

  for (const [index, line] of lines.entries()) {
    if (block?.isEnd(line)) {
      for (let each = block.start; each <= index; each += 1) hidden.add(each);
      block = undefined;
      continue;
    }

    const fence = /^(?:\s*>)*\s*(`{3,}(?=[^`]*$)|~{3,}(?!.*~~))/.exec(line)?.[1];
    if (fence !== undefined) block ??= { start: index, isEnd: (each) => isClosingFence(each, fence) };
    else if (/^\s*<!--(?!.*-->)/.test(line))
      block ??= { start: index, isEnd: (each) => each.includes('-->') };
  }

  return hidden;
}

function isClosingFence(line: string, opening: string): boolean {
  const content = line.replace(/^[\s>]+/, '').trimEnd();
  return content.startsWith(opening) && content.replaceAll(opening.charAt(0), '') === '';
}

export const countDone = (steps: readonly Step[]): number => steps.filter(({ done }) => done).length;

/** The current step: the open one with the marker, else the first open one. */
export function findCurrentStep(steps: readonly Step[]): Step | undefined {
  const open = steps.filter(({ done }) => !done);
  return open.find(({ current }) => current) ?? open[0];
}

const STEP_CHARACTERS = 200;

export const NO_STEPS = 'the plan has text but no steps; begin each with "1." or "-"';

/** The next step: `next: 2. Add test`. */
export function renderOutlook(steps: readonly Step[]): string {
  const next = findCurrentStep(steps);
  if (next) return `next: ${shorten(label(next), STEP_CHARACTERS)}`;
  return steps.length === 1 ? 'the plan is done' : `all ${steps.length} steps are done`;
}

export const label = ({ number, text }: Pick<Step, 'number' | 'text'>): string => `${number}. ${text.trim()}`;
