import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { ClaudeSession } from './claude-session.ts';

/** A secret is recognised only as a whole: texts are redacted before they are cut to a length, wherever the cut falls. */

const SECRET = 'Xk4vTq9LrW2z';
const URL = `postgres://shop:${SECRET}@db.example.org/shop`;
const pad = (length: number): string =>
  `${'move the old rows of the cart '.repeat(300).slice(0, length - 1)} `;
const lengths = (from: number): number[] => Array.from({ length: 30 }, (_, more) => from + more);

type Work = (talk: ClaudeSession, at: number) => ClaudeSession;

test.each<[string, number[], Work]>([
  [
    'an open task',
    lengths(20),
    (talk, at) => talk.use('TodoWrite', { todos: [{ content: pad(at) + URL, status: 'pending' }] }),
  ],
  ['a plan', lengths(110), (talk, at) => talk.person(`Implement the following plan:\n\n# ${pad(at)}${URL}`)],
  [
    'an option',
    lengths(110),
    (talk, at) =>
      talk.agent(`1. ${pad(at)}${URL}\n2. wait\n\nWhich one?`).person('option 1, and keep it all'),
  ],
  ['a refused command', lengths(5), (talk, at) => talk.rejected('Bash', { command: pad(at) + URL }, 'no')],
  ['a question', lengths(600), (talk, at) => talk.agent(`Is it ${URL} ${pad(at)}?`)],
  ['a long message', lengths(3540), (talk, at) => talk.person(`${pad(at)}${URL} ${pad(4000)}`)],
])('%s is told without the secret that is cut', async (_, all, work) => {
  const cwd = testRepository();
  await runWarm(['init', '-q'], { cwd });
  let found = '';
  for (const at of all) {
    const talk = new ClaudeSession({ cwd, session: `s${at}`, day: new Date(Date.now() - 3_600_000) });
    const begun = talk.person('Round the totals of the cart.').use('Edit', { file_path: 'a.py' });
    writeFileSync(join(cwd, `${at}.jsonl`), work(begun, at).text);
    const { stdout } = await runWarm(['handover', '-t', `${at}.jsonl`], { cwd });
    found += stdout;
  }
  expect(found).toContain('move the old rows');
  for (const length of [12, 8, 5]) expect(found).not.toContain(SECRET.slice(0, length));
  expect(found).not.toContain(SECRET.slice(-6));
});
