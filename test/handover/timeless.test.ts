import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentMemory } from '../../src/hosts/agent-memory.ts';
import { openScratchpad } from '../../src/index.ts';
import { git } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const MESSAGES = [
  { role: 'user', content: 'Round the totals of the invoices, and never with floats.' },
  { role: 'assistant', content: 'Which currency should I use?' },
];
const NOW = Date.parse('2026-03-02T16:00:00Z');
const open = async (workspace: string) => openScratchpad({ workspace, env: minimalEnv(), now: () => NOW });

test.each([
  [undefined],
  [{ timestamp: 'yesterday' }],
  [{ timestamp: 0 }],
  [{ timestamp: null, time: 3, ts: '' }],
])('messages without a time have no age: %j', async (time) => {
  const pad = await open(testDir());
  const { text } = (await pad.handover({ messages: MESSAGES.map((each) => ({ ...each, ...time })) })) ?? {};
  expect(text).toContain('Round the totals');
  expect(text).not.toMatch(/\bago\b/);
});

test.each(['timestamp', 'created_at', 'date', 'time', 'ts'])(
  'the time of a message is read under %s',
  async (name) => {
    const pad = await open(testDir());
    for (const time of ['2026-03-02T00:00:00Z', Date.parse('2026-03-02') / 1000]) {
      const messages = MESSAGES.map((each) => ({ ...each, [name]: time }));
      expect((await pad.handover({ messages }))?.text).toContain('in the last session here, 16 h ago');
    }
  },
);

test.each(['messages', 'transcript'] as const)('%s without times claim no commits', async (name) => {
  const lines = MESSAGES.map((each) => `${JSON.stringify(each)}\n`).join('');
  const workspace = testDir({ 'one.jsonl': lines });
  git(workspace, 'init', '-q', '-b', 'main');
  git(workspace, 'commit', '-q', '--allow-empty', '-m', 'ancient work');
  const pad = await open(workspace);
  const source = name === 'messages' ? { messages: MESSAGES } : { transcript: join(workspace, 'one.jsonl') };
  const view = await pad.handover(source);
  expect(view?.state.commits).toEqual([]);
  expect(view?.text).toContain('Round the totals');
  expect(view?.text).not.toContain('ancient work');
});

test('no command is named for more of messages that a program passed', async () => {
  const pad = await open(testDir());
  const messages = Array.from({ length: 60 }, (_, k) => ({
    role: 'user',
    content: `In the module ${k} of the billing service, use the library ${k * 7} for each of the totals.`,
  }));
  const { text = '' } = (await pad.handover({ messages })) ?? {};
  expect(text).toContain('In the module 59');
  expect(text).not.toMatch(/\d+ more|scratchpad handover/);
});

test('a session file without times is handed over, without an age', async () => {
  const lines = MESSAGES.map((each) => `${JSON.stringify(each)}\n`).join('');
  const workspace = testDir({ 'one.jsonl': lines });
  const env = minimalEnv();
  await runWarm(['init'], { cwd: workspace, env });
  const memory = openAgentMemory({ host: 'opencode', workspace, env });
  const one = { sessionId: 'one', transcriptPath: join(workspace, 'one.jsonl') };
  await memory.tell('prompt', { ...one, prompt: 'Round the totals of the invoices, and never with floats.' });
  await memory.tell('end', one);
  const next = { sessionId: 'two', prompt: 'go on with the totals' };
  const { context } = await memory.tell('prompt', next);
  await memory.settled();
  expect(context).toContain('Round the totals of the invoices');
  expect(context).not.toMatch(/\bago\b|1970/);
  const shown = await runWarm(['handover', '--session', 'one', '--json'], { cwd: workspace, env });
  expect(shown.stdout).not.toMatch(/1970|\d{4} days/);
});
