import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** A workspace whose mood is what a command prints, as the block and `mood` show it. */
async function workspace(printed: string) {
  const root = testDir({ 'work/': '', 'home/': '' });
  const cwd = join(root, 'work');
  const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home/.config') };
  await runWarm(['init'], { cwd, env });
  writeFileSync(join(cwd, 'printed.txt'), printed);
  const stages = { sentiment: { command: 'cat', args: ['printed.txt'] } };
  writeFileSync(join(cwd, '.scratchpad/config.yaml'), JSON.stringify({ stages }));
  await runWarm(['trust'], { cwd, env });
  const input = JSON.stringify([{ role: 'user', content: 'wtf, you broke it again!!', sender: 'Ada' }]);
  const run = (...args: string[]) => runWarm([...args, '-m', '-'], { cwd, env, input });
  return { block: () => run('assemble', '--dry-run'), mood: () => run('mood', '--json') };
}

describe('another sentiment engine', () => {
  test('its state, trajectory and strategy replace ours, in the block and in `mood`', async () => {
    const state = {
      ...{ emotion: 'frustrated', secondary: 'excited', frustration: 0.71, urgency: 0.55 },
      ...{ valence: -0.4, arousal: 0.7, confidence: 0.82, trajectory: { start: 0.8, now: 0.5 } },
    };
    const { block, mood } = await workspace(JSON.stringify({ state, strategy: { tone: 'warm' } }));
    const { stdout } = await block();
    for (const line of [
      '- **Primary:** frustrated (0.71)',
      '- **Secondary:** excited',
      '- **Valence:** -0.4 (negative) | **Arousal:** 0.7 (high)',
      '- **Confidence:** 0.82',
      '- **Trajectory:** frustration 0.8 to 0.5, easing',
      '- **Style:** concise — lead with the answer',
      '- **Tone:** warm — kind, not effusive',
      '- **Verbosity:** minimal — they will ask for more',
    ])
      expect(stdout).toContain(line);
    expect(JSON.parse((await mood()).stdout)).toMatchObject({ state: { frustration: 0.71 } });
  });

  test('levels alone name the mood; a calm one is none', async () => {
    const tired = await (await workspace('{"state": {"fatigue": 0.8}}')).block();
    expect(tired.stdout).toContain('- **Primary:** tired (0.80)');
    const calm = await (await workspace('{"state": {"frustration": 0.1}}')).block();
    expect(calm.stdout).not.toContain('Emotional Context');
  });

  test.each([
    [
      'frustrated',
      'expected JSON such as {"state": {"frustration": 0.7, "confidence": 0.8}}, found: frustrated',
    ],
    ['', 'found: no output'],
    ['{"state": {"frustration": 7}}', 'state.frustration: expected a number from 0 to 1, found 7'],
    ['{"state": {"trajectory": "up"}}', 'state.trajectory: expected an object, found "up"'],
    ['{"state": {}, "strategy": {"tone": "rude"}}', 'strategy.tone: expected direct, warm'],
    ['{"state": {}, "strategy": {"preamble": "no"}}', 'strategy.preamble: expected true or false'],
    ['{"state": {}, "strategy": 5}', 'strategy: expected an object, found 5'],
  ])('what is no mood is an error: %s', async (printed, wanted) => {
    const { stdout, stderr } = await (await workspace(printed)).block();
    expect(stderr).toContain(wanted);
    expect(stdout).not.toContain('Emotional Context');
    expect(stdout).toContain('## Time Context');
  });
});

test.each([
  ['das ist doch alles kaputt, warum machst du das immer', true],
  ['please rename the column', false],
])('a message in another language is said to be unread: %s', async (content, isUnread) => {
  const input = JSON.stringify([{ role: 'user', content }]);
  const { stdout } = await runWarm(['assemble', '--dry-run', '-m', '-'], { cwd: testDir(), input });
  expect(stdout.includes('- **Primary:** not read: only English is')).toBe(isUnread);
});
