import { plainLine, redactSecrets } from '../safety/index.ts';
import { counted } from '../text/counts.ts';
import { shorten } from '../text/shorten.ts';
import { FACT_CHARACTERS, type Fact, type Kind } from './fact.ts';
import type { States } from './kinds/index.ts';
import type { Course, TrailStep } from './steps.ts';

/**
 * A fact before numbering; `factsOf` makes its text safe, once. `key` distinguishes it from others of its kind; its
 * text unless given.
 */
type Draft = Omit<Fact, 'id' | 'kind' | 'text' | 'open'> & {
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
  observe(step: TrailStep, state: State, course: Course): void;
  /** @param all the states of the other extractors, for facts that end by a fact of another kind */
  facts(state: State, course: Course, all: Readonly<States>): Draft[];
}

/** The place of a step, for a fact. */
export function placeOf(step: TrailStep): { place: number; time?: string } {
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
  /** The earlier session in which it is, if this one has inherited it. */
  session?: string;
}

export function markOf({ place, time, session }: Mark): Mark {
  return { place, ...(time !== undefined && { time }), ...(session !== undefined && { session }) };
}

/** Text that may be stored: one line, without secrets, of bounded length. */
export function keep(text: string, most = FACT_CHARACTERS): string {
  // A fact never starts a line, so characters for lists or headings are harmless.
  const line = plainLine(`: ${redactSecrets(text.slice(0, 4 * FACT_CHARACTERS))}`).slice(2);
  return shorten(line, most);
}
