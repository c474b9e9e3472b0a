import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assignArms } from '../../scripts/trial/hands.ts';
import { computeDifference, type Result, share } from '../../scripts/trial/measures.ts';
import { bundled } from '../helpers/script.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

describe('who plays what', () => {
  it('gives each task each arm once in a group of players, and each player all arms equally often', () => {
    const group = [4, 5, 6].map((player) => assignArms(player, 10, 3, 7));
    for (let task = 0; task < 10; task += 1)
      expect(group.map((arms) => arms[task]).sort()).toEqual([0, 1, 2]);
    for (const arms of group)
      for (const arm of [0, 1, 2]) expect(arms.filter((one) => one === arm).length).toBeGreaterThan(2);
    expect(assignArms(1, 10, 3, 7)).not.toEqual(assignArms(4, 10, 3, 7));
  });
});

describe('the measures', () => {
  it("have Wilson's interval", () => {
    const { low, high } = share(8, 10);
    expect(low).toBeCloseTo(0.4902, 3);
    expect(high).toBeCloseTo(0.9433, 3);
    expect(share(0, 0)).toMatchObject({ low: 0, high: 1 });
  });

  it('have the difference by task, with an interval that the seed decides', () => {
    const result = (arm: string, task: string, ...kept: boolean[]): Result => ({
      ...{ arm, task, run: 1, calls: 4, turns: 1, questions: 0, added: 0, ms: 1000, ended: '' },
      kept: Object.fromEntries(kept.map((is, at) => [String(at), is])),
    });
    const ours = [result('a', 'x', true, true), result('a', 'y', true, true), result('a', 'z', true, false)];
    const theirs = [
      result('b', 'x', true, false),
      result('b', 'y', false, false),
      result('b', 'z', true, false),
    ];
    const found = computeDifference(ours, theirs, 7);
    expect(found.value).toBeCloseTo(0.5);
    expect([found.low, found.high]).toEqual([0, 1]);
    expect(computeDifference(ours, theirs, 7)).toEqual(found);
    expect(computeDifference(ours, [], 7).n).toBe(0);
  });
});

describe.skipIf(!canMount)('the trial played by hand', { timeout: 240_000 }, () => {
  const program = bundled('scripts/trial/hands.ts');
  const folder = join(testDir(), 'run');
  let machine = '';
  afterAll(() => {
    if (machine) rmSync(machine, { recursive: true, force: true });
  });

  const hands = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual(['', 0]);
    return stdout;
  };

  /** An agent that keeps every rule it has seen, and says so when it is asked to finish. */
  async function play(session: string, meanwhile: (act: string) => Promise<void>): Promise<string> {
    const act = join(folder, 'player-1', session, 'act');
    const ask = (...args: string[]): string => spawnSync(act, args, { encoding: 'utf8' }).stdout;
    const seen = ask('begin');
    await meanwhile(act);
    await wait(800);
    const rules = new Set(seen.match(/rule-[a-z]+/g));
    ask('bash', `printf '%s\\n' ${[...rules].join(' ')} > answer.txt`);
    await wait(800);
    ask('say', 'Done.');
    return seen;
  }

  /** A call that is made before the last answer can have been read, and one that is made during another. */
  async function hurry(act: string): Promise<void> {
    const refused = { stdout: expect.stringContaining('ONE CALL AT A TIME') };
    const call = (command: string, env = {}) =>
      spawnSync(act, ['bash', command], { encoding: 'utf8', env: { ...process.env, ...env } });
    // At a time of its own: a busy machine takes longer than reading does.
    const early = testDir({ date: '#!/bin/sh\necho 0\n' });
    chmodSync(join(early, 'date'), 0o755);
    expect(call('echo early', { PATH: `${early}:${process.env.PATH}` })).toMatchObject(refused);
    await wait(800);
    // Sessions have a /tmp of their own.
    const signals = mkdtempSync('/var/tmp/hands-');
    const [begun, end] = [join(signals, 'begun'), join(signals, 'end')];
    const waiting = `touch '${begun}'; while [ ! -e '${end}' ]; do sleep 0.05; done; echo slow`;
    const slow = spawn(act, ['bash', waiting], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    slow.stdout.on('data', (data) => {
      said += String(data);
    });
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    expect(call('echo both')).toMatchObject(refused);
    writeFileSync(end, '');
    await new Promise((done) => slow.on('close', done));
    rmSync(signals, { recursive: true });
    expect(said).toContain('slow');
  }

  it('gives the second session what the arm gives, and refuses two calls at a time', async () => {
    const fixtures = join(ROOT, 'test/fixtures/trial');
    hands('prepare', folder, '--player', '1', '--tasks', fixtures, '--arms', 'ours');
    const played = readdirSync(join(folder, 'player-1')).filter((name) => name !== 'BRIEF.md');
    const seen: string[] = [];
    for (const [at, name] of played.entries())
      seen.push(await play(name, at === 0 ? hurry : () => Promise.resolve()));
    const said = hands('score', folder);
    machine = /The runs: (\S+)\/players/.exec(said)?.[1] ?? '';
    expect(said).toContain('tasks of your own');
    const results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as Result[];
    const kept = results.map(
      ({ arm, task, kept: all }) => [arm, task, Object.values(all).filter(Boolean).length] as const,
    );
    // Four rules and that the calls are known; the summary of the compaction holds the first rule only.
    expect(kept).toEqual([
      ['ours', 'echo', 5],
      ['ours', 'squeezed', 5],
    ]);
    const runs = readFileSync(join(folder, 'runs.jsonl'), 'utf8').trim().split('\n');
    const told = runs.flatMap((run) => (JSON.parse(run) as { told: string[] }).told);
    const rules = told.find((text) => text.includes('rule-gamma'))?.trim();
    expect(seen.some((one) => one.includes(rules ?? 'nothing'))).toBe(true);
  });
});
