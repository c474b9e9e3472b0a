import { isPostponing } from '../../hearing/postponing.ts';
import { questionIn } from '../../hearing/question.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Asked extends Mark {
  text: string;
}

/** Longest text of a question. */
const MOST = 190;

/** The agent's last question or offer, until somebody answers it; a goodbye is no answer. */
export const openQuestion: Extractor<{ asked?: Asked; postponed?: true }> = {
  kind: 'question',
  initial: () => ({}),
  observe(step, state) {
    if (step.type === 'said' && state.asked !== undefined && isPostponing(step.text)) state.postponed = true;
    else if (step.type === 'said' || step.type === 'plan') {
      delete state.asked;
      delete state.postponed;
    } else if (state.postponed) return;
    else if (step.type === 'called') delete state.asked;
    else if (step.type === 'agent') {
      const text = questionIn(step.text);
      if (text === undefined) delete state.asked;
      else state.asked = { text: keep(text, MOST), ...placeOf(step) };
    }
  },
  facts: ({ asked, postponed }) =>
    asked === undefined
      ? []
      : [
          {
            text: `“${asked.text}”`,
            why: postponed ? 'the person put the answer off' : "the agent's last message, not answered",
            ...markOf(asked),
          },
        ],
};
