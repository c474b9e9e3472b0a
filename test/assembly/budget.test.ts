import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { assemble, fitToBudget } from '../../src/assembly/assemble.ts';
import { buildConfig } from '../../src/config/values.ts';
import { renderState } from '../../src/pad/sections.ts';
import { estimateTokens } from '../../src/pad/tokens.ts';
import { openClock } from '../../src/stages/clock.ts';
import { ALPHABETS } from '../helpers/alphabets.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

const foreign = fc
  .array(fc.constantFrom(...ALPHABETS), { minLength: 1, maxLength: 3 })
  .chain((sets) => fc.array(fc.constantFrom(...sets.flat()), { minLength: 40, maxLength: 400 }))
  .map((letters) => letters.join(''));

test('whatever a person, a note or a plan contains, the block keeps its budget in real tokens', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(foreign, { minLength: 4, maxLength: 4 }),
      async ([said = '', again = '', noted = '', plan = '']) => {
        const workspace = testDir({
          'MEMORY.md': [said, again, noted].map((text) => `- ${text.slice(0, 150)} ${noted}`).join('\n'),
          'memory/2026-02-06.md': `- [ ] ${noted} (due 2026-02-06)\n- ${noted}\n`,
        });
        const { block, tokens } = await assemble({
          workspace,
          now: Date.parse('2026-02-06T12:00:00Z'),
          clock: openClock({ kind: 'offset', minutes: 0 }),
          messages: [said, again].map((content, k) => ({
            id: String(k),
            role: 'user',
            content: `please fix the deployment, ${content}`,
            sender: noted,
            timestamp: '2026-02-06T11:50:00Z',
            session: 's',
          })),
          facts: undefined,
          spaces: { plan: `1. ${plan}`, notes: 'n'.repeat(4000), refs: '' },
          config: buildConfig(new Map()),
          previous: undefined,
        });
        expect(tokens).toBeLessThanOrEqual(500);
        expect(encode(block).length).toBeLessThanOrEqual(500);
        expect(block).toContain('## Time Context');
      },
    ),
    { numRuns: runs(10), endOnFailure: true },
  );
});

const line = fc.record({
  text: fc
    .array(fc.constantFrom('deploy', 'the', 'failing', 'nodes', 'kubectl', '界', '0.9.3'), {
      minLength: 1,
      maxLength: 25,
    })
    .map((words) => `- ${words.join(' ')}`),
  priority: fc.integer({ min: 0, max: 100 }),
});
const section = fc.record({
  title: fc.constantFrom('Emotional Context', 'Time Context', 'Notes of mine'),
  lines: fc.array(line, { maxLength: 8 }),
});

test('over the budget whole lines are dropped, and never in favour of a less important one', () => {
  const stamp = { updated: '2026-02-06T01:30:00+11:00', ttlMs: 1_800_000 };
  fc.assert(
    fc.property(fc.array(section, { maxLength: 7 }), fc.integer({ min: 60, max: 700 }), (given, budget) => {
      const sections = given.map(({ title, lines }) => ({
        title,
        lines: [...lines],
        dropped: [] as typeof lines,
      }));
      fitToBudget(sections, renderState([], stamp), budget);
      const block = (lines: (section: (typeof sections)[number]) => { text: string }[]): number =>
        estimateTokens(
          renderState(
            sections.map((each) => ({ title: each.title, lines: lines(each) })),
            stamp,
          ),
        );
      expect(block((each) => each.lines)).toBeLessThanOrEqual(budget);
      for (const [index, each] of sections.entries()) {
        // Every line is whole, in its place, and either in or out.
        const all = given[index]?.lines ?? [];
        expect(all.filter((one) => each.lines.includes(one))).toEqual(each.lines);
        expect(all.filter((one) => each.dropped.includes(one))).toEqual(each.dropped);
        expect(each.lines.length + each.dropped.length).toBe(all.length);
        for (const out of each.dropped) {
          // With all that is worth more, or as much and comes first, there was no room: rounding takes a token a line, and
          // so does an empty one.
          const before = (other: (typeof sections)[number]) =>
            (other === each ? all : other.lines).filter(
              (one) => one === out || (other.lines.includes(one) && one.priority >= out.priority),
            );
          const counted = sections.reduce((sum, other) => sum + before(other).length + 3, 0);
          expect(block(before) + counted).toBeGreaterThan(budget);
        }
      }
    }),
    { numRuns: runs(20) },
  );
});

test('a short, less important line may fit where a long one did not', () => {
  const long = { text: `- ${'the nodes are failing again '.repeat(10)}`, priority: 80 };
  const short = { text: '- be brief', priority: 10 };
  const sections = [{ title: 'Time Context', lines: [long, short], dropped: [] }];
  fitToBudget(sections, '', 30);
  expect(sections).toEqual([{ title: 'Time Context', lines: [short], dropped: [long] }]);
});
