import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claim } from '../../src/base/trust/index.ts';
import { answerEvent } from '../../src/hosts/answer.ts';
import { HOOK_HOSTS } from '../../src/hosts/host-rows.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test('what the brief of the day says is not said again as an alert of its own', async () => {
  const task = 'Send the invoice to Ana';
  const workspace = testDir({ '.scratchpad/': '', 'TODO.md': `- [ ] ${task} (due 2026-03-10)\n` });
  const host = HOOK_HOSTS.get('claude-code');
  if (!host) throw new Error('no host');
  const told = async (event: string, now: string, more: object, cwd = workspace): Promise<string> => {
    const json = {
      session_id: 's',
      hook_event_name: event,
      cwd,
      transcript_path: join(cwd, 'none.jsonl'),
      ...more,
    };
    const reply = await answerEvent({
      ...{ host, event, json, cwd, now },
      env: { ...minimalEnv(), TZ: 'UTC' },
      started: Date.now(),
    });
    await reply.finish();
    return reply.text ?? '';
  };
  // Made here: files beside a stranger's pad are told to nobody.
  claim(workspace, minimalEnv(), { creates: true });
  // Loading the modules for the first time may take longer than a hook has.
  const elsewhere = testDir({ '.scratchpad/': '', 'TODO.md': '' });
  await told('SessionStart', '2026-03-10T07:00:00Z', { source: 'startup' }, elsewhere);
  await told('UserPromptSubmit', '2026-03-10T07:00:00Z', { prompt: 'hello' }, elsewhere);
  expect(await told('SessionStart', '2026-03-10T08:00:00Z', { source: 'startup' })).toContain(
    `Due today: ${task}`,
  );
  for (const minute of ['05', '10', '50'])
    expect(
      await told('UserPromptSubmit', `2026-03-10T12:${minute}:00Z`, { prompt: 'what is left?' }),
    ).not.toContain(task);
  expect(await told('UserPromptSubmit', '2026-03-11T09:00:00Z', { prompt: 'and now?' })).toContain(task);
});

test('an edit by hand is said to be one, before any command has seen it', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
  await runWarm(['notes', 'set', 'release() is skipped'], { cwd });
  const told = async (event: string, more: object): Promise<string> => {
    const input = JSON.stringify({ session_id: 's', cwd, ...more });
    return (await runWarm(['hook', 'claude-code', event], { cwd, input })).stdout;
  };
  await told('SessionStart', { source: 'startup' });
  const pad = join(cwd, 'SCRATCHPAD.md');
  const text = readFileSync(pad, 'utf8').replace('1. Find the leak', '1. Find the leak\n2. Test it');
  writeFileSync(pad, text.replace('skipped', 'skipped on timeout'));
  const news = await told('UserPromptSubmit', { prompt: 'go on' });
  expect(news).toContain('## Plan, changed by hand');
  expect(news).toContain('## Notes, changed by hand');
});

test.each([
  ['short', 0],
  ['long', 900],
  ['very long', 3000],
])(
  'Gemini CLI writes a %s resumed chat without its messages first, then with them: nothing is said again',
  async (_, earlier) => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Find the leak'], { cwd });
    const chat = join(cwd, 'session-1.jsonl');
    const context = { id: 'c', type: 'user', content: '<session_context>It is Monday.</session_context>' };
    const line = (record: object): void => appendFileSync(chat, `${JSON.stringify(record)}\n`);
    const begin = (): void => {
      line({ sessionId: 's', projectHash: 'p', startTime: '2026-03-10T08:00:00Z', kind: 'main' });
      line({ $set: { messages: [context] } });
    };
    const prompt = async (words: string): Promise<string> => {
      const input = JSON.stringify({ session_id: 's', transcript_path: chat, cwd, prompt: words });
      return (await runWarm(['hook', 'gemini-cli', 'BeforeAgent'], { cwd, input })).stdout;
    };
    const talk: object[] = [];
    const turn = (words: string): void => {
      const at = `2026-03-10T08:0${talk.length % 10}:00Z`;
      for (const message of [
        { id: `u${talk.length}`, timestamp: at, type: 'user', content: words },
        { id: `a${talk.length}`, timestamp: at, type: 'gemini', content: 'Understood.' },
      ]) {
        talk.push(message);
        line(message);
      }
    };
    begin();
    for (let k = 0; k < earlier; k += 1) {
      talk.push({ id: `m${k}`, type: k % 10 === 0 ? 'user' : 'gemini', content: `part ${k}` });
      line(talk.at(-1) as object);
    }
    expect(await prompt('find the leak')).toContain('Find the leak');
    turn('find the leak');
    for (const words of ['go on', 'and on']) {
      begin();
      line({ $set: { messages: [context, ...talk] } });
      expect(await prompt(words)).not.toContain('Find the leak');
      turn(words);
    }
  },
);
