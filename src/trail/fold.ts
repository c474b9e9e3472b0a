import { digest } from '../text/hash.ts';
import { isObject } from '../text/json.ts';
import type { SessionEvent } from '../transcript/event.ts';
import { keep } from './extractor.ts';
import { type Fact, type Kind, MOST_FACTS } from './fact.ts';
import { ALL, type States } from './kinds/index.ts';
import { type Course, newCourse, stepsOfEvent } from './steps.ts';

/** The state of a session as far as it was read: the extractors' states, and the course of the session. */
export interface Fold {
  course: Course;
  states: States;
}

export function newFold(root: string): Fold {
  const states = Object.fromEntries(ALL.map((extractor) => [extractor.kind, extractor.initial()]));
  return { course: newCourse(root), states: states as unknown as States };
}

/** Processes events in chronological order. */
export function take(fold: Fold, events: readonly SessionEvent[]): void {
  for (const event of events) {
    for (const step of stepsOfEvent(event, fold.course)) {
      for (const extractor of ALL) extractor.observe(step, fold.states[extractor.kind], fold.course);
    }
  }
}

/** The facts of a fold, those of each kind newest first, at most 400. */
export function factsOf(fold: Fold): Fact[] {
  const facts: Fact[] = [];
  for (const { kind, facts: of } of ALL) {
    for (const draft of of(fold.states[kind], fold.course, fold.states)) {
      const { key, text, most, why, place, time, session, open = true, standing, until, far } = draft;
      facts.push({
        id: idOf(kind, key ?? text),
        kind,
        text: keep(text, most),
        place,
        ...(time !== undefined && { time }),
        ...(session !== undefined && { session }),
        why: keep(why),
        open,
        ...(standing && { standing }),
        ...(until !== undefined && { until }),
        ...(far && { far }),
      });
    }
  }
  return facts.slice(0, MOST_FACTS);
}

function idOf(kind: Kind, key: string): string {
  return `${kind}-${digest(key)}`;
}

/** A fold from JSON, or undefined if it is invalid. */
export function foldFrom(value: unknown, root: string): Fold | undefined {
  if (!isObject(value) || !isObject(value.course) || !isObject(value.states)) return undefined;
  const empty = newFold(root);
  if (value.course.root !== root) return undefined;
  if (!hasShape(value.course, empty.course) || !hasShape(value.states, empty.states)) return undefined;
  const fold = { course: { ...empty.course, ...value.course }, states: value.states } as unknown as Fold;
  return fold;
}

/** Whether a value has the same fields as another, with the same types. */
function hasShape(value: unknown, like: unknown): boolean {
  if (Array.isArray(like)) return Array.isArray(value);
  if (!isObject(like)) return typeof value === typeof like;
  return isObject(value) && Object.entries(like).every(([key, member]) => hasShape(value[key], member));
}
