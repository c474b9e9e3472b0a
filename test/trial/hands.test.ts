import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../scripts/trial/report.ts';
import { testDir } from '../helpers/test-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

const hands = (...args: string[]): string => {
  const program = ['--import', 'tsx', join(ROOT, 'scripts/trial/hands.ts')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
};

/** An agent that keeps every rule it has seen, and says so when it is asked to finish. */
function play(folder: string): string {
  let seen = '';
  const act = (...args: string[]): void => {
    seen += spawnSync(join(folder, 'act'), args, { encoding: 'utf8' }).stdout;
  };
  act('begin');
  for (let calls = 0; !seen.includes('HAS ENDED') && calls < 12; calls += 1) {
    const last = seen.slice(seen.lastIndexOf('THE PERSON SAYS'));
    const rules = [...new Set(seen.match(/rule-[a-z]+/g) ?? [])].join(' ');
    if (seen.includes('THE CONTEXT IS FULL')) act('say', 'The work on answer.txt goes on. rule-alpha');
    else if (!seen.includes('PLEASE FINISH'))
      act('bash', last.includes('begin') ? 'echo >> answer.txt' : 'ls');
    else if (calls === 0) act('bash', `printf '%s\\n' ${rules} > answer.txt`);
    else act('say', 'Done.');
  }
  return seen;
}

describe.skipIf(!canMount)('the trial played by hand', { timeout: 240_000 }, () => {
  const folder = testDir();
  const run = join(folder, 'run');

  it('gives the second session what the arm gives, and tells the arms apart', () => {
    const fixtures = join(ROOT, 'test/fixtures/trial');
    hands('begin', run, '--tasks', fixtures, '--arms', 'nothing,ours', '--runs', '1', '--stub');
    expect(hands('second', run)).toContain('not played to its end');
    for (const task of ['echo', 'squeezed']) {
      for (const arm of ['nothing', 'ours']) play(join(run, `first-${arm}-${task}`));
    }
    hands('second', run);
    expect(play(join(run, 'nothing1-echo'))).not.toContain('rule-gamma');
    const told = play(join(run, 'ours1-echo'));
    expect(told).toContain('rule-gamma');
    for (const arm of ['nothing', 'ours']) {
      expect(play(join(run, `${arm}1-squeezed`))).toContain('continued from a previous conversation');
    }
    const table = hands('score', run);
    expect(table).toContain('No figure here is a result');
    const { byTask, results } = JSON.parse(readFileSync(join(run, 'results.json'), 'utf8')) as Summary;
    // Of four rules and that the calls are known; the summary holds the first rule only.
    expect(byTask.echo?.nothing?.kept).toBe(2);
    expect(byTask.squeezed?.nothing?.kept).toBe(3);
    for (const task of ['echo', 'squeezed']) expect(byTask[task]?.ours?.kept).toBe(5);
    expect(results.every(({ first }) => first === 'cut off at calls')).toBe(true);
    expect(told).toContain(readFileSync(join(run, 'ours1-echo/told.md'), 'utf8').split('\n---\n')[0]?.trim());
  });
});
