import { counted, shorten } from '../base/text/strings.ts';

/** For one line; `.` would stop at U+2028, and try every way of splitting the spaces before it. */
export const ITEM = /^(\s*)((\d+)[.)]|[-*+])(\s+)([\s\S]*)$/;
export const CHECKBOX = /^\[([ xX])\]\s+/;
export const CURRENT = '<-- current';
const STRUCK = /^~~([\s\S]*)~~\s+DONE\b[\s\S]*$/;

/** A step of a plan: a list item at the outermost level. */
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

/** The steps in order; lines that are not list items, and deeper levels, belong to the step above. */
export function stepsOf(plan: string): Step[] {
  const items = plan.split('\n').flatMap((content, line) => {
    const match = ITEM.exec(content);
    return match ? [{ line, indent: (match[1] ?? '').length, label: match[3], text: match[5] ?? '' }] : [];
  });
  const outermost = items.reduce((least, item) => Math.min(least, item.indent), Number.POSITIVE_INFINITY);
  const top = items.filter((item) => item.indent === outermost);
  const labels = top.map((item) => Number(item.label));
  // Printed numbers count if they are unique, because a person reads them.
  const printed = labels.every(Number.isInteger) && new Set(labels).size === labels.length;
  const isLazy = new Set(labels).size === 1;
  return top.map((item, index) => {
    const { text, struck, checked, current } = partsOf(item.text);
    const number = printed ? (labels[index] ?? index + 1) : index + 1;
    const label = labels[index];
    const other = printed || isLazy || Number.isNaN(label) ? undefined : label;
    return { number, printed: other, line: item.line, text, done: struck || checked, current };
  });
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
export function currentStep(steps: readonly Step[]): Step | undefined {
  return steps.find((step) => step.current) ?? steps.find((step) => !step.done);
}

/** The next step: `next: 2. Add test`. */
export function outlook(steps: readonly Step[]): string {
  const next = steps.every(({ done }) => done) ? undefined : currentStep(steps);
  if (next) return `next: ${label(next)}`;
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
  struck: boolean;
  text: string;
  current: boolean;
  /** The text after the checkbox, without the marker. */
  tail: string;
}

/** Parses the text of a step: `[x] ~~Add test~~ DONE <-- current`. */
export function partsOf(raw: string): StepParts {
  const open = withoutCurrent(raw);
  const box = CHECKBOX.exec(open)?.[0] ?? '';
  const tail = open.slice(box.length);
  const inner = STRUCK.exec(tail)?.[1];
  return {
    box,
    checked: /^\[[xX]\]/.test(box),
    struck: inner !== undefined,
    text: inner ?? tail,
    current: isCurrent(raw),
    tail,
  };
}

function isCurrent(text: string): boolean {
  return text.trimEnd().endsWith(CURRENT);
}

export function withoutCurrent(text: string): string {
  if (!isCurrent(text)) return text;
  // A formatter of Markdown escapes the marker.
  return text.trimEnd().slice(0, -CURRENT.length).replace(/\\$/, '').trimEnd();
}

const TITLE_CHARACTERS = 60;

/** What a plan is about: its text before the steps, else its first step. */
export function titleOf(plan: string): string {
  const lines = plan.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const [step] = stepsOf(plan);
  const words = step !== undefined && step.line <= first ? step.text : (lines[first] ?? '');
  return shorten(oneLine(words.replace(/^[#\s]+/, '')), TITLE_CHARACTERS);
}

/** `2 of 5 done`; without steps `4 lines`. */
export function progressOf(plan: string): string {
  const steps = stepsOf(plan);
  if (steps.length > 0) return `${steps.filter(({ done }) => done).length} of ${steps.length} done`;
  return counted(plan.split('\n').filter((line) => line.trim() !== '').length, 'line');
}

export const oneLine = (text = ''): string => text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').slice(0, 120);
