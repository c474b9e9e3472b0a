import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceWindow, createHintState, describeWays } from '../../src/ledger/window.ts';
import { runs } from '../helpers/runs.ts';

const WAYS = describeWays(undefined);

/** What happens between two prompts. */
type Event = 'nothing' | 'change' | 'clear' | 'compaction' | 'plan' | 'resume';

const events = fc.array(
  fc.constantFrom<Event>('nothing', 'nothing', 'nothing', 'change', 'clear', 'compaction', 'plan', 'resume'),
  { maxLength: 40 },
);
const settings = fc.record({
  nudgeAfterTurns: fc.integer({ min: 0, max: 4 }),
  nudgeOnPlanDetected: fc.constantFrom(0, 1),
  nudgeAfterCompaction: fc.constantFrom(0, 1),
  nudgeTurnsSinceLastUse: fc.integer({ min: 0, max: 4 }),
});

test('whatever happens: one line each, at its time, silent once acted on', async () => {
  await fc.assert(
    fc.asyncProperty(settings, events, async (config, happened) => {
      let memory = createHintState();
      let content = '';
      let revision = 0;
      let planned = 0;
      /** Prompts since the start, the last change of a filled pad, and the last hint about disuse. */
      let turn = 0;
      let quiet = 0;
      for (const event of happened) {
        if (event === 'resume') {
          memory = createHintState();
          turn = 0;
          quiet = 0;
        }
        if (event === 'change') content = `text ${++revision}`;
        if (event === 'clear') content = '';
        if (event === 'plan') planned += 1;
        if (event === 'compaction') memory.phase = 'compacted';
        const before = memory.spacesDigest;
        const [{ hints: state }, hints] = advanceWindow(
          { hints: memory },
          {
            ...{ is: 'prompt', settings: config, ways: WAYS },
            empty: content === '',
            digest: `digest of ${content}`,
            plan: event === 'plan' ? `words ${planned}` : undefined,
          },
        );
        memory = state;
        turn += 1;
        quiet = before !== '' && before !== state.spacesDigest ? 0 : quiet + 1;
        for (const line of hints) expect(line).toMatch(/^\[Hint: [^\n[\]]*\]$/);
        const has = (part: string): boolean => hints.some((line) => line.includes(part));
        expect(has('was compacted')).toBe(event === 'compaction' && config.nudgeAfterCompaction > 0);
        const plan = event === 'plan' && content === '' && config.nudgeOnPlanDetected > 0;
        expect(has('holds a plan')).toBe(plan);
        const due = config.nudgeAfterTurns > 0 && turn % config.nudgeAfterTurns === 0;
        expect(has('still empty')).toBe(content === '' && !plan && due);
        const unused =
          content !== '' && config.nudgeTurnsSinceLastUse > 0 && quiet >= config.nudgeTurnsSinceLastUse;
        expect(has('has not changed')).toBe(unused);
        if (unused) quiet = 0;
      }
    }),
    { numRuns: runs(40) },
  );
});
