import { describe, expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import {
  advanceWindow,
  createHintState,
  describeWays,
  type HintState,
  readHints,
  type Window,
  type WindowEvent,
} from '../../src/ledger/window.ts';

const WAYS = describeWays(undefined);

const OFF = {
  nudgeAfterTurns: 0,
  nudgeOnPlanDetected: 0,
  nudgeAfterCompaction: 0,
  nudgeTurnsSinceLastUse: 0,
};

type Prompt = WindowEvent & { is: 'prompt' };
/** One prompt of a session, whose state is kept in `memory`. */
function nudge(
  settings: Prompt['settings'],
  memory: HintState,
  turn: Pick<Prompt, 'empty' | 'digest' | 'plan'>,
): string[] {
  const [{ hints }, lines] = advanceWindow(
    { hints: memory },
    { is: 'prompt', settings, ways: WAYS, ...turn },
  );
  Object.assign(memory, hints);
  return lines;
}

describe('an empty scratchpad', () => {
  test('is hinted at every so many turns, and no more once it is used', async () => {
    const memory = createHintState();
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
    const memory = createHintState();
    const config = { ...OFF, nudgeOnPlanDetected: 1 };
    const ask = (words: string, empty = true) => nudge(config, memory, { empty, digest: 'e', plan: words });
    expect(await ask('a')).toHaveLength(1);
    expect(await ask('a')).toEqual([]);
    expect(await ask('b')).toHaveLength(1);
    expect(await ask('c', false)).toEqual([]);
  });
});

describe('a scratchpad that nobody touches', () => {
  test('any change of any space counts as use; the hint waits its interval', async () => {
    const memory = createHintState();
    const config = { ...OFF, nudgeTurnsSinceLastUse: 3 };
    const turn = async (digest: string) => nudge(config, memory, { empty: false, digest }).length;
    // Resumed with content: counted from the resume.
    expect([await turn('a'), await turn('a'), await turn('a')]).toEqual([0, 0, 1]);
    expect([await turn('a'), await turn('a'), await turn('a')]).toEqual([0, 0, 1]);
    expect([await turn('b'), await turn('b'), await turn('b'), await turn('b')]).toEqual([0, 0, 0, 1]);
  });
});

test('all off: nothing, whatever happened', async () => {
  const memory: HintState = { ...createHintState(), phase: 'compacted', turns: 99 };
  expect(
    nudge(OFF, memory, {
      empty: true,
      digest: 'e',
      plan: 'x',
    }),
  ).toEqual([]);
});

describe('the phases between two compactions', () => {
  const full: WindowEvent = { is: 'context full', use: { used: 9, window: 10 }, ways: WAYS };
  const held: WindowEvent = { is: 'compaction held' };
  const compacted: WindowEvent = { is: 'compacted', at: 60_000 };
  const announced: WindowEvent = { ...compacted, announced: true };
  const resumed: WindowEvent = { is: 'started', how: 'resumed', at: 61_000 };
  const again: WindowEvent = { is: 'started', how: 'compacted', at: 62_000 };

  test.each<[string, WindowEvent[], number[]]>([
    ['warned', [full, full], [1, 0]],
    ['told', [full, held, full, full], [1, 0, 1, 0]],
    ['over', [held, full, held, full], [0, 1, 0, 0]],
    ['expected', [full, { is: 'compaction expected' }, full], [1, 0, 0]],
    ['warned', [full, compacted, full], [1, 0, 1]],
    ['announced', [announced, resumed], [0, 0]],
    ['compacted', [announced, again], [0, 0]],
    // The host reports the same one at the new start, too.
    ['compacted', [again, announced], [0, 0]],
    // Another one, after the clock was set back.
    ['announced', [{ ...again, at: 7_200_000 }, announced], [0, 0]],
    ['calm', [compacted, resumed], [0, 0]],
  ])('lead to %s, with a line for the model where something is to be done', (phase, events, said) => {
    let window: Window = { hints: createHintState() };
    const lines = events.map((event) => {
      const [now, told] = advanceWindow(window, event);
      window = now;
      return told.length;
    });
    expect([window.hints.phase, lines]).toEqual([phase, said]);
  });

  test('what was said is void after a compaction, unless it was said because that was expected', () => {
    const ledger = createLedger(0, 'start');
    const hints = createHintState();
    const told = (...events: WindowEvent[]) =>
      events.reduce<Window>((window, event) => advanceWindow(window, event)[0], { hints, ledger }).ledger;
    expect(told(full, held)).toBe(ledger);
    expect(told(compacted)).toBeUndefined();
    expect(told(announced)).toBeUndefined();
    expect(told({ is: 'compaction expected' })).toBeUndefined();
    const [window] = advanceWindow({ hints, ledger }, { is: 'compaction expected' });
    expect(advanceWindow({ ...window, ledger }, compacted)[0].ledger).toBe(ledger);
    expect(told({ is: 'started', how: 'resumed', at: 1 })).toBe(ledger);
    const anew: WindowEvent = { is: 'started', how: 'new', at: 1 };
    expect(told(anew)).toBeUndefined();
    const [compactedWindow] = advanceWindow({ hints, ledger }, announced);
    expect(advanceWindow({ ...compactedWindow, ledger, handed: [] }, anew)[0]).toEqual({ hints });
  });

  test.each([
    [{ phase: 'held' }, 'held'],
    [{ phase: 'odd' }, 'calm'],
    [null, 'calm'],
  ])('of %j the phase is %s', (stored, phase) => {
    expect(readHints(stored).phase).toBe(phase);
  });
});
