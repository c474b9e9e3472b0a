import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 1, 6, 9, minute)).toISOString();

/** A workspace with a plan and an assembled state, and hooks to call at a minute of an hour. */
async function workspace(config = '') {
  const cwd = testDir({
    'MEMORY.md': '- The deploy window is Thursday.\n',
    '.scratchpad/config.yaml': `timezone: UTC\n${config}`,
  });
  await runWarm(['plan', 'set', '1. Find the leak\n2. Test it', '--now', at(0)], { cwd });
  await runWarm(['assemble', '--now', at(0)], { cwd });
  const hook = async (name: string, minute: number, more: object = {}): Promise<string> => {
    const input = JSON.stringify({ session_id: 's1', cwd, ...more });
    const { stdout, exitCode } = await runWarm(['hook', 'claude-code', name, '--now', at(minute)], {
      cwd,
      input,
    });
    expect(exitCode).toBe(0);
    return stdout;
  };
  const file = join(cwd, 'SCRATCHPAD.md');
  const sum = (): string => createHash('md5').update(readFileSync(file)).digest('hex');
  const prompt = (minute: number, words: string) => hook('UserPromptSubmit', minute, { prompt: words });
  return { cwd, hook, prompt, file, sum, text: () => readFileSync(file, 'utf8') };
}

test('ten prompts and twenty tool calls leave the file as it is, byte for byte', async () => {
  const { hook, prompt, sum } = await workspace();
  const before = sum();
  await hook('SessionStart', 1, { source: 'startup' });
  for (let k = 0; k < 10; k += 1) {
    await prompt(2 + k, `Now restart node ${k} of the cluster, please.`);
    for (const command of ['ls', 'git status'])
      await hook('PostToolUse', 2 + k, {
        tool_name: 'Bash',
        tool_input: { command },
        tool_response: { stdout: 'fine', stderr: '' },
      });
    expect(sum()).toBe(before);
  }
});

test('the end of a turn renders the state of its last prompt', async () => {
  const { hook, prompt, text, sum } = await workspace();
  await prompt(5, 'Please fix the login page, it is still broken.');
  expect(text()).not.toContain('login page');
  await hook('Stop', 6, {});
  expect(text()).toContain('Last topic: Please fix the login page');
  expect(text()).toContain('updated: 2026-02-06T09:05:00+00:00');
  const rendered = sum();
  await hook('Stop', 7, {});
  await hook('SessionEnd', 8, { reason: 'exit' });
  expect(sum()).toBe(rendered);
});

test('the end of a session renders what a turn without an end has left', async () => {
  const { hook, prompt, text } = await workspace();
  await prompt(5, 'Please fix the login page, it is still broken.');
  await hook('SessionEnd', 8, { reason: 'exit' });
  expect(text()).toContain('login page');
});

test('a reading command shows the newest state, and writes nothing', async () => {
  const { cwd, prompt, sum } = await workspace();
  const before = sum();
  await prompt(20, 'Please fix the login page, it is still broken.');
  const soon = await runWarm(['show', 'state', '--now', at(21)], { cwd });
  expect(soon.stdout).toContain('login page');
  expect(sum()).toBe(before);
  const later = await runWarm(['check', '--now', at(40)], { cwd });
  expect([later.exitCode, later.stdout]).toEqual([0, expect.stringContaining('fresh')]);
  expect(sum()).toBe(before);
});

test('state.write: prompt writes at each prompt', async () => {
  const { prompt, text } = await workspace('state:\n  write: prompt\n');
  await prompt(5, 'Please fix the login page, it is still broken.');
  expect(text()).toContain('login page');
});

test('the front matter has what a reader needs', async () => {
  const { text } = await workspace();
  const fields = [...(text().split('---')[1] ?? '').matchAll(/^([\w-]+):/gm)].map(([, key]) => key);
  expect(fields).toEqual(['scratchpad', 'session', 'revision', 'updated', 'ttl', 'expires']);
});

test.each(['', '{', '{"seal":"x","body":"{}"}', '{"seal":"x"}', '[1]', 'null'])(
  'a state.json of %j counts as none',
  async (content) => {
    const { cwd, prompt, hook, text } = await workspace();
    const kept = join(cwd, '.scratchpad/sessions/main/state.json');
    expect(existsSync(kept)).toBe(true);
    writeFileSync(kept, content);
    expect((await runWarm(['show', '--now', at(5)], { cwd })).stdout).toContain('Find the leak');
    await hook('Stop', 6, {});
    await prompt(7, 'Please fix the login page, it is still broken.');
    await hook('Stop', 8, {});
    expect(text()).toContain('login page');
  },
);
