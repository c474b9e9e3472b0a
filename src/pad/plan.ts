import { refusal, usageError } from '../base/errors.ts';
import { collapseLines, foldText } from '../base/text/strings.ts';
import { adviseToAdd, seeSpace } from './advice.ts';
import { renderNextRow, renderRow } from './plan-table.ts';
import { abbreviate, cleanText, type EditResult } from './spaces.ts';
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
  parseStepNames,
  parseSteps,
  ROMANS,
  renderOutlook,
  type Step,
} from './steps.ts';

/** A step by its number, also `'2'`, or by a text that only it holds; if there is none, every edit throws `refused`. */
export type StepName = number | string;

/** Strikes steps through and marks them DONE; without names, the current step. Its mark moves to the next open one. */
export function markDone(plan: string, names: readonly StepName[]): EditResult {
  const steps = parseSteps(plan);
  const named = findEach(steps, names.length > 0 ? names : [openStep(steps).number], ({ done }) => !done);
  const strike = (raw: string): string => {
    const { box, marked, tail, text } = parseStepParts(raw);
    return `${box === '' ? '' : '[x] '}${marked ? tail : `~~${text.trim()}~~ DONE`}`;
  };
  let content = named.reduce((text, step) => editStep(text, step, strike, true), plan);

  const current = named.find((step) => step.current);
  const next = current && parseSteps(content).find(({ line, done }) => line > current.line && !done);
  if (next) content = markCurrent(content, next.number).content;

  const lines = named.map(renderDone);

  return { content, warnings: [], message: `${lines.join('\n')} - ${renderOutlook(parseSteps(content))}` };
}

const renderDone = ({ number, text }: Step): string => `${number}. ~~${text.trim()}~~ DONE`;

export function markOpen(plan: string, names: readonly StepName[]): EditResult {
  let content = plan;
  const lines = findEach(parseSteps(plan), names, ({ done }) => done).map((step) => {
    const reopen = (raw: string): string => {
      const { box, text, current } = parseStepParts(raw);
      return `${box === '' ? '' : '[ ] '}${text.trim()}${current ? ` ${CURRENT}` : ''}`;
    };
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
  const isItem = (line: string, at: number): boolean => steps.has(at) || parseLine(line).marker !== '';
  const cleared = plan.split('\n').map((line, at) => (isItem(line, at) ? stripCurrentMark(line) : line));
  const rows = parseSteps(cleared.join('\n')).filter(({ current }) => current);
  const bare = rows.reduce((text, row) => editStep(text, row, stripCurrentMark), cleared.join('\n'));
  const content = editStep(bare, step, (raw) => `${stripCurrentMark(raw)} ${CURRENT}`);

  return { content, warnings: [], message: `current: ${label(step)}` };
}

/**
 * Adds a step at the end in the style of the list, `3. text` or with its bullet: one for each line, with the indented
 * lines below it.
 */
export function addStep(plan: string, text: string): EditResult {
  const lines = cleanText(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const messages: string[] = [];
  let content = plan;

  for (const [at, parsed] of parseLines(lines.length > 0 ? lines : ['']).entries()) {
    if (at > 0 && /^\s/.test(lines[at] ?? '')) continue;

    const next = lines.findIndex((line, k) => k > at && !/^\s/.test(line));
    const parts = lines.slice(at + 1, next === -1 ? undefined : next).map((line) => line.trimEnd());
    const added = addLine(content, stepText(parsed, lines[at] ?? ''), parts);
    content = added.content;
    messages.push(added.message);
  }

  return { content, warnings: [], message: messages.join('\n') };
}

function addLine(plan: string, step: string, parts: readonly string[]): EditResult {
  const lines = plan === '' ? [] : plan.replace(/\n$/, '').split('\n');
  const steps = parseSteps(plan);
  const items = parseItems(plan);
  const doneLines = findDoneByHeading(items);
  // Below a heading that says "done" a step would be done.
  const last = steps.findLast(({ line }) => !doneLines.has(line));
  const lastItem = items.find(({ line }) => line === last?.line);
  const appendsAtEnd = last === steps.at(-1) && lastItem?.row === undefined;
  const below = lines.slice((last?.line ?? -1) + 1).findIndex((line) => !/^\s+\S/.test(line));
  const at = appendsAtEnd || below === -1 ? lines.length : (last?.line ?? -1) + 1 + below;
  // Among bullets, commands count places: the next number is that which they take.
  const isMixed = last?.printed !== undefined && steps.some(({ printed }) => printed === undefined);
  const number = isMixed ? last.number + 1 : undefined;
  const next = lastItem ? renderNext(items, lastItem, step, number) : `1. ${step}`;
  const content = [...lines.slice(0, at), next, ...parts, ...lines.slice(at)].join('\n');
  const addedStep = parseSteps(content).find(({ line }) => line === at);
  if (addedStep === undefined && lastItem && COUNTED.test(lastItem.marker))
    throw refusal(`no step can follow "${lastItem.marker.trim()}" in this list: nothing was changed`, {
      next: 'number the steps in the file: 1. 2. 3.',
    });

  const shown = addedStep?.done ? renderDone(addedStep) : addedStep && label(addedStep);

  return { content, warnings: [], message: `added: ${shown ?? step}` };
}

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
  const nextMarker = marker.replace(COUNTED, (mark) => String(number ?? countOn(mark, before)));

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
  const words = stepText(parseLine(line), line, (each) => parseStepParts(each).text.trim());
  const step = findStep(parseSteps(plan), name);
  const content = editStep(plan, step, (raw) => {
    const { box, marked, current } = parseStepParts(raw);
    return `${box}${marked ? `~~${words}~~ DONE` : words}${current ? ` ${CURRENT}` : ''}`;
  });

  return { content, warnings: [], message: `${step.number}. ${words} (was: ${step.text.trim()})` };
}

export function removeSteps(plan: string, names: readonly StepName[]): EditResult {
  const steps = parseSteps(plan);
  const gone = new Set(findEach(steps, names));
  const { before, blocks } = splitBlocks(plan, steps);
  const left = blocks.flatMap(({ lines, gap }, k) => {
    if (!gone.has(steps[k] as Step)) return [...lines, ...gap];
    return k === steps.length - 1 || gap.some((line) => line.trim() !== '') ? gap : [];
  });

  // The marker moves to the next open step, as when its step is done.
  const removed = steps.find((step) => step.current && gone.has(step));
  let content = relabelSteps([...before, ...left].join('\n'), plan);

  if (removed) {
    const at = steps.slice(0, steps.indexOf(removed)).filter((step) => !gone.has(step)).length;
    const next = parseSteps(content).find((step, k) => k >= at && !step.done);
    if (next) content = markCurrent(content, next.number).content;
  }

  const message = [...gone].map((step) => `removed: ${label(step)}`).join('\n');

  return { content, warnings: [], message };
}

export function moveStep(plan: string, name: StepName, to: number): EditResult {
  const steps = parseSteps(plan);
  const [from, target] = [name, to].map((each) => steps.indexOf(findStep(steps, each))) as [number, number];
  const { before, blocks } = splitBlocks(plan, steps);
  const moving = blocks.map(({ lines }) => lines);

  moving.splice(target, 0, ...moving.splice(from, 1));
  const lines = moving.flatMap((each, k) => [...each, ...(blocks[k]?.gap ?? [])]);
  const content = relabelSteps([...before, ...lines].join('\n'), plan);
  const moved = parseSteps(content)[target];

  return { content, warnings: [], message: `moved: ${moved ? label(moved) : ''}` };
}

/** Without the number or bullet that whoever copies a line of a list gives along: the plan has its own. */
function stepText({ marker, text }: Line, line: string, strip = stripEmptyBox): string {
  // `3.5 is out` begins with a version, or an amount.
  const step = strip(collapseLines(/^\d+\.\d+\s*$/.test(marker) ? line : text));
  if (step !== '') return step;
  throw usageError('the step is empty', { expected: 'the text of the step' });
}

const stripEmptyBox = (words: string): string => words.replace(/^\[ \]\s+/, '');

function openStep(steps: readonly Step[]): Step {
  const step = findCurrentStep(steps);
  if (step && !step.done) return step;
  throw refusal('the plan has no open step: nothing was changed', { next: seeSpace('plan') });
}

const findEach = (
  steps: readonly Step[],
  names: readonly StepName[],
  isLikely?: (step: Step) => boolean,
): Step[] => [...new Set(names.flatMap(parseStepNames).map((name) => findStep(steps, name, isLikely)))];

/** @param isLikely decides where several steps hold the words */
function findStep(steps: readonly Step[], from: StepName, isLikely?: (step: Step) => boolean): Step {
  const names = parseStepNames(from);
  const name = names.length === 1 ? (names[0] ?? from) : from;
  const named =
    typeof name === 'number' ? steps.filter(({ number }) => number === name) : findSteps(steps, name);
  const likely = isLikely ? named.filter(isLikely) : [];
  const found = likely.length === 1 ? likely : named;
  const printed = steps.filter((step) => step.printed === name);

  if (printed.length > 1 || (printed[0] !== undefined && printed[0] !== found[0]))
    throw refusal(`"${name}" is ambiguous: two steps have that number`, {
      expected: `words of the one that is meant: ${[...new Set([...found, ...printed])].map((step) => abbreviate(step.text)).join('; ')}`,
      found: String(name),
    });

  if (found.length > 1)
    throw refusal(`${found.length} steps of the plan hold "${name}": nothing was changed`, {
      expected: `the number of one: ${found.map((step) => abbreviate(label(step))).join('; ')}`,
      found: String(name),
    });

  if (found[0]) return found[0];

  const which = typeof name === 'number' ? `step ${name}` : `step that holds "${abbreviate(name)}"`;
  throw refusal(`the plan has no ${which}: nothing was changed`, {
    expected: steps.length === 0 ? undefined : `one of ${steps.map((s) => s.number).join(', ')}`,
    found: steps.length === 0 ? 'a plan without steps' : String(name),
    next: steps.length === 0 ? adviseToAdd('plan') : seeSpace('plan'),
  });
}

/** The steps of exactly these words, or else all that hold them; the case of letters is ignored. */
function findSteps(steps: readonly Step[], words: string): Step[] {
  const [wanted, texts] = [foldText(words), steps.map(({ text }) => foldText(text))];
  if (wanted === '') return [];
  const same = steps.filter((step, k) => texts[k] === wanted || foldText(label(step)) === wanted);
  return same.length > 0 ? same : steps.filter((_, k) => texts[k]?.includes(wanted));
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

    for (let at = end; at < limit; at += 1) {
      const content = lines[at] ?? '';
      if (content.trim() === '') continue;
      const follows = at === end && !/^(?:#|[-*+]\s)/.test(content);
      if (!follows && !/^\s/.test(content)) break;
      end = at + 1;
    }

    return { lines: lines.slice(line, end), gap: lines.slice(end, limit) };
  });

  return { before: lines.slice(0, steps[0]?.line ?? 0), blocks };
}

/** Assigns the printed numbers in their previous order. Numbers that were not unique stay. */
function relabelSteps(plan: string, before: string): string {
  const lines = before.split('\n');
  const labels = parseSteps(before).map(({ line }) => parseLine(lines[line] ?? '').digits);
  if (labels.includes(undefined) || new Set(labels).size !== labels.length) return plan;

  const result = plan.split('\n');
  parseSteps(plan).forEach(({ line }, k) => {
    result[line] = (result[line] ?? '').replace(/[\d０-９]+/, (label) =>
      writeNumber(label, labels[k] ?? label),
    );
  });

  return result.join('\n');
}
