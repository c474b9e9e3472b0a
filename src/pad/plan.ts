import { refusal, usageError } from '../base/errors.ts';
import { collapseLines } from '../base/text/strings.ts';
import { seeSpace } from './advice.ts';
import { renderNextRow, renderRow } from './plan-table.ts';
import { cleanText, type EditResult } from './spaces.ts';
import { findStep, findSteps, type StepName } from './step-names.ts';
import { CURRENT, parseStepParts, stripCurrentMark } from './step-parts.ts';
import {
  findCurrentStep,
  findDoneByHeading,
  type Item,
  type Line,
  label,
  parseItems,
  parseLine,
  parseLines,
  parseSteps,
  ROMANS,
  renderOutlook,
  type Step,
} from './steps.ts';

/** Strikes steps through and marks them DONE; without names, the current step. Its mark moves to the next open one. */
export function markDone(plan: string, names: readonly StepName[]): EditResult {
  const all = parseSteps(plan);
  const steps = findSteps(all, names.length > 0 ? names : [findOpenStep(all).number], ({ done }) => !done);
  const strike = (raw: string): string => {
    const { box, marked, tail, text } = parseStepParts(raw);
    return `${box === '' ? '' : '[x] '}${marked ? tail : `~~${text.trim()}~~ DONE`}`;
  };
  let content = steps.reduce((text, step) => editStep(text, step, strike, true), plan);

  const current = steps.find((step) => step.current);
  const next = current && parseSteps(content).find(({ line, done }) => line > current.line && !done);
  if (next) content = markCurrent(content, next.number).content;

  const lines = steps.map(renderDone);

  return { content, warnings: [], message: `${lines.join('\n')} - ${renderOutlook(parseSteps(content))}` };
}

const renderDone = ({ number, text }: Step): string => `${number}. ~~${text.trim()}~~ DONE`;

export function markOpen(plan: string, names: readonly StepName[]): EditResult {
  let content = plan;
  const reopen = (raw: string): string => {
    const { box, text, current } = parseStepParts(raw);
    return `${box === '' ? '' : '[ ] '}${text.trim()}${current ? ` ${CURRENT}` : ''}`;
  };
  const lines = findSteps(parseSteps(plan), names, ({ done }) => done).map((step) => {
    content = editStep(content, step, reopen, false);

    if (parseSteps(content).some(({ line, done }) => line === step.line && done))
      throw refusal(
        `step ${step.number} is done by a heading above or the checkboxes below it: nothing was changed`,
        { next: 'move it, or clear a checkbox, in the file' },
      );

    return `${label(step)} - open`;
  });

  return { content, warnings: [], message: lines.join('\n') };
}

export function markCurrent(plan: string, name: StepName): EditResult {
  const step = findStep(parseSteps(plan), name);
  if (step.done) {
    const reopen = `plan undone ${step.number}`;
    throw refusal(`step ${step.number} is done: nothing was changed`, {
      found: label(step),
      next: {
        to: 'reopen it first',
        command: `scratchpad ${reopen}`,
        tool: 'session_scratchpad with action plan.undone',
        call: 'pad.plan.undone()',
      },
    });
  }

  const steps = new Set(parseSteps(plan).map(({ line }) => line));
  const isItem = (line: string, index: number): boolean => steps.has(index) || parseLine(line).marker !== '';
  const lines = plan.split('\n').map((line, k) => (isItem(line, k) ? stripCurrentMark(line) : line));
  // In a table the mark is at the end of a cell.
  const rows = parseSteps(lines.join('\n')).filter(({ current }) => current);
  const unmarked = rows.reduce((text, row) => editStep(text, row, stripCurrentMark), lines.join('\n'));
  const content = editStep(unmarked, step, (raw) => `${stripCurrentMark(raw)} ${CURRENT}`);

  return { content, warnings: [], message: `current: ${label(step)}` };
}

/** Adds a step for each line, with the indented lines below it, at the end and in the style of the list. */
export function addStep(plan: string, text: string): EditResult {
  const lines = cleanText(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const messages: string[] = [];
  let content = plan;

  for (const [index, parsed] of parseLines(lines.length > 0 ? lines : ['']).entries()) {
    const line = lines[index] ?? '';
    if (index > 0 && /^\s/.test(line)) continue;

    const next = lines.findIndex((each, k) => k > index && !/^\s/.test(each));
    const below = lines.slice(index + 1, next === -1 ? undefined : next).map((each) => each.trimEnd());
    const added = addLine(content, getStepText(parsed, line), below);
    content = added.content;
    messages.push(added.message);
  }

  return { content, warnings: [], message: messages.join('\n') };
}

/** @param below the lines of the step below its first one */
function addLine(plan: string, step: string, below: readonly string[]): EditResult {
  const lines = plan === '' ? [] : plan.replace(/\n$/, '').split('\n');
  const steps = parseSteps(plan);
  const items = parseItems(plan);
  const doneLines = findDoneByHeading(items);
  // Below a heading that says "done" a step would be done.
  const anchor = steps.findLast(({ line }) => !doneLines.has(line));
  const item = items.find(({ line }) => line === anchor?.line);
  const added = [
    item ? renderNext(items, item, step, chooseNumber(steps, items, anchor)) : `1. ${step}`,
    ...below,
  ];

  // At the end may be a list of remarks, in which nothing is a step.
  const isLast = anchor === steps.at(-1) && item?.row === undefined;
  const positions = [...(isLast ? [lines.length] : []), findBlockEnd(lines, anchor)];
  const results = positions.map((position) => {
    const content = [...lines.slice(0, position), ...added, ...lines.slice(position)].join('\n');
    return { content, addedStep: parseSteps(content).find(({ line }) => line === position) };
  });
  const { content, addedStep } = results.find((each) => each.addedStep) ??
    results.at(-1) ?? { content: plan };
  if (addedStep === undefined && item && COUNTED.test(item.marker))
    throw refusal(`no step can follow "${item.marker.trim()}" in this list: nothing was changed`, {
      next: 'number the steps in the file: 1. 2. 3.',
    });

  const shown = addedStep?.done ? renderDone(addedStep) : addedStep && label(addedStep);

  return { content, warnings: [], message: `added: ${shown ?? step}` };
}

/** The line behind a step and the indented lines below it. */
function findBlockEnd(lines: readonly string[], step: Step | undefined): number {
  const start = (step?.line ?? -1) + 1;
  const unindented = lines.slice(start).findIndex((line) => !/^\s+\S/.test(line));
  return unindented === -1 ? lines.length : start + unindented;
}

/** The number of a new step where the list does not count on by itself. */
function chooseNumber(steps: readonly Step[], items: readonly Item[], last?: Step): number | undefined {
  // Among bullets, commands count places: the next number is the next place.
  if (last?.printed !== undefined && steps.some(({ printed }) => printed === undefined))
    return last.number + 1;

  // In Markdown a list may have the number 1 everywhere.
  const lines = new Set(steps.map(({ line }) => line));
  const [digits, ...others] = new Set(items.filter(({ line }) => lines.has(line)).map((item) => item.digits));
  return steps.length > 1 && others.length === 0 && digits ? Number(digits) : undefined;
}

/** The part of a marker that counts: a number, a letter, a Roman or Chinese numeral. */
const COUNTED = /[\d０-９]+(?=\D*$)|[a-z①-⑳一二三四五六七八九十]+/iu;
const COUNTS = [
  ROMANS,
  [...'abcdefghijklmnopqrstuvwxyz'],
  [...'①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳'],
  '一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十'.split(' '),
];

/** A step in the form of the last one: the next number, its bullet, an open checkbox. */
function renderNext(items: readonly Item[], last: Item, step: string, number?: number): string {
  const { indent, marker, text, row, line } = last;
  if (row) return renderNextRow(row, step);

  const previous = items.findLast((item) => item.line < line && item.indent === indent && item.marker !== '');
  const before = COUNTED.exec(previous?.marker ?? '')?.[0];
  const nextMarker = marker.replace(COUNTED, (mark) =>
    number === undefined ? countOn(mark, before) : writeNumber(mark, number),
  );

  return `${indent}${nextMarker}${parseStepParts(text).box === '' ? '' : '[ ] '}${step}`;
}

/** The next mark of the count in which `previous` stands before it, as `v` follows `iv` or `u`; empty after the last. */
function countOn(mark: string, previous = ''): string {
  if (/[\d０-９]/.test(mark)) return writeNumber(mark, Number(mark.normalize('NFKC')) + 1);

  const [lower, before] = [mark.toLowerCase(), previous.toLowerCase()];
  const counts = COUNTS.filter((count) => count.includes(lower));
  const count = counts.find((each) => (each[each.indexOf(lower) - 1] ?? '') === before) ?? counts.at(-1);
  const next = count?.[count.indexOf(lower) + 1] ?? '';

  return mark === lower ? next : next.toUpperCase();
}

/** A number in digits of the same width. */
const writeNumber = (before: string, number: number | string): string =>
  /\d/.test(before)
    ? String(number)
    : String(number).replace(/\d/g, (digit) => '０１２３４５６７８９'.charAt(Number(digit)));

/** Changes the text of a step, but not its number, its checkbox, or whether it is done or current. */
export function rewordStep(plan: string, name: StepName, text: string): EditResult {
  const line = collapseLines(cleanText(text));
  const words = getStepText(parseLine(line), line, (each) => parseStepParts(each).text.trim());
  const step = findStep(parseSteps(plan), name);
  const content = editStep(plan, step, (raw) => {
    const { box, marked, current } = parseStepParts(raw);
    return `${box}${marked ? `~~${words}~~ DONE` : words}${current ? ` ${CURRENT}` : ''}`;
  });

  return { content, warnings: [], message: `${step.number}. ${words} (was: ${step.text.trim()})` };
}

export function removeSteps(plan: string, names: readonly StepName[]): EditResult {
  const steps = parseSteps(plan);
  const removed = new Set(findSteps(steps, names));
  const { before, blocks } = splitBlocks(plan, steps);
  const remaining = blocks.flatMap(({ lines, gap }, k) => {
    if (!removed.has(steps[k] as Step)) return [...lines, ...gap];
    return k === steps.length - 1 || gap.some((line) => line.trim() !== '') ? gap : [];
  });

  // The marker moves to the next open step, as when its step is done.
  const current = steps.findIndex((step) => step.current && removed.has(step));
  let content = relabelSteps([...before, ...remaining].join('\n'), plan);

  if (current !== -1) {
    const place = steps.slice(0, current).filter((step) => !removed.has(step)).length;
    const next = parseSteps(content).find((step, k) => k >= place && !step.done);
    if (next) content = markCurrent(content, next.number).content;
  }

  const message = [...removed].map((step) => `removed: ${label(step)}`).join('\n');

  return { content, warnings: [], message };
}

export function moveStep(plan: string, name: StepName, to: number): EditResult {
  const steps = parseSteps(plan);
  const from = steps.indexOf(findStep(steps, name));
  const target = steps.indexOf(findStep(steps, to));
  const { before, blocks } = splitBlocks(plan, steps);
  const order = blocks.map(({ lines }) => lines);

  order.splice(target, 0, ...order.splice(from, 1));
  const lines = order.flatMap((each, k) => [...each, ...(blocks[k]?.gap ?? [])]);
  const content = relabelSteps([...before, ...lines].join('\n'), plan);
  const moved = parseSteps(content)[target];

  return { content, warnings: [], message: `moved: ${moved ? label(moved) : ''}` };
}

/** The words of a step without the number or bullet of a line that was copied from a list: the plan has its own. */
function getStepText({ marker, text }: Line, line: string, strip = stripEmptyBox): string {
  // `3.5 is out` begins with a version, or an amount.
  const step = strip(collapseLines(/^\d+\.\d+\s*$/.test(marker) ? line : text));
  if (step !== '') return step;
  throw usageError('the step is empty', { expected: 'the text of the step' });
}

const stripEmptyBox = (words: string): string => words.replace(/^\[ \]\s+/, '');

function findOpenStep(steps: readonly Step[]): Step {
  const step = findCurrentStep(steps);
  if (step) return step;
  throw refusal('the plan has no open step: nothing was changed', { next: seeSpace('plan') });
}

function editStep(plan: string, step: Step, edit: (text: string) => string, done?: boolean): string {
  const lines = plan.split('\n');
  const { indent, marker, text, row } = findItem(plan, step);
  const isByStatus = done === true && row?.done !== undefined;
  lines[step.line] = row
    ? renderRow(row, isByStatus ? text : edit(text), done)
    : `${indent}${marker}${edit(text)}`;

  return lines.join('\n');
}

function findItem(plan: string, { line }: Step): Item {
  const item = parseItems(plan).find((each) => each.line === line);
  if (item) return item;
  throw new Error(`line ${line + 1} of the plan is no step`);
}

/**
 * The lines of each step, including following lines that are indented or not separated by a blank line, and the lines
 * between it and the next step, which stay where they are: headings, facts, blank lines.
 */
function splitBlocks(plan: string, steps: readonly Step[]) {
  const lines = plan.split('\n');
  const blocks = steps.map(({ line }, k) => {
    const limit = steps[k + 1]?.line ?? lines.length;
    let end = line + 1;

    for (let index = end; index < limit; index += 1) {
      const content = lines[index] ?? '';
      if (content.trim() === '') continue;
      const followsDirectly = index === end && !/^(?:#|[-*+]\s)/.test(content);
      if (!followsDirectly && !/^\s/.test(content)) break;
      end = index + 1;
    }

    return { lines: lines.slice(line, end), gap: lines.slice(end, limit) };
  });

  return { before: lines.slice(0, steps[0]?.line ?? 0), blocks };
}

/** Gives the steps of a plan the printed numbers of the plan before, in order. Numbers that were not unique stay. */
function relabelSteps(plan: string, before: string): string {
  const linesBefore = before.split('\n');
  const numbers = parseSteps(before).map(({ line }) => parseLine(linesBefore[line] ?? '').digits);
  if (numbers.includes(undefined) || new Set(numbers).size !== numbers.length) return plan;

  const lines = plan.split('\n');
  parseSteps(plan).forEach(({ line }, k) => {
    const relabel = (printed: string): string => writeNumber(printed, numbers[k] ?? printed);
    lines[line] = (lines[line] ?? '').replace(/[\d０-９]+/, relabel);
  });

  return lines.join('\n');
}
