import { expect, test } from 'vitest';
import { readSession } from '../../src/transcript/read.ts';
import { listItems } from '../../src/transcript/record.ts';
import { testDir } from '../helpers/test-dir.ts';

const RULE = 'Never write tests in this repository.';
const pi = (content: string, more: object = {}): string =>
  `${JSON.stringify({ type: 'message', id: content, message: { role: 'user', content, ...more } })}\n`;
const qwen = (text: string): string =>
  `${JSON.stringify({
    ...{ uuid: text, sessionId: 's', type: 'user', provenance: 'real_user', cwd: '/' },
    message: { role: 'user', parts: [{ text }] },
  })}\n`;

/** What the person said, in a workspace with these files. */
async function listWords(lines: string, files: Record<string, string>, at = ''): Promise<string[]> {
  const dir = testDir({ ...files, 'session.jsonl': lines });
  const { record } = await readSession(`${dir}/session.jsonl`, { root: `${dir}${at}` });
  return listItems(record).flatMap((item) => (item.type === 'person' ? item.text : []));
}

const template = (body: string): string => `---\ndescription: ship it\n---\n\n${body}\n`;

test.each<[name: string, body: string, message: string]>([
  ['one line', RULE, RULE],
  ['with arguments', `${RULE} First $ARGUMENTS, then push.`, `${RULE} First the cart, then push.`],
  ['with one argument', `$1: ${RULE}\nSlice \${@:2}`, `cart: ${RULE}\nSlice a b`],
  ['with braces', `${RULE}\nFor {{args}}.`, `${RULE}\nFor the cart.`],
  ['with the output of a shell', `${RULE}\n!\`git log\`\nPush.`, `${RULE}\n1f3a Never ask\nPush.`],
  ['with a file', `${RULE}\n@{README.md}\nPush.`, `${RULE}\nRead me.\nPush.`],
  ['with other ends of lines', `${RULE}\r\nPush.`, `${RULE}\nPush.`],
  ['with what was typed below', RULE, `${RULE}\n\nthe cart first`],
])('the text of a command is not what the person said: %s', async (_, body, message) => {
  const files = { '.pi/prompts/ship.md': template(body) };
  expect(await listWords(pi('go') + pi(message) + pi('and on'), files)).toEqual(['go', 'and on']);
});

test.each([
  '.opencode/command/ship.md',
  '.opencode/commands/git/ship.md',
  '.qwen/commands/ship.md',
  '.factory/commands/ship.md',
])('the text of %s is not what the person said', async (path) => {
  const files = { [path]: template(RULE) };
  expect(await listWords(qwen('go') + qwen(RULE), files)).toEqual(['go']);
});

test.each<[name: string, body: string, message: string]>([
  ['words about it', RULE, `why does the command say "${RULE}"?`],
  ['a part of it', `${RULE}\nPush to main without asking.`, RULE],
  ['a command that takes anything', '$ARGUMENTS', 'mind the gap between the cart and the platform'],
  [
    'a command of letters that any message holds',
    `$1${'e$1'.repeat(30)}`,
    'never edit the tests, '.repeat(12).trim(),
  ],
  ['a command of a few words', 'fix it: $ARGUMENTS', 'fix it: the cart is empty'],
])('what the person said stays: %s', async (_, body, message) => {
  const files = { '.pi/prompts/ship.md': template(body) };
  expect(await listWords(pi('go') + pi(message), files)).toEqual(['go', message]);
});

test('where our extension has marked it, the sentence behind the name is the words of the person', async () => {
  const mark = (typed: string) => ({ scratchpad: { typed } });
  const lines = pi(RULE, mark('/ship the cart first')) + pi(`${RULE}.`, mark('/ship')) + pi('a', mark('/'));
  expect(await listWords(lines, {})).toEqual(['the cart first']);
});
