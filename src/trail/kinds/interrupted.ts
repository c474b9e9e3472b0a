import { ownSentences } from '../../hearing/own-words.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';
import type { Course } from '../steps.ts';
import { callInShort } from './rejected.ts';

export interface Stopped extends Mark {
  what: string;
  turn: number;
}

/** The work in progress when the person stopped the agent. */
export const interruptedWork: Extractor<{ stopped?: Stopped; refused?: boolean }> = {
  kind: 'interrupted',
  initial: () => ({}),
  observe(step, state, course) {
    const { turn } = course;
    // The agent has gone on with what the person said after it.
    if (step.type === 'called' || (step.type === 'agent' && turn > (state.stopped?.turn ?? turn))) {
      delete state.stopped;
      delete state.refused;
    } else if (step.type === 'interrupted') {
      const what = step.during === undefined ? workOf(course) : callInShort(step.during);
      if (what !== undefined && state.refused !== true) state.stopped = { what, turn, ...placeOf(step) };
    }
    // A refusal ends the turn with the same sign, but is a separate fact.
    else if (step.type === 'done' && step.outcome === 'rejected') state.refused = true;
    else if (step.type === 'done' && step.outcome === 'interrupted')
      state.stopped = { what: callInShort(step.call), turn, ...placeOf(step) };
  },
  facts: ({ stopped }) =>
    stopped === undefined
      ? []
      : [
          {
            key: stopped.what,
            text: stopped.what,
            why: 'the person stopped the agent during this call',
            ...markOf(stopped),
          },
        ],
};

/** The person's request, if the agent was stopped between two calls. */
function workOf({ words }: Course): string | undefined {
  const [first] = ownSentences(words.at(-1) ?? '').filter((sentence) => sentence.split(' ').length > 2);
  return first === undefined ? undefined : keep(`work on “${keep(first, 80)}”`, 120);
}
