import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moment } from '../contracts/host.ts';
import { git } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** Several sessions that only talked, one after the other. */

const HOURS = 3_600_000;
const TOTALS = 'Round the totals of the cart to cents.';
const RULES = 'Never touch the coupon code, Ines owns it. Round everything.';
const LOG = 'The log line stays, Grafana parses it';
const CI = 'Find out why CI is red';

function begin() {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n' });
  git(cwd, 'init', '-q', '-b', 'main');
  const fire = (id: string, name: string, more: object): Promise<string> =>
    moment(cwd, name, { session_id: id, transcript_path: join(cwd, `${id}.jsonl`), ...more });
  const write = (id: string, session: ClaudeSession): void =>
    writeFileSync(join(cwd, `${id}.jsonl`), session.text);
  const ask = (id: string, prompt: string): Promise<string> => fire(id, 'UserPromptSubmit', { prompt });
  /** A session so many hours ago. @returns what its first prompt was told */
  const talk = async (id: string, hours: number, prompts: string[], answer = 'I will.'): Promise<string> => {
    const day = new Date(Date.now() - hours * HOURS);
    const session = new ClaudeSession({ cwd, session: id, branch: 'main', day });
    const told: string[] = [];
    for (const prompt of prompts) {
      told.push(await ask(id, prompt));
      write(id, session.person(prompt).agent(answer));
      await fire(id, 'Stop', { last_assistant_message: answer });
    }
    await fire(id, 'SessionEnd', { reason: 'exit' });
    return told[0] ?? '';
  };
  const print = async (): Promise<string> =>
    (await runWarm(['handover'], { cwd, env: { ...process.env, CLAUDECODE: '' } })).stdout;

  return { cwd, fire, write, ask, talk, print };
}

test.each(['please go on with the cart', 'continue with the cart', 'mach mit dem Cart weiter'])(
  '“%s” goes on with the newest session about the cart, whatever came between',
  async (prompt) => {
    const { ask, talk } = begin();
    await talk('s1', 40, [TOTALS, RULES]);
    await talk('s2', 20, [CI], 'A test of the cart fails.');
    const told = await ask('s3', prompt);
    for (const words of [TOTALS, RULES]) expect(told).toContain(`- “${words}”`);
    expect(told).toMatch(/the last session here that the prompt names, (?:40|39) h/i);
    expect(told).not.toContain(CI);
  },
);

test.each([
  ['What should we tackle next?', false],
  ['Where do you want to go next?', false],
  ['Which file should I change next, a.ts or b.ts?', true],
])('other work is told of an open question, not of a courtesy: “%s”', async (question, isTold) => {
  const { ask, talk } = begin();
  await talk('s1', 1, [TOTALS], `The login page is fixed and the tests pass. ${question}`);
  const told = await ask('s2', 'please write a poem about autumn');
  expect(told.includes('asked without an answer')).toBe(isTold);
});

test('a prompt that names nothing, or what nobody named, goes on with the last session', async () => {
  for (const prompt of ['please go on', 'go on with the invoices', 'go on with the CI']) {
    const { ask, talk } = begin();
    await talk('s1', 40, [TOTALS, RULES]);
    await talk('s2', 20, [CI]);
    const told = await ask('s3', prompt);
    expect(told, prompt).toContain(CI);
    expect(told).not.toContain('coupon');
  }
});

test.each([
  'go on with the billing',
  'mach mit der Abrechnung weiter',
  'pick up where we left off with billing please',
])('“%s” is told in one line that no session names it, and what the last one was', async (prompt) => {
  const { ask, talk } = begin();
  await talk('s1', 20, [TOTALS, RULES]);
  const told = await ask('s2', prompt);
  expect(told).toMatch(
    /No session here names “(?:billing|abrechnung)”\. The last session here, (?:20|19) h.*“Never touch.*; `scratchpad handover`/,
  );
  expect(told).not.toContain(TOTALS);
  expect(await ask('s2', 'then go on please')).toContain(`- “${TOTALS}”`);
});

test.each([
  'go on with the totals',
  'could you continue slowly',
  'mach mit dem Projekt weiter',
  'go on with it, and run the linter first',
])('“%s” names no other work', async (prompt) => {
  const { ask, talk } = begin();
  await talk('s1', 20, [TOTALS, RULES]);
  expect(await ask('s2', prompt)).toContain(`- “${TOTALS}”`);
});

test('`handover` prints what a session that goes on is told, and the sessions that a prompt may name', async () => {
  const { ask, talk, print } = begin();
  await talk('s1', 40, [TOTALS, RULES]);
  expect(await talk('s2', 30, ['please go on with the cart', LOG])).toContain(RULES);
  await talk('s3', 20, [CI]);
  const printed = await print();
  expect(printed).toContain('1. “Find out why CI is red”');
  expect(printed).toMatch(/with what one of these names:\n {2}“The log line stays.*handover --session s2`/);
  const told = await ask('s4', 'please go on with the cart');
  for (const words of [TOTALS, RULES, LOG]) expect(told).toContain(words);
  expect(told).not.toContain(CI);
});

test('after a compaction each message stands under its own session, and no fragment is told', async () => {
  const { cwd, fire, write, talk } = begin();
  await talk('s1', 40, [TOTALS, RULES]);
  await talk('s2', 30, ['please go on with the cart', LOG, 'note that']);
  await talk('s3', 2, ['please go on with the cart', 'The footer is red']);
  const day = new Date(Date.now() - 2 * HOURS);
  const session = new ClaudeSession({ cwd, session: 's3', branch: 'main', day });
  session.person('please go on with the cart').agent('ok').person('The footer is red').agent('ok');
  write('s3', session.compaction('Worked on it.'));
  const told = await fire('s3', 'SessionStart', { source: 'compact' });
  expect(told).toMatch(/in an earlier session of this work, (?:40|39) h.*\n- “Round.*\n- “Never touch/);
  expect(told).toMatch(/in an earlier session of this work, (?:30|29) h.*\n- “The log line stays/);
  expect(told).toContain('messages that the summary lacks\n- “The footer is red”');
  expect(told).not.toContain('note that');
});

test('a short prompt that names a thing in two words of the person is told them; one of them alone is not', async () => {
  const { ask, talk } = begin();
  await talk('s1', 20, [TOTALS, RULES]);
  for (const prompt of ['add a code owner to the wiki page', 'write a coupon for the summer sale'])
    expect(await ask(`no ${prompt}`, prompt), prompt).not.toContain('Ines');
  const told = await ask('s2', 'add an expiry date to the coupon code');
  expect(told).toContain(`- “${RULES}”`);
});
