import { describe, expect, test } from 'vitest';
import { forgotten } from '../../../src/ledger/nudge/memory.ts';
import { nudge, waysOf } from '../../../src/ledger/nudge/nudges.ts';

const WAYS = waysOf(undefined);

const OFF = {
  nudgeAfterTurns: 0,
  nudgeOnPlanDetected: 0,
  nudgeAfterCompaction: 0,
  nudgeTurnsSinceLastUse: 0,
};
const noPlan = async () => ({ found: false, words: '' });
const adoptable = async () => false;

describe('an empty scratchpad', () => {
  test('is hinted at every so many turns, and no more once it is used', async () => {
    const memory = forgotten();
    const config = { ...OFF, nudgeAfterTurns: 3 };
    const said: number[] = [];
    for (let turn = 1; turn <= 7; turn += 1) {
      const hints = await nudge(config, memory, {
        empty: true,
        digest: 'e',
        plan: noPlan,
        adoptable,
        ways: WAYS,
      });
      said.push(hints.length);
      for (const hint of hints) expect(hint).toMatch(/^\[Hint: [^\n]*\]$/);
    }
    expect(said).toEqual([0, 0, 1, 0, 0, 1, 0]);
    for (let turn = 8; turn <= 12; turn += 1) {
      expect(
        await nudge(config, memory, { empty: false, digest: 'x', plan: noPlan, adoptable, ways: WAYS }),
      ).toEqual([]);
    }
  });

  test('a plan in the answer is hinted at once', async () => {
    const memory = forgotten();
    const config = { ...OFF, nudgeOnPlanDetected: 1 };
    const plan = (words: string) => async () => ({ found: true, words });
    const ask = (words: string, empty = true) =>
      nudge(config, memory, { empty, digest: 'e', plan: plan(words), adoptable, ways: WAYS });
    expect(await ask('a')).toHaveLength(1);
    expect(await ask('a')).toEqual([]);
    expect(await ask('b')).toHaveLength(1);
    expect(await ask('c', false)).toEqual([]);
  });
});

test('the list of the host is offered once a session, before a plan in the answer', async () => {
  const memory = forgotten();
  const config = { ...OFF, nudgeOnPlanDetected: 1 };
  const plan = async () => ({ found: true, words: 'a' });
  const ask = () =>
    nudge(config, memory, { empty: true, digest: 'e', plan, adoptable: async () => true, ways: WAYS });
  expect(await ask()).toEqual([expect.stringContaining('`scratchpad plan adopt` takes them over')]);
  expect(await ask()).toEqual([expect.not.stringContaining('adopt')]);
  expect(await ask()).toEqual([]);
  expect(
    await nudge(OFF, forgotten(), {
      empty: true,
      digest: 'e',
      plan,
      adoptable: async () => true,
      ways: WAYS,
    }),
  ).toEqual([]);
});

describe('a scratchpad that nobody touches', () => {
  test('any change of any space counts as use; the hint waits its interval', async () => {
    const memory = forgotten();
    const config = { ...OFF, nudgeTurnsSinceLastUse: 3 };
    const turn = async (digest: string) =>
      (await nudge(config, memory, { empty: false, digest, plan: noPlan, adoptable, ways: WAYS })).length;
    // Resumed with content: counted from the resume.
    expect([await turn('a'), await turn('a'), await turn('a')]).toEqual([0, 0, 1]);
    expect([await turn('a'), await turn('a'), await turn('a')]).toEqual([0, 0, 1]);
    expect([await turn('b'), await turn('b'), await turn('b'), await turn('b')]).toEqual([0, 0, 0, 1]);
  });
});

test('all off: nothing, whatever happened', async () => {
  const memory = { ...forgotten(), compacted: true, turns: 99 };
  expect(
    await nudge(OFF, memory, {
      empty: true,
      digest: 'e',
      plan: async () => ({ found: true, words: 'x' }),
      adoptable,
      ways: WAYS,
    }),
  ).toEqual([]);
});
