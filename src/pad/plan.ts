import { ScratchpadError } from '../errors.ts';
import { compiled } from '../text/compile-patterns.ts';
import { oneLine, withLf } from './text.ts';

/** Of one line; `.` would stop at U+2028, and try every way of splitting the blanks before it. */
const ITEM = /^(\s*)((\d+)[.)]|[-*+])(\s+)([\s\S]*)$/;
const CHECKBOX = /^\[([ xX])\]\s+/;
const CURRENT = '<-- current';
const DONE = /^~~.*~~\s+DONE\b/;

/** A step of a plan: a list item at the outermost level. */
export interface Step {
  /** The number that `plan done N` takes: the printed one, or the position when items have bullets. */
  number: number;
  line: number;
  text: string;
  done: boolean;
  current: boolean;
}

/** The steps in order; lines that are no list items, and deeper levels, belong to the step above. */
export function stepsOf(plan: string): Step[] {
  const items = plan.split('\n').flatMap((content, line) => {
    const match = compiled(ITEM).exec(content);
    return match ? [{ line, indent: (match[1] ?? '').length, label: match[3], text: match[5] ?? '' }] : [];
  });
  const outermost = items.reduce((least, item) => Math.min(least, item.indent), Number.POSITIVE_INFINITY);
  const top = items.filter((item) => item.indent === outermost);
  const labels = top.map((item) => Number(item.label));
  // Printed numbers are what a person reads, if they tell the steps apart.
  const printed = labels.every(Number.isInteger) && new Set(labels).size === labels.length;
  return top.map((item, index) => {
    const open = withoutCurrent(item.text);
    const bare = open.startsWith('[') ? open.replace(CHECKBOX, '') : open;
    const struck = bare.startsWith('~~');
    return {
      number: printed ? (labels[index] ?? index + 1) : index + 1,
      line: item.line,
      text: struck ? bare.replace(/^~~(.*)~~\s+DONE\b[\s\S]*$/, '$1') : bare,
      done: (struck && DONE.test(bare)) || item.text.startsWith('[x]') || item.text.startsWith('[X]'),
      current: isCurrent(item.text),
    };
  });
}

/**
 * Strikes a step through and marks it DONE. The current marker, if it was on this step, moves
 * to the next open one.
 * @throws ScratchpadError `refused` when there is no such step.
 */
export function markDone(plan: string, number: number): string {
  const steps = stepsOf(plan);
  const step = findStep(steps, number);
  const done = editStep(plan, step, (text) => {
    const bare = withoutCurrent(text);
    const box = CHECKBOX.exec(bare)?.[0];
    const rest = bare.slice(box?.length ?? 0);
    if (DONE.test(rest)) return bare;
    return `${box ? '[x] ' : ''}~~${rest.trim()}~~ DONE`;
  });
  if (!step.current) return done;
  const next = steps.find((other) => other.line > step.line && !other.done);
  return next ? markCurrent(done, next.number) : done;
}

/** Moves the `<-- current` marker to a step. @throws ScratchpadError `refused` when there is no such step. */
export function markCurrent(plan: string, number: number): string {
  const step = findStep(stepsOf(plan), number);
  const cleared = plan.split('\n').map((line) => (ITEM.test(line) ? withoutCurrent(line) : line));
  return editStep(cleared.join('\n'), step, (text) => `${withoutCurrent(text)} ${CURRENT}`);
}

/** Adds a step at the end, in the list's own style: `3. text`, or with the bullet in use. */
export function addStep(plan: string, text: string): string {
  const step = oneLine(withLf(text).toWellFormed());
  if (step === '')
    throw new ScratchpadError('usage', 'the step is empty', { expected: 'what is to be done' });
  const steps = stepsOf(plan);
  const last = steps.at(-1);
  const glue = plan === '' || plan.endsWith('\n') ? '' : '\n';
  if (!last) return `${plan}${glue}1. ${step}`;
  const [, indent = '', marker = '1.', label, gap = ' ', rest = ''] =
    ITEM.exec(plan.split('\n')[last.line] ?? '') ?? [];
  const nextMarker = label === undefined ? marker : `${Number(label) + 1}${marker.slice(-1)}`;
  return `${plan}${glue}${indent}${nextMarker}${gap}${CHECKBOX.test(rest) ? '[ ] ' : ''}${step}`;
}

function isCurrent(text: string): boolean {
  return text.trimEnd().endsWith(CURRENT);
}

function withoutCurrent(text: string): string {
  return isCurrent(text) ? text.trimEnd().slice(0, -CURRENT.length).trimEnd() : text;
}

function findStep(steps: readonly Step[], number: number): Step {
  const step = steps.find((candidate) => candidate.number === number);
  if (step) return step;
  throw new ScratchpadError('refused', `the plan has no step ${number}: nothing was changed`, {
    expected:
      steps.length === 0 ? 'a plan with list items' : `one of ${steps.map((s) => s.number).join(', ')}`,
    found: String(number),
    next: 'see it with: scratchpad plan show',
  });
}

function editStep(plan: string, step: Step, edit: (text: string) => string): string {
  const lines = plan.split('\n');
  const [, indent = '', marker = '', , gap = ' ', text = ''] = ITEM.exec(lines[step.line] ?? '') ?? [];
  lines[step.line] = `${indent}${marker}${gap}${edit(text)}`;
  return lines.join('\n');
}
