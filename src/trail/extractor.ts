import { counted } from '../text/counts.ts';
import type { Fact, Kind } from './fact.ts';
import type { States } from './kinds/index.ts';
import type { Course, Step } from './steps.ts';

/**
 * A fact before numbering; `factsOf` makes its text safe, once. `key` distinguishes it from others of its kind; its
 * text unless given.
 */
export type Draft = Omit<Fact, 'id' | 'kind' | 'text' | 'open'> & {
  text: string;
  key?: string;
  open?: boolean;
  /** Maximum length of the text. */
  most?: number;
};

/**
 * Finds the facts of one kind. Its state is plain, bounded JSON, stored between readings of a growing session.
 * `observe` takes every step in order, and also ends facts that are no longer true.
 */
export interface Extractor<State> {
  kind: Kind;
  initial(): State;
  observe(step: Step, state: State, course: Course): void;
  /** @param all the states of the other extractors, for facts that end by a fact of another kind */
  facts(state: State, course: Course, all: Readonly<States>): Draft[];
}

/** The place of a step, for a fact. */
export function placeOf(step: Step): { place: number; time?: string } {
  return { place: step.at, ...(step.time !== undefined && { time: step.time }) };
}

/** A number of times, in words. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** The age of the last use, in calls. */
export function ago(calls: number): string {
  return calls === 0 ? 'in the last call' : `last ${counted(calls, 'call')} ago`;
}

/** The source of an item in a state. */
export interface Mark {
  place: number;
  time?: string;
}

export function markOf({ place, time }: Mark): Mark {
  return { place, ...(time !== undefined && { time }) };
}

export { keep } from './keep.ts';
