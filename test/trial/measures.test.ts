import { describe, expect, it } from 'vitest';
import { armOf } from '../../scripts/trial/arms.ts';
import { difference, type Result, rowOf, share } from '../../scripts/trial/measures.ts';
import { loadTasks } from '../../scripts/trial/tasks.ts';
import { cells } from '../../scripts/trial/trial.ts';

const result = (arm: string, task: string, kept: boolean[], more: Partial<Result> = {}): Result => ({
  arm,
  task,
  run: 1,
  kept: Object.fromEntries(kept.map((is, at) => [String(at), is])),
  calls: 4,
  turns: 1,
  questions: 0,
  usage: { input: 100, cached: 50, output: 10 },
  added: 0,
  ms: 1000,
  model: 'm',
  first: '',
  ended: '',
  ...more,
});

describe('the measures of the trial', () => {
  it("have Wilson's interval", () => {
    const { low, high } = share(8, 10);
    expect(low).toBeCloseTo(0.4902, 3);
    expect(high).toBeCloseTo(0.9433, 3);
    expect(share(0, 0)).toMatchObject({ low: 0, high: 1 });
  });

  it('have the difference by task, with an interval that the seed decides', () => {
    const ours = [
      result('a', 'x', [true, true]),
      result('a', 'y', [true, true]),
      result('a', 'z', [true, false]),
    ];
    const theirs = [
      result('b', 'x', [true, false]),
      result('b', 'y', [false, false]),
      result('b', 'z', [true, false]),
    ];
    const found = difference(ours, theirs, 7);
    expect(found.mean).toBeCloseTo(0.5);
    expect(found.low).toBe(0);
    expect(found.high).toBe(1);
    expect(difference(ours, theirs, 7)).toEqual(found);
    expect(difference(ours, [], 7).tasks).toBe(0);
  });

  it('leave out what the machine did, count what the model did, and say both', () => {
    const row = rowOf('a', [
      result('a', 'x', [true, true]),
      result('a', 'x', [false, false], { failure: { kind: 'refused', said: 'no' } }),
      result('a', 'x', [false, false], { failure: { kind: 'killed', said: '' } }),
    ]);
    expect(row.share).toMatchObject({ kept: 2, of: 4 });
    expect(row.notes).toEqual(['1 refused', '1 killed (left out)']);
  });
});

describe('the runs of a trial', () => {
  const planned = { arms: ['nothing', 'compaction', 'ours'].map(armOf), tasks: loadTasks(), runs: 2 };
  const order = (seed: number): string =>
    cells({ ...planned, seed })
      .map(({ arm, task, run }) => `${arm.name} ${task.name} ${run}`)
      .join();

  it('come in an order that the seed decides', () => {
    expect(order(1)).toBe(order(1));
    expect(order(1)).not.toBe(order(2));
  });

  it('leave out a second compaction where the task has one itself', () => {
    const squeezed = cells({ ...planned, seed: 1 }).filter(({ task }) => task.restart === 'compaction');
    expect(squeezed.map(({ arm }) => arm.name)).not.toContain('compaction');
    expect(squeezed).toHaveLength(4);
  });
});
