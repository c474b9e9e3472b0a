import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

/** A recap has up to 40 words. */
const MOST = 300;

/** The host's own summary of where the work stands, until the work goes on. */
export const hostRecap: Extractor<{ recap?: Mark & { text: string } }> = {
  kind: 'recap',
  initial: () => ({}),
  observe(step, state) {
    if (step.type === 'recap') state.recap = { text: keep(step.text, MOST), ...placeOf(step) };
    else if (step.type === 'said' || step.type === 'plan' || step.type === 'called') delete state.recap;
  },
  facts: ({ recap }) =>
    recap === undefined
      ? []
      : [
          {
            key: 'recap',
            text: recap.text,
            most: MOST,
            why: 'the host wrote it while the person was away',
            ...markOf(recap),
          },
        ],
};
