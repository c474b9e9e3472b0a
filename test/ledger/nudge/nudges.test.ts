import { describe, expect, test } from 'vitest';
import { freshHints, type HintEvent, type HintState, hint, waysOf } from '../../../src/ledger/nudge/hints.ts';

const WAYS = waysOf(undefined);

const OFF = {
  nudgeAfterTurns: 0,
  nudgeOnPlanDetected: 0,
  nudgeAfterCompaction: 0,
  nudgeTurnsSinceLastUse: 0,
};

type Prompt = HintEvent & { is: 'prompt' };
/** One prompt of a session, whose state is kept in `memory`. */
function nudge(
  settings: Prompt['settings'],
  memory: HintState,
  turn: Pick<Prompt, 'empty' | 'digest' | 'plan' | 'adoptable'>,
): string[] {
  const [state, lines] = hint(memory, { is: 'prompt', settings, ways: WAYS, ...turn });
  Object.assign(memory, state);
  return lines;
}

describe('an empty scratchpad', () => {
  test('is hinted at every so many turns, and no more once it is used', async () => {
    const memory = freshHints();
    const config = { ...OFF, nudgeAfterTurns: 3 };
    const said: number[] = [];
    for (let turn = 1; turn <= 7; turn += 1) {
      const hints = nudge(config, memory, {
        empty: true,
        digest: 'e',
      });
      said.push(hints.length);
      for (const hint of hints) expect(hint).toMatch(/^\[Hint: [^\n]*\]$/);
    }
    expect(said).toEqual([0, 0, 1, 0, 0, 1, 0]);
    for (let turn = 8; turn <= 12; turn += 1) {
      expect(nudge(config, memory, { empty: false, digest: 'x' })).toEqual([]);
    }
  });

  test('a plan in the answer is hinted at once', async () => {
    const memory = freshHints();
    const config = { ...OFF, nudgeOnPlanDetected: 1 };
    const ask = (words: string, empty = true) => nudge(config, memory, { empty, digest: 'e', plan: words });
    expect(await ask('a')).toHaveLength(1);
    expect(await ask('a')).toEqual([]);
    expect(await ask('b')).toHaveLength(1);
    expect(await ask('c', false)).toEqual([]);
  });
});

test('the list of the host is offered once a session, before a plan in the answer', async () => {
  const memory = freshHints();
  const config = { ...OFF, nudgeOnPlanDetected: 1 };
  const plan = 'a';
  const ask = () => nudge(config, memory, { empty: true, digest: 'e', plan, adoptable: true });
  expect(await ask()).toEqual([expect.stringContaining('`scratchpad plan adopt` takes them over')]);
  expect(await ask()).toEqual([expect.not.stringContaining('adopt')]);
  expect(await ask()).toEqual([]);
  expect(
    nudge(OFF, freshHints(), {
      empty: true,
      digest: 'e',
      plan,
      adoptable: true,
    }),
  ).toEqual([]);
});

describe('a scratchpad that nobody touches', () => {
  test('any change of any space counts as use; the hint waits its interval', async () => {
    const memory = freshHints();
    const config = { ...OFF, nudgeTurnsSinceLastUse: 3 };
    const turn = async (digest: string) => nudge(config, memory, { empty: false, digest }).length;
    // Resumed with content: counted from the resume.
    expect([await turn('a'), await turn('a'), await turn('a')]).toEqual([0, 0, 1]);
    expect([await turn('a'), await turn('a'), await turn('a')]).toEqual([0, 0, 1]);
    expect([await turn('b'), await turn('b'), await turn('b'), await turn('b')]).toEqual([0, 0, 0, 1]);
  });
});

test('all off: nothing, whatever happened', async () => {
  const memory = { ...freshHints(), review: true, turns: 99 };
  expect(
    nudge(OFF, memory, {
      empty: true,
      digest: 'e',
      plan: 'x',
    }),
  ).toEqual([]);
});
