import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { BuiltInStage } from './stage.ts';

/** What fits into the section's own budget. */
const LINE_CHARACTERS = 240;

/** Hand-over: where the session's work stands, in a line. What a model is told of it, and when, `hosts/` decides. */
export const handoverStage: BuiltInStage = {
  priority: PRIORITY.handover,
  async run(context) {
    const view = await context.handover();
    if (view === undefined || view.line === '') return null;
    const why = view.state.open.length === 0 ? 'nothing is open' : `open: ${view.state.open.join(', ')}`;
    return {
      lines: [{ text: `- ${quoted(view.line, LINE_CHARACTERS)}`, why, priority: PRIORITY.handover }],
    };
  },
};
