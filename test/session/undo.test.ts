import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileStore } from '../../src/session/file-store.ts';
import { planUndo } from '../../src/session/undo.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';
import { set } from './store-contract.ts';

type Action = { kind: 'set'; space: 'plan' | 'notes'; content: string } | { kind: 'undo' } | { kind: 'redo' };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    space: fc.constantFrom('plan' as const, 'notes' as const),
    content: fc.constantFrom('a', 'b', 'c', ''),
  }),
  fc.constant({ kind: 'undo' as const }),
  fc.constant({ kind: 'redo' as const }),
);

test('undo and redo move back and forth through the past states', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const store = new FileStore(testDir(), 'main');
      const states = [{ plan: '', notes: '' }];
      let at = 0;
      for (const step of actions) {
        if (step.kind === 'set') {
          const now = states[at] ?? { plan: '', notes: '' };
          await store.change(() => [set(step.space, step.content)]);
          if (now[step.space] !== step.content) {
            states.splice(at + 1, states.length, { ...now, [step.space]: step.content });
            at += 1;
          }
        } else {
          const possible = step.kind === 'undo' ? at > 0 : at < states.length - 1;
          const run = store.change(async () => {
            const { revisions, base } = await store.history();
            const steps = planUndo(step.kind, { revisions, base });
            return steps.map(({ space, content, of }) => ({
              space,
              content,
              op: step.kind,
              of,
            }));
          });
          if (possible) await run;
          else await expect(run).rejects.toThrow(`nothing to ${step.kind}`);
          if (possible) at += step.kind === 'undo' ? -1 : 1;
        }
        expect((await store.read()).spaces).toMatchObject(states[at] ?? {});
      }
    }),
    { numRuns: runs(20) },
  );
});
