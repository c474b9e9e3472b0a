import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAnswering } from '../../src/handover/words.ts';
import { moment } from '../contracts/host.ts';
import { git } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** Work that goes through several sessions: answered, gone on with, or by its plan. */

type Turn = [prompt: string, ...answer: string[]];

const BAN = 'Now a shipping module. Never call the DHL api in tests.';
const BANNED = 'Never call the DHL api in tests.';
const INVOICE = 'Write an invoice module in src/invoice.js. VAT is always 19, never configurable.';

function begin() {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n' });
  git(cwd, 'init', '-q', '-b', 'main');
  let hours = 40;
  const pad = (session: string, ...args: string[]) =>
    runWarm(args, { cwd, env: { ...process.env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session } });

  /** A session some hours after the one before it; an answer that begins with `$ ` is a command. @returns what each prompt was told */
  const talk = async (id: string, turns: Turn[], isCut = false): Promise<string[]> => {
    hours -= 2;
    const day = new Date(Date.now() - hours * 3_600_000);
    const session = new ClaudeSession({ cwd, session: id, branch: 'main', day });
    const path = join(cwd, `${id}.jsonl`);
    const fire = (name: string, more: object) =>
      moment(cwd, name, { session_id: id, transcript_path: path, ...more });
    const told: string[] = [await fire('SessionStart', { source: 'startup' })];

    for (const [prompt, ...answers] of turns) {
      told.push(await fire('UserPromptSubmit', { prompt }));
      session.person(prompt);
      for (const answer of answers) {
        const [, command] = /^\$ ([\s\S]*)/.exec(answer) ?? [];
        if (command?.startsWith('scratchpad '))
          await pad(
            id,
            ...command
              .split(' ')
              .slice(1)
              .map((word) => word.replaceAll('_', ' ')),
          );
        if (answer === '…') session.call('Bash', { command: 'tail -f /dev/null' });
        else if (command === undefined) session.agent(answer);
        else session.bash(command);
      }
      writeFileSync(path, session.text);
      if (answers.at(-1) !== '…') await fire('Stop', { last_assistant_message: answers.at(-1) });
    }
    if (!isCut) await fire('SessionEnd', { reason: 'exit' });

    return told.slice(1);
  };

  return { cwd, talk, pad };
}

const EDIT = '$ echo "export const books=19" >> src/shipping.js';

test('answers to open questions are inherited, and no answered question is asked again', async () => {
  const { talk } = begin();
  await talk('s', [[BAN, EDIT, 'Made it.']]);
  await talk('a', [['go on with the shipping', 'Which VAT for books, 7 or 19?']]);
  const [b = ''] = await talk('b', [
    ['19 for books as well', EDIT, 'Set. Which carrier is the default, UPS or GLS?'],
  ]);
  expect(b).toContain(BAN);
  expect(b).toContain('It asked: “Which VAT for books, 7 or 19?”');
  const [c = ''] = await talk('c', [['GLS by default', 'ok']]);
  expect(c).toContain('19 for books as well');
  const [d = ''] = await talk('d', [['go on with the shipping', 'ok']]);
  for (const words of [BANNED, '19 for books as well', 'GLS by default']) expect(d).toContain(words);
  expect(d).not.toContain('It asked');
});

test('after a cut within a call, the answer and what was ordered then are inherited', async () => {
  const { talk } = begin();
  await talk(
    'a',
    [
      [INVOICE, EDIT, 'Planned.'],
      ['round up, never down; start with invoice total', '…'],
    ],
    true,
  );
  await talk('b', [['go on', 'Which VAT for books, 7 or 19?']], true);
  await talk(
    'c',
    [
      ['19 for books as well', 'Noted.'],
      ['and write the test now', '…'],
    ],
    true,
  );
  const [other = '', later = ''] = await talk('d', [
    ['explain git rebase', '..'],
    ['ok, continue with the invoice', '..'],
  ]);
  expect(other).toMatch(
    /The last session here, .*: ended without a closing message; the person wrote “and write the test now”/,
  );
  for (const words of [INVOICE, 'round up', '19 for books', 'write the test now'])
    expect(later).toContain(words);
  expect(later).not.toContain('It asked');
});

test.each(['plan take 1', 'done 1'])(
  'who makes a plan its own by `%s` gets the messages of its session, and so do later ones',
  async (command) => {
    const { talk } = begin();
    await talk('a', [
      [
        'Never touch src/coupon.js, Ines owns it. Plan the cart work.',
        '$ scratchpad plan set 1._cart_total',
        EDIT,
        'Planned.',
      ],
    ]);
    if (command === 'plan take 1')
      await talk('m', [['Plan the invoices', '$ scratchpad plan set 1._invoices', 'Planned.']]);
    const [first = '', next = ''] = await talk('b', [
      [
        'Add a discount function to the cart, with a percent and an amount',
        `$ scratchpad ${command}`,
        EDIT,
        'Added.',
      ],
      ['export it as well', EDIT, 'Done.'],
    ]);
    expect(first).not.toContain('Ines');
    expect(next).toContain('Never touch src/coupon.js, Ines owns it.');
    const [later = ''] = await talk('c', [['go on with the cart: add coupons', 'ok']]);
    expect(later).toContain('Ines owns it');
    expect(later).toContain('Add a discount function');
  },
);

const VAT = 'Which VAT for books, 7 or 19?';
const CARRIER = 'Set. Which carrier is the default, UPS or GLS?';

test.each([
  [true, '19 for books as well', VAT],
  [true, '7', VAT],
  [true, 'GLS, not UPS', CARRIER],
  [true, 'use GLS as the default', CARRIER],
  [true, '19 auch für Bücher', 'Welche Steuer gilt für Bücher, 7 oder 19?'],
  [false, 'fix the page of the books', VAT],
  [false, 'write a story about a carrier pigeon', CARRIER],
  [false, 'set up the CI', CARRIER],
])('answers, %s: “%s”', (answers, prompt, question) => {
  expect(isAnswering(prompt, question)).toBe(answers);
});

test.each(['call it as_money', 'as_money', 'the second', 'name that one moneyOf please'])(
  'a short answer is told with what was asked: %s',
  async (answer) => {
    const { talk } = begin();
    await talk('a', [
      ['Write a helper that formats cents', 'Planned. Should the helper be called toMoney or centsToText?'],
      [answer, EDIT, 'Done.'],
      ['add a test of it', EDIT, 'Added.'],
    ]);
    const [told = ''] = await talk('b', [['please go on', 'ok']]);
    expect(told).toContain(`(answering “Should the helper be called toMoney or centsToText?”) “${answer}”`);
  },
);

test('orders about the scratchpad and what was only to be shown are over once they were answered', async () => {
  const { talk } = begin();
  await talk('a', [
    ['Never log the card number, Ines reads the logs', EDIT, 'I will not.'],
    ['tick the log line test', '$ scratchpad plan done 1', 'Ticked the test of the log line.'],
    ['no, step 2 is not done, undo that in the scratchpad', '$ scratchpad undo', 'Undone.'],
    ['add a note that prices are integer cents', '$ scratchpad notes add prices_are_integer_cents', 'Noted.'],
    ['show line 3000', '$ sed -n 3000p big.txt', 'Line 3000 says: done.'],
    ['above 30 kg', '$ scratchpad plan done 1', 'Ticked the weight.'],
    ['and the header stays blue', 'It does.'],
  ]);
  const [told = ''] = await talk('b', [['please go on', 'ok']]);
  for (const words of ['Never log the card number', 'above 30 kg']) expect(told).toContain(words);
  expect(told).not.toMatch(/tick the log|undo that|show line|add a note/);
});

test.each([
  ['Build the product finder. At most 20 results, no new dependencies.', 'The first part is built.'],
  ['Build the product finder. It must work on Python 3.9.', 'The first part is built.'],
  ['commit that, but never push to main', 'Committed.'],
  ['Revert that, the payload may change after all: add the field "attempt"', 'The payload has it.'],
])('a rule behind an order, or behind what points back, is told with it: %s', async (message, answer) => {
  const { talk } = begin();
  await talk('a', [['Do not change the payload format.', EDIT, 'I will not.']]);
  await talk('b', [[message, EDIT, answer]]);
  const [told] = await talk('c', [['please go on', 'ok']]);
  expect(told).toContain(message);
});

test('what was forbidden holds over many sessions that go on with the work', async () => {
  const { talk } = begin();
  await talk('s', [[BAN, EDIT, 'Made it.']]);
  const told: string[] = [];
  for (const id of ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 't10']) {
    const [first = ''] = await talk(id, [['go on with the shipping', EDIT, `Part ${id} is done.`]]);
    told.push(first);
  }
  expect(told.filter((text) => !text.includes('Never call the DHL api in tests'))).toEqual([]);
});
