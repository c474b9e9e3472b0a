import { refusal, usageError } from '../base/errors.ts';
import { collapseLines, foldText } from '../base/text/strings.ts';
import { adviseToAdd, seeSpace } from './advice.ts';
import { renderNextRow, renderRow } from './plan-table.ts';
import { abbreviate, cleanText, type EditResult } from './spaces.ts';
import { CURRENT, parseStepParts, stripCurrentMark } from './step-parts.ts';
import {
  countLetter,
  findCurrentStep,
  findDoneByHeading,
  type Line,
  label,
  parseItems,
  parseLine,
  parseLines,
  parseSteps,
  renderOutlook,
  type Step,
} from './steps.ts';

/** A step by its number, or by a text that only it holds; where there is none, every edit throws `refused`. */
export type StepName = number | string;

const REOPEN = 'session_scratchpad with action plan.undone';

/**
 * Strikes steps through and marks them DONE. The current marker, if it was on
 * one of them, moves to the next open step. Without numbers it marks the current step.
 */
export function markDone(plan: string, named: readonly StepName[]): EditResult {
  const wanted = named.length > 0 ? named : [openStep(plan).number];
  const lines: string[] = [];
  let content = plan;

  for (const name of wanted) {
    const step = findStep(parseSteps(content), name, ({ done }) => !done);
    const strike = (raw: string): string => {
      const { box, marked, tail, text } = parseStepParts(raw);
      return `${box === '' ? '' : '[x] '}${marked ? tail : `~~${text.trim()}~~ DONE`}`;
    };
    content = editStep(content, step, strike, true);

    if (step.current) {
      const after = parseSteps(content).find((other) => other.line > step.line && !other.done);
      if (after) content = markCurrent(content, after.number).content;
    }

    lines.push(`${step.number}. ~~${step.text.trim()}~~ DONE`);
  }

  return { content, warnings: [], message: `${lines.join('\n')} - ${renderOutlook(parseSteps(content))}` };
}

export function markOpen(plan: string, names: readonly StepName[]): EditResult {
  let content = plan;
  const lines = names.map((name) => {
    const step = findStep(parseSteps(content), name, ({ done }) => done);
    const reopen = (raw: string): string => {
      const { box, text, current } = parseStepParts(raw);
      return `${box === '' ? '' : '[ ] '}${text.trim()}${current ? ` ${CURRENT}` : ''}`;
    };
    content = editStep(content, step, reopen, false);

    if (parseSteps(content).some(({ line, done }) => line === step.line && done))
      throw refusal(
        `step ${step.number} is done by a heading above or the checkboxes below it: nothing was changed`,
        {
          next: 'move it, or clear a checkbox, in the file',
        },
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
        tool: REOPEN,
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
  const filed = findDoneByHeading(parseItems(plan));
  // Below a heading that says "done" a step would be done.
  const last = steps.findLast(({ line }) => !filed.has(line));
  const { row } = last ? findItem(plan, last) : {};
  const isEnd = last === steps.at(-1) && row === undefined;
  const below = lines.slice((last?.line ?? -1) + 1).findIndex((line) => !/^\s+\S/.test(line));
  const at = isEnd || below === -1 ? lines.length : (last?.line ?? -1) + 1 + below;
  const content = [...lines.slice(0, at), renderNext(plan, last, step), ...parts, ...lines.slice(at)].join(
    '\n',
  );
  const made = parseSteps(content).find(({ line }) => line === at);
  const shown = made?.done ? `${made.number}. ~~${made.text.trim()}~~ DONE` : made && label(made);

  return { content, warnings: [], message: `added: ${shown ?? step}` };
}

/** A step in the form of the last one: the next number, its bullet, an open checkbox. */
function renderNext(plan: string, last: Step | undefined, step: string): string {
  if (!last) return `1. ${step}`;

  const { row, ...item } = findItem(plan, last);
  if (row) return renderNextRow(row, step);

  const { indent, marker, text: words } = item;
  const next = /\d/.test(marker) ? (each: string) => String(Number(each) + 1) : countLetter;
  const nextMarker = marker.replace(/\d+(?=\D*$)|(?<![a-z])[a-z](?![a-z])|[①-⑲]/i, next);

  return `${indent}${nextMarker}${parseStepParts(words).box === '' ? '' : '[ ] '}${step}`;
}

/** Changes the text of a step, but not its number, its checkbox, or whether it is done or current. */
export function rewordStep(plan: string, name: StepName, text: string): EditResult {
  const line = collapseLines(cleanText(text));
  const words = stepText(parseLine(line), line);
  const step = findStep(parseSteps(plan), name);
  const content = editStep(plan, step, (raw) => {
    const { box, marked, current } = parseStepParts(raw);
    return `${box}${marked ? `~~${words}~~ DONE` : words}${current ? ` ${CURRENT}` : ''}`;
  });

  return { content, warnings: [], message: `${step.number}. ${words} (was: ${step.text.trim()})` };
}

export function removeSteps(plan: string, names: readonly StepName[]): EditResult {
  const steps = parseSteps(plan);
  const gone = new Set(names.map((name) => findStep(steps, name)));
  const { before, blocks, gaps } = splitBlocks(plan, steps);
  const left = blocks.flatMap((block, k) => {
    const gap = gaps[k] ?? [];
    if (!gone.has(steps[k] as Step)) return [...block, ...gap];
    return k === steps.length - 1 || gap.some((line) => line.trim() !== '') ? gap : [];
  });

  // The marker moves to the next open step, as when its step is done.
  const removed = steps.find((step) => step.current && gone.has(step));
  let content = relabelSteps([...before, ...left].join('\n'), plan);

  if (removed) {
    const at = steps.slice(0, steps.indexOf(removed)).filter((step) => !gone.has(step)).length;
    const next = parseSteps(content)
      .slice(at)
      .find((step) => !step.done);
    if (next) content = markCurrent(content, next.number).content;
  }

  const message = [...gone].map((step) => `removed: ${label(step)}`).join('\n');

  return { content, warnings: [], message };
}

export function moveStep(plan: string, name: StepName, to: number): EditResult {
  const steps = parseSteps(plan);
  const [from, target] = [name, to].map((each) => steps.indexOf(findStep(steps, each))) as [number, number];
  const { before, blocks, gaps } = splitBlocks(plan, steps);
  const [block = []] = blocks.splice(from, 1);

  blocks.splice(target, 0, block);
  const lines = blocks.flatMap((each, k) => [...each, ...(gaps[k] ?? [])]);
  const content = relabelSteps([...before, ...lines].join('\n'), plan);
  const moved = parseSteps(content)[target];

  return { content, warnings: [], message: `moved: ${moved ? label(moved) : ''}` };
}

/** Without the number or bullet that whoever copies a line of a list gives along: the plan has its own. */
function stepText({ marker, text }: Line, line: string): string {
  // `3.5 is out` begins with a version, or an amount.
  const words = collapseLines(/^\d+\.\d+\s*$/.test(marker) ? line : text);
  const step = words.replace(/^\[ \]\s+/, '');
  if (step !== '') return step;
  throw usageError('the step is empty', { expected: 'the text of the step' });
}

function openStep(plan: string): Step {
  const step = findCurrentStep(parseSteps(plan));
  if (step && !step.done) return step;
  throw refusal('the plan has no open step: nothing was changed', { next: seeSpace('plan') });
}

/** @param isLikely decides where several steps hold the words */
function findStep(steps: readonly Step[], name: StepName, isLikely?: (step: Step) => boolean): Step {
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

function findItem(plan: string, { line }: Step): ReturnType<typeof parseItems>[number] {
  const item = parseItems(plan).find((each) => each.line === line);
  if (item) return item;
  throw new Error(`line ${line + 1} of the plan is no step`);
}

/**
 * The lines of each step, including following lines that are indented or not separated by a blank line, and the lines
 * between it and the next step, which stay where they are: headings, facts, blank lines.
 */
function splitBlocks(
  plan: string,
  steps: readonly Step[],
): { before: string[]; blocks: string[][]; gaps: string[][] } {
  const lines = plan.split('\n');
  const ranges = steps.map(({ line }, k) => {
    const limit = steps[k + 1]?.line ?? lines.length;
    let end = line + 1;

    for (let at = end; at < limit; at += 1) {
      const content = lines[at] ?? '';
      if (content.trim() === '') continue;
      const follows = at === end && !/^(?:#|[-*+]\s)/.test(content);
      if (!follows && !/^\s/.test(content)) break;
      end = at + 1;
    }

    return { block: lines.slice(line, end), gap: lines.slice(end, limit) };
  });

  return {
    before: lines.slice(0, steps[0]?.line ?? 0),
    blocks: ranges.map(({ block }) => block),
    gaps: ranges.map(({ gap }) => gap),
  };
}

/** Assigns the printed numbers in their previous order. Numbers that were not unique stay. */
function relabelSteps(plan: string, before: string): string {
  const lines = before.split('\n');
  const labels = parseSteps(before).map(({ line }) => parseLine(lines[line] ?? '').digits);
  if (labels.includes(undefined) || new Set(labels).size !== labels.length) return plan;

  const result = plan.split('\n');
  parseSteps(plan).forEach(({ line }, k) => {
    result[line] = (result[line] ?? '').replace(/\d+/, String(labels[k]));
  });

  return result.join('\n');
}
