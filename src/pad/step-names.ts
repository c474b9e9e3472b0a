import WORDS from '../../models/words/step-numbers.json' with { type: 'json' };
import { refusal, usageError } from '../base/errors.ts';
import { cutBlanks, foldText } from '../base/text/strings.ts';
import { adviseToAdd, seeSpace } from './advice.ts';
import { abbreviate } from './spaces.ts';
import { label, type Step } from './steps.ts';

/** A step by its number, also `'2'`, or by a text that only it holds. Every edit throws `refused` if there is none. */
export type StepName = number | string;

const MOST_NUMBERS = 1000;

const { steps: LABELS, joins: JOINS, ranges: RANGES } = WORDS;
const LABEL = new RegExp(`(?<![\\p{L}\\d])(?:${LABELS})\\.?(?=[\\s#\\d])|#`, 'giu');
const JOIN = new RegExp(`[\\s,;、&+]+(?:(?:${JOINS})\\s+)?`, 'iu');
const RANGE = new RegExp(`\\s*(?:[-–—]|\\.{2,3}|\\s(?:${RANGES})\\s)\\s*`, 'giu');

/** Numbers of steps as people and models write them: `2`, `2,3`, `2-4`, `step 2`, `#2 and #3`; else `undefined`. */
export function parseStepNumbers(text: string): number[] | undefined {
  const plain = cutBlanks(text.normalize('NFKC').replace(LABEL, ' ')).replace(RANGE, '-').trim();
  const numbers: number[] = [];

  for (const part of plain.replace(/[,;.]$/, '').split(JOIN)) {
    const [, first, last = first] = /^(\d{1,9})(?:\.0*|\))?(?:-(\d{1,9}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || to < from || to - from >= MOST_NUMBERS) return undefined;
    for (let number = from; number <= to; number += 1) numbers.push(number);
  }

  return [...new Set(numbers)];
}

/** The numbers of `2-4` in a list that has so many; other names stay, such as `2024-2026`. */
export function expandRanges<Name>(names: readonly Name[], count: number): (Name | number)[] {
  return names.flatMap((name): (Name | number)[] => {
    const numbers = /^\d[\d\s,-]+$/.test(`${name}`) ? (parseStepNumbers(`${name}`) ?? []) : [];
    return numbers.length > 1 && Math.max(...numbers) <= count ? numbers : [name];
  });
}

/**
 * The numbers that a name of steps lists, such as `2-4`; else the name itself, to be searched for as words.
 * @throws ScratchpadError `usage` if it is neither
 */
export function parseStepNames(name: number | string): (number | string)[] {
  const numbers = typeof name === 'string' ? parseStepNumbers(name) : [name];
  if (numbers !== undefined) return numbers;
  if (/\p{L}/u.test(`${name}`)) return [name];
  throw usageError('not the number of a step', {
    expected: 'a number such as 2, or words',
    found: `${name}`,
  });
}

/** @param isLikely decides if several steps hold the words */
export const findSteps = (
  steps: readonly Step[],
  names: readonly StepName[],
  isLikely?: (step: Step) => boolean,
): Step[] => [...new Set(names.flatMap(parseStepNames).map((name) => findStep(steps, name, isLikely)))];

export function findStep(
  steps: readonly Step[],
  stepName: StepName,
  isLikely?: (step: Step) => boolean,
): Step {
  const names = parseStepNames(stepName);
  const name = names.length === 1 ? (names[0] ?? stepName) : stepName;
  const matching =
    typeof name === 'number' ? steps.filter(({ number }) => number === name) : findByWords(steps, name);
  const likely = isLikely ? matching.filter(isLikely) : [];
  const found = likely.length === 1 ? likely : matching;
  const printed = steps.filter((step) => step.printed === name);

  if (printed.length > 1 || (printed[0] !== undefined && printed[0] !== found[0])) {
    const texts = [...new Set([...found, ...printed])].map(({ text }) => abbreviate(text));
    throw refusal(`"${name}" is ambiguous: two steps have that number`, {
      expected: `words of the one that is meant: ${texts.join('; ')}`,
      found: String(name),
    });
  }

  if (found.length > 1)
    throw refusal(`${found.length} steps of the plan hold "${name}": nothing was changed`, {
      expected: `the number of one: ${found.map((step) => abbreviate(label(step))).join('; ')}`,
      found: String(name),
    });

  if (found[0]) return found[0];

  const which = typeof name === 'number' ? `step ${name}` : `step that holds "${abbreviate(name)}"`;
  throw refusal(`the plan has no ${which}: nothing was changed`, {
    expected: steps.length === 0 ? undefined : `one of ${steps.map(({ number }) => number).join(', ')}`,
    found: steps.length === 0 ? 'a plan without steps' : String(name),
    next: steps.length === 0 ? adviseToAdd('plan') : seeSpace('plan'),
  });
}

/** The steps of exactly these words, or else all that hold them; the case of letters is ignored. */
function findByWords(steps: readonly Step[], words: string): Step[] {
  const folded = foldText(words);
  if (folded === '') return [];
  const equal = steps.filter((step) => [step.text, label(step)].some((text) => foldText(text) === folded));
  return equal.length > 0 ? equal : steps.filter(({ text }) => foldText(text).includes(folded));
}
