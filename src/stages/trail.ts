import { trailFor } from '../trail/index.ts';
import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { BuiltInStage } from './stage.ts';

/** The trail's share of the block in tokens. */
const BUDGET_TOKENS = 150;
const LINE_CHARACTERS = 240;

/** Trail: facts that the session's own records prove. `hosts/` chooses which to tell a model at each event. */
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
