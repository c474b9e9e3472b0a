import { trailFor } from '../trail/index.ts';
import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { BuiltInStage } from './stage.ts';

/** What the trail may take of the block, in tokens. */
const BUDGET_TOKENS = 150;
const LINE_CHARACTERS = 240;

/** Trail: what the session's own records prove. What is said of it to a model is chosen for the event (`hosts/`). */
export const trailStage: BuiltInStage = {
  priority: PRIORITY.trail,
  async run(context) {
    const trail = await context.trail();
    if (trail === undefined) return null;
    const lines = trailFor(trail, { event: 'start', budgetTokens: BUDGET_TOKENS }).map(
      ({ text, why }, rank) => ({
        text: `- ${quoted(text, LINE_CHARACTERS)}`,
        why,
        priority: PRIORITY.trail - rank,
      }),
    );
    return lines.length + trail.problems.length === 0 ? null : { lines, problems: trail.problems };
  },
};
