import { counted } from '../text/counts.ts';
import type { Fact, Kind } from './fact.ts';
import type { States } from './kinds/index.ts';
import type { Course, Step } from './steps.ts';

/** A fact before it is numbered. `key` tells it from others of its kind; its text unless given. */
export type Draft = Omit<Fact, 'id' | 'kind' | 'text' | 'open'> & {
  text: string;
  key?: string;
  open?: boolean;
};

/**
 * Finds the facts of one kind. Its state is plain JSON and bounded: it is kept between two readings of a growing
 * session. `observe` takes every step in order and also ends what is no longer true.
 */
export interface Extractor<State> {
  kind: Kind;
  initial(): State;
  observe(step: Step, state: State, course: Course): void;
  /** @param all what the other extractors keep, where a fact of one kind ends by another */
  facts(state: State, course: Course, all: Readonly<States>): Draft[];
}

/** Where a step stands, for a fact. */
export function placeOf(step: Step): { place: number; time?: string } {
  return { place: step.at, ...(step.time !== undefined && { time: step.time }) };
}

/** A number of times, in words. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** How long ago something was used, in calls. */
export function ago(calls: number): string {
  return calls === 0 ? 'in the last call' : `last ${counted(calls, 'call')} ago`;
}

/** Where something kept in a state was learned. */
export interface Mark {
  place: number;
  time?: string;
}

export function markOf({ place, time }: Mark): Mark {
  return { place, ...(time !== undefined && { time }) };
}

export { keep } from './keep.ts';
