import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const TALK = [
  { role: 'user', content: 'please rename the flag', timestamp: '2026-02-03T10:00:00Z' },
  { role: 'assistant', content: 'Done, I renamed the wrong one, sorry.' },
  { role: 'user', content: 'why do you keep ignoring my instructions', timestamp: '2026-02-03T10:02:00Z' },
];

describe('mood', () => {
  test('reads a file of messages as of the time of the last one, and says why', async () => {
    const cwd = testDir();
    writeFileSync(join(cwd, 'talk.json'), JSON.stringify(TALK));
    const done = await runWarm(['mood', '--messages', 'talk.json'], { cwd });
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    expect(done.stdout).toMatch(/^frustrated/);
    expect(done.stdout).toMatch(/\n {2}asks why the agent did it \(\d\.\d\d\) {2}"why do you"/);
    expect(done.stdout).toMatch(/\nAnswer: Lead with the /);
    const json = JSON.parse((await runWarm(['mood', '--json', '-m', 'talk.json'], { cwd })).stdout);
    expect(Object.keys(json)).toEqual(['source', 'state', 'strategy', 'others']);
    expect(json.state).toMatchObject({ emotion: 'frustrated', windowSize: 2 });
    const later = await runWarm(['mood', '-m', 'talk.json', '--now', '2026-02-03T22:00:00Z'], { cwd });
    expect(later.stdout).toMatch(/^neutral/);
  });

  test('--batch answers every line in order, broken ones too', async () => {
    const input = [
      JSON.stringify({ id: 'a', messages: TALK }),
      '{',
      JSON.stringify({ id: 2, messages: 'no' }),
      JSON.stringify({ id: 3, messages: ['thank you, perfect!'], now: 1_770_000_000_000 }),
      JSON.stringify({ id: 4, messages: [] }),
    ].join('\n');
    const { stdout, exitCode } = await runWarm(['mood', '--batch'], { cwd: testDir(), input });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exitCode).toBe(2);
    expect(answers.map((a) => a.id)).toEqual(['a', null, 2, 3, 4]);
    expect(answers[0]).toMatchObject({ state: { emotion: 'frustrated' }, strategy: { preamble: false } });
    expect(answers[1]).toEqual({ id: null, error: 'not JSON' });
    expect(answers[3].state.valence).toBeGreaterThan(0.3);
    expect(answers[4].state).toMatchObject({ emotion: 'neutral', confidence: 0 });
  });

  test('without a session it says how to name one', async () => {
    const done = await runWarm(['mood'], { cwd: testDir() });
    expect(done.exitCode).toBe(1);
    expect(done.stderr).toContain('--transcript');
  });
});
