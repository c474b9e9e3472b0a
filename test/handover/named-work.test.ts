import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isStanding } from '../../src/handover/words.ts';
import { moment } from '../contracts/host.ts';
import { git } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

/** Which work a prompt goes on with that names it, and what is told of its open question. */

const PRICES =
  'the prices need two decimals. the header must stay `preis` in lower case, never round before the sum';
const SHIPPING = 'new column with the shipping cost, Katrin wants it gross';

function begin() {
  const ignored = 'SCRATCHPAD.md\n.scratchpad\n*.jsonl\n';
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n',
    '.scratchpad/.gitignore': '*\n',
    '.gitignore': ignored,
    'price.py': '1\n',
    'upload.py': '1\n',
    'README.md': '1\n',
  });
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'begin');
  let hours = 60;
  const fire = (id: string, name: string, more: object = {}): Promise<string> =>
    moment(cwd, name, { session_id: id, transcript_path: join(cwd, `${id}.jsonl`), ...more });
  /** A session after the one before it; an answer is the file that it edits and commits, and its words; `…` cuts it off. @returns what its first prompt was told */
  const work = async (id: string, ...turns: [prompt: string, ...answer: string[]][]): Promise<string> => {
    hours -= 2;
    const branch = git(cwd, 'branch', '--show-current').trim();
    const day = new Date(Date.now() - hours * 3_600_000);
    const talk = new ClaudeSession({ cwd, session: id, branch, day });
    const heard: string[] = [];

    for (const [prompt, ...answers] of turns) {
      heard.push(await fire(id, 'UserPromptSubmit', { prompt }));
      talk.person(prompt, id.startsWith('script') ? { entrypoint: 'sdk-cli' } : {});
      for (const answer of answers) {
        if (answer === '…') talk.call('Bash', { command: 'tail -f /dev/null' });
        else if (!/^\w+\.\w+$/.test(answer)) talk.agent(answer);
        else {
          talk.use('Edit', { file_path: join(cwd, answer), old_string: '1', new_string: '2' });
          talk.bash(`git commit -qam ${id}`);
        }
      }
      writeFileSync(join(cwd, `${id}.jsonl`), talk.text);
      if (answers.at(-1) !== '…') await fire(id, 'Stop', { last_assistant_message: answers.at(-1) });
    }
    // Who leaves the agent may switch before its host has reported the end.
    if (branch !== 'main') git(cwd, 'switch', '-q', 'main');
    await fire(id, 'SessionEnd', { reason: 'exit' });

    return heard.at(-1) ?? '';
  };
  const ask = (prompt: string): Promise<string> => fire('next', 'UserPromptSubmit', { prompt });

  return { cwd, work, ask };
}

test('work is gone on with where the person named it, not where another branch edited its file', async () => {
  const { cwd, work, ask } = begin();
  await work('a', [PRICES, 'price.py', 'fmt() writes two decimals. Committed.']);
  git(cwd, 'switch', '-qc', 'feat/ship');
  await work('b', [SHIPPING, 'price.py', 'ship() is in price.py.']);
  const heard = await ask('go on with the prices');
  expect(heard).toContain('the header must stay `preis`');
  expect(heard).not.toContain('shipping cost');
});

test.each([
  'Mach bitte weiter mit der Rechnung',
  'Mach doch bitte mal weiter mit der Rechnung',
  'Bitte weiter mit der Rechnung',
  'Könntest du bitte mit der Rechnung weitermachen?',
  'Wo waren wir stehengeblieben?',
  'Wo haben wir aufgehört?',
  'where did we leave off?',
  'où en étions-nous ?',
  '¿por dónde íbamos?',
  'dove eravamo rimasti?',
])('“%s” asks for all that holds of the last work', async (prompt) => {
  const { work, ask } = begin();
  const order = 'Schreib bitte die Rechnung für Scrapely. Keine Mehrwertsteuer!';
  await work(
    'a',
    [order, 'price.py', 'Begonnen.'],
    ['Und schick sie erst ab, wenn ich sie gesehen habe.', 'Gut.'],
  );
  const heard = await ask(prompt);
  expect(heard).toContain('Keine Mehrwertsteuer');
  expect(heard).toContain('wenn ich sie gesehen habe');
  expect(heard).not.toContain('No session here names');
});

test.each([
  'Schick sie erst ab, wenn ich sie gesehen habe.',
  'and do not send it until I have seen it.',
  "Et ne l'envoie pas avant que je l'aie vue.",
  'Y no la envíes hasta que la vea.',
  'E non inviarla prima che io la veda.',
])('what waits for the person is a rule: “%s”', (sentence) => {
  expect(isStanding(sentence)).toBe(true);
});

test('what does not work under a condition is no rule', () => {
  expect(isStanding('Das geht nicht, wenn ich klicke.')).toBe(false);
});

test('work that only another branch has is told with its branch, and other work of that one never', async () => {
  const { cwd, work, ask } = begin();
  git(cwd, 'switch', '-qc', 'feat/ship');
  await work('b', [SHIPPING, 'price.py', 'ship() is in price.py.']);
  expect(await ask('go on with the prices')).not.toContain('Katrin');
  const heard = await ask('go on with the shipping');
  expect(heard).toContain('Katrin');
  expect(heard).toContain('(on feat/ship; this is main)');
});

test('of sessions that name it, the one that worked on it comes before one that only mentions it', async () => {
  const { work, ask } = begin();
  await work('q', [
    'the upload hangs when the server is away, give up after a while. plain ftp must stay',
    'upload.py',
    'upload() gives up after 30 s now. How many times should it retry before it mails you?',
  ]);
  await work('r', ['add a section to the readme on how to run the upload', 'README.md', 'It is in.']);
  const heard = await ask('continue with the upload');
  expect(heard).toContain('plain ftp must stay');
  expect(heard).toContain('How many times should it retry');
  expect(heard).not.toContain('add a section');
});

test('work is found by the session that finished it, however many came since', async () => {
  const { work, ask } = begin();
  await work('a', ['the feed rejects our prices, leave upload.py alone', 'price.py', '…']);
  await work('c', ['carry on with the prices, the header stays `preis` always', 'price.py', 'Fixed.']);
  for (const id of ['d', 'e', 'f', 'g', 'h', 'i', 'j'])
    await work(id, [`write section ${id} of the readme`, 'README.md', 'Written.']);
  const heard = await ask('go on with the prices, the gross ones are still wrong for books (7% VAT)');
  expect(heard).toContain('leave upload.py alone');
  expect(heard).toContain('header stays `preis`');
  expect(heard).not.toContain('ended without a closing message');
});

test.each([
  'For now upload() raises a ValueError for a missing path. There are two ways to go on: skip such files, or log them as errors.\n\nShould files without a path be skipped, or logged as errors?',
  'For now upload() raises a ValueError for a missing path. Grafana shows an error as "red", and the people on call look at that board every morning before they look at anything else.\n\nShould files without a path be skipped, or logged as errors?',
  'upload() raises a ValueError for a missing path.\n\nShould files without a path be skipped, or logged as errors?',
])('an open question is told at other work, however long its message is: %s', async (closing) => {
  const { work, ask } = begin();
  await work('a', ['a file that does not exist blows the upload up', 'upload.py', closing]);
  const heard = await ask('what colour has the sky over Kiel?');
  expect(heard).toMatch(
    /asked without an answer: “.*Should files without a path be skipped, or logged as errors\?”/,
  );
  expect(heard).not.toContain('blows the upload up');
});

test('`scratchpad handover` prints the open question, and why a message is not told', async () => {
  const { cwd, work } = begin();
  await work(
    'a',
    ['upload.py hangs when the server is away, give up after a while', 'upload.py', 'It gives up.'],
    [
      'mail me then. names must never be cut',
      'upload.py',
      'How many times should it retry before it mails you?',
    ],
  );
  const { stdout } = await runWarm(['handover'], { cwd, env: { ...process.env, CLAUDECODE: '' } });
  expect(stdout).toContain(
    'It asked, without an answer:\n  “How many times should it retry before it mails you?”',
  );
  expect(stdout).toContain('will not be told: carried out, or only agrees');
  expect(stdout.match(/How many times/g)).toHaveLength(1);
});

test('an answer to an open question goes on with its task, and so does the next session', async () => {
  const { work, ask } = begin();
  await work('d', [
    'the gross prices are wrong for books, that is 7%. leave mail.py alone, Jonas is rewriting it',
    'I see no VAT in price.py. Where do the gross prices come from?',
  ]);
  const heard = await work('e', [
    'from items["net"] in the shop db',
    'price.py',
    'The VAT table is in. gross() comes next.',
  ]);
  for (const words of ['Where do the gross prices come from?', 'that is 7%. leave mail.py alone'])
    expect(heard).toContain(words);
  expect(heard).not.toContain('answered;');
  const next = await ask('continue');
  for (const words of ['7%', 'leave mail.py alone', 'from items["net"]', 'come from?', 'gross() comes next'])
    expect(next).toContain(words);
});

test('what must never be done is told behind an order that was carried out', async () => {
  const { work, ask } = begin();
  await work('h', [
    'row() breaks when a product name has a semicolon in it. fix that, and mind that names must never be cut',
    'price.py',
    'A semicolon in a name becomes a comma now. Should it stay a comma, or should the whole name be quoted instead?',
  ]);
  await work(
    'j',
    ['quote the whole name', 'price.py', 'Names are quoted now.'],
    ['commit it all', 'Committed.'],
  );
  expect(await ask('go on with the names')).toContain('names must never be cut');
});

test.each(['search', 'review page', 'tests'])(
  'a common word names the work where it is what to go on with: the %s',
  async (name) => {
    const { work, ask } = begin();
    await work('a', [
      `Write the ${name}, skip rows without an email`,
      'price.py',
      'The first part is there.',
    ]);
    await work('b', ['bump the version to 1.4.2', 'upload.py', 'Bumped.']);
    expect(await ask(`go on with the ${name}`)).toContain(`Write the ${name}, skip rows without an email`);
  },
);

test('a common word that nobody used is no name that is missed', async () => {
  const { work, ask } = begin();
  await work('a', ['bump the version to 1.4.2', 'upload.py', 'Bumped.']);
  expect(await ask('go on with the plan')).toContain('bump the version to 1.4.2');
});

test('work that a script began is gone on with where no person did any, or where the prompt names it', async () => {
  const { work, ask } = begin();
  const number = 'Move the invoice numbering to its own table. Never reuse a number.';
  await work('script-1', [number, 'price.py', 'The table is there.']);
  expect(await ask('please go on')).toContain(number);

  await work('a', ['bump the version to 1.4.2', 'upload.py', 'Bumped.']);
  await work('script-2', ['Check the dependencies.', 'README.md', 'Fine.']);
  const next = (id: string, prompt: string): Promise<string> => work(id, [prompt]);
  expect(await next('b', 'please go on')).toContain('bump the version to 1.4.2');
  expect(await next('c', 'go on with the invoice numbering')).toContain(number);
});
