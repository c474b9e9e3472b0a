import { questionIn } from '../../hearing/question.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Asked extends Mark {
  text: string;
}

/** Longest text of a question. */
const MOST = 190;

/** The agent's last question or offer, until somebody answers it. */
export const openQuestion: Extractor<{ asked?: Asked }> = {
  kind: 'question',
  initial: () => ({}),
  observe(step, state) {
    if (step.type === 'said' || step.type === 'plan' || step.type === 'called') delete state.asked;
    else if (step.type === 'agent') {
      const text = questionIn(step.text);
      if (text === undefined) delete state.asked;
      else state.asked = { text: keep(text, MOST), ...placeOf(step) };
    }
  },
  facts: ({ asked }) =>
    asked === undefined
      ? []
      : [{ text: `“${asked.text}”`, why: "the agent's last message, not answered", ...markOf(asked) }],
};
