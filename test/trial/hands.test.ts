import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { armsFor } from '../../scripts/trial/hands.ts';
import type { Summary } from '../../scripts/trial/report.ts';
import { loadTasks } from '../../scripts/trial/tasks.ts';
import { bundled } from '../helpers/script.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

const PROGRAM = bundled('scripts/trial/hands.ts');

const hands = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
};
const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** An agent that keeps every rule it has seen, and says so when it is asked to finish. */
async function play(folder: string): Promise<string> {
  let seen = '';
  const act = async (...args: string[]): Promise<void> => {
    seen += spawnSync(join(folder, 'act'), args, { encoding: 'utf8' }).stdout;
    await wait(800);
  };
  await act('begin');
  if (seen.includes('NOTES.md')) await act('read', 'NOTES.md');
  await act(
    'bash',
    `printf '%s\\n' ${[...new Set(seen.match(/rule-[a-z]+/g) ?? [])].join(' ')} > answer.txt`,
  );
  await act('say', 'Done.');
  return seen;
}

describe('who plays what', () => {
  it('gives each task each arm once in a group of players, and each player all arms equally often', () => {
    const group = [4, 5, 6].map((player) => armsFor(player, 10, 3, 7));
    for (let task = 0; task < 10; task += 1)
      expect(group.map((arms) => arms[task]).sort()).toEqual([0, 1, 2]);
    for (const arms of group)
      for (const arm of [0, 1, 2]) expect(arms.filter((one) => one === arm).length).toBeGreaterThan(2);
    expect(armsFor(1, 10, 3, 7)).not.toEqual(armsFor(4, 10, 3, 7));
  });
});

describe('the recorded first sessions', () => {
  it.each(loadTasks())(
    '$name: cut off at the first edit after the last message',
    ({ first, recorded, restart }) => {
      const messages = recorded.filter((step) => 'say' in step || 'person' in step).length;
      expect(messages).toBe(first.length - 1);
      const last = recorded.findLastIndex((step) => 'say' in step || 'person' in step);
      const edits = recorded.slice(last + 1).filter((step) => step.edit ?? step.write);
      expect(edits).toHaveLength(restart === 'compaction' ? 0 : 1);
      const end = Object.keys(recorded.at(-1) ?? {})[0];
      expect(restart === 'compaction' ? ['summary'] : ['edit', 'write']).toContain(end);
      const noted = recorded.slice(last + 1).some((step) => step.notes);
      expect(noted).toBe(true);
    },
  );
});

describe.skipIf(!canMount)('the trial played by hand', { timeout: 240_000 }, () => {
  const folder = join(testDir(), 'run');
  let machine = '';
  afterAll(() => {
    if (machine) rmSync(machine, { recursive: true, force: true });
  });

  it('gives the second session what the arm gives, and tells the arms apart', async () => {
    const fixtures = join(ROOT, 'test/fixtures/trial');
    const arms = ['nothing', 'ours'];
    for (const player of ['1', '2'])
      hands('prepare', folder, '--player', player, '--tasks', fixtures, '--arms', arms.join(), '--stub');
    const seen: string[] = [];
    for (const player of readdirSync(folder))
      for (const name of readdirSync(join(folder, player)).filter((one) => one !== 'BRIEF.md'))
        seen.push(await play(join(folder, player, name)));
    const table = hands('score', folder);
    machine = /The runs: (\S+)\/players/.exec(table)?.[1] ?? '';
    expect(table).toContain('No figure here is a result');
    const { byTask } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as Summary;
    // Of four rules and that the calls are known; the summary holds the first rule only.
    expect(byTask.echo?.nothing?.kept).toBe(2);
    expect(byTask.squeezed?.nothing?.kept).toBe(3);
    const kept = (task: string): (number | undefined)[] =>
      arms.slice(1).map((arm) => byTask[task]?.[arm]?.kept);
    expect(kept('echo')).toEqual([5]);
    expect(kept('squeezed')).toEqual([5]);
    const [told] = readdirSync(join(machine, 'players'))
      .map((player) => readFileSync(join(machine, 'players', player, 'echo/told.md'), 'utf8'))
      .filter((text) => text.includes('rule-gamma'));
    expect(seen.some((one) => one.includes(told?.split('\n---\n')[0]?.trim() ?? 'nothing'))).toBe(true);
  });

  it('refuses a call that is made at the same time as another, or before its answer can have been read', async () => {
    hands('prepare', folder, '--player', '3');
    const act = join(folder, 'player-3/1-echo/act');
    const other = join(folder, 'player-3/2-echo/act');
    const path = readdirSync(join(folder, 'player-3')).includes('1-echo') ? act : other;
    spawnSync(path, ['begin']);
    expect(spawnSync(path, ['bash', 'echo early'], { encoding: 'utf8' }).stdout).toContain(
      'ONE CALL AT A TIME',
    );
    await wait(800);
    const slow = spawn(path, ['bash', 'sleep 6; echo slow'], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    slow.stdout.on('data', (data) => {
      said += String(data);
    });
    await wait(1000);
    expect(spawnSync(path, ['bash', 'echo both'], { encoding: 'utf8' }).stdout).toContain(
      'ONE CALL AT A TIME',
    );
    await new Promise((done) => slow.on('close', done));
    expect(said).toContain('slow');
  });
});
