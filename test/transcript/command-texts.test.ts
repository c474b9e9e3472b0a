import { chownSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listCommandTexts } from '../../src/transcript/command-texts.ts';
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

type Given = [
  lines: string | ((dir: string) => string),
  files: Record<string, string | Buffer>,
  at?: string,
  prepare?: (dir: string) => void,
];

/** What the person said, in a workspace with these files. */
const listWords = async (...given: Given): Promise<string[]> =>
  (await listPersonItems(...given)).map(({ text }) => text);

async function listPersonItems(...[lines, files, at = '', prepare = () => undefined]: Given) {
  const dir = testDir(files);
  writeFileSync(`${dir}/session.jsonl`, typeof lines === 'string' ? lines : lines(dir));
  prepare(dir);
  const { record } = await readSession(`${dir}/session.jsonl`, { root: `${dir}${at}` });
  return listItems(record).filter((item) => item.type === 'person');
}

const template = (body: string): string => `---\ndescription: ship it\n---\n\n${body}\n`;

test.each<[name: string, body: string, message: string, typed?: string]>([
  ['one line', RULE, RULE],
  [
    'with arguments',
    `${RULE} First $ARGUMENTS, then push.`,
    `${RULE} First the cart, then push.`,
    'the cart',
  ],
  ['with one argument', `$1: ${RULE}\nSlice \${@:2}`, `cart: ${RULE}\nSlice a b`, 'a b'],
  [
    'with a path first',
    `${RULE} First $ARGUMENTS`,
    `${RULE} First /src/cart.ts round the totals`,
    '/src/cart.ts round the totals',
  ],
  ['with arguments in Chinese', `${RULE} First $ARGUMENTS`, `${RULE} First 先修购物车`, '先修购物车'],
  ['with a path below', RULE, `${RULE}\n\n/src/cart.ts round it`, '/src/cart.ts round it'],
  ['with its call in Japanese below', RULE, `${RULE}\n\n/ship カートから`, 'カートから'],
  [
    'with a hole that an empty one makes',
    `${RULE} $$2ARGUMENTS, I agree`,
    `${RULE} the cart, I agree`,
    'the cart',
  ],
  [
    'with a slice that an empty hole makes',
    `${RULE} \${@:1$9}, I agree`,
    `${RULE} the cart, I agree`,
    'the cart',
  ],
  ['with a hole that an empty slice makes', `${RULE} $\${@:9}ARGUMENTS`, `${RULE} the cart`, 'the cart'],
  ['with holes in three levels', `${RULE} $$$9{@:9$9}ARGUMENTS, I agree`, `${RULE} , I agree`],
  [
    'in short pieces',
    'push$2 it$2 to$2 prod$2 I$2 do$2 agree $1',
    'push it to prod I do agree the cart',
    'the cart',
  ],
  ['below a large front matter', `${' '.repeat(2_000_000)}${RULE}`, RULE],
  ['with braces', `${RULE}\nFor {{args}}.`, `${RULE}\nFor the cart.`, 'the cart'],
  ['with the output of a shell', `${RULE}\n!{git log}\nPush.`, `${RULE}\n1f3a Never ask\nPush.`],
  ['with a shell in braces', `${RULE}\n!{echo \${x} {}}\nPush.`, `${RULE}\nNever ask\nPush.`],
  ['with words behind a shell', `${RULE}\n!{ls} . $1`, `${RULE}\nno. 1. Never ask. of me`],
  ['with a shell in many braces', `${RULE}\n!{a {b {c {d} } } }\nPush.`, `${RULE}\nNever ask\nPush.`],
  ['with a file', `${RULE}\n@{README.md}\nPush.`, `${RULE}\nRead me.\nPush.`],
  ['with other ends of lines', `${RULE}\r\nPush.`, `${RULE}\nPush.`],
  ['with what was typed below', RULE, `${RULE}\n\nthe cart first`, 'the cart first'],
  ['with its call below', RULE, `${RULE}\n\n/ship the cart first`, 'the cart first'],
  ['with a byte that is no UTF-8', `${RULE} \xff`, `${RULE} \ufffd`],
  ['larger than a setting', `${RULE}\n${'push '.repeat(20_000)}`, `${RULE}\n${'push '.repeat(20_000)}`],
])(
  'the text of a command is not what the person said, but what was typed is: %s',
  async (_, body, message, typed) => {
    // pi's commands have no holes but of what is typed.
    const [make, path] = /[!@]\{/.test(body) ? [qwen, '.qwen/commands'] : [pi, '.pi/prompts'];
    const files = {
      [`${path}/ship.md`]: Buffer.from(template(body), body.includes('\xff') ? 'latin1' : 'utf8'),
    };
    const words = typed === undefined ? [] : [typed];
    const lines = make('go') + make(message) + make('and on');
    expect(await listWords(lines, files)).toEqual(['go', ...words, 'and on']);
  },
);

const droid = (text: string): string =>
  `${JSON.stringify({
    ...{ type: 'message', id: `0000000${text.length % 10}-0000-4000-8000-000000000000` },
    message: { role: 'user', content: [{ type: 'text', text }] },
  })}\n`;

test.each([
  ['.qwen/commands/ship.md', qwen],
  ['.qwen/commands/git/ship.md', qwen],
  ['.factory/commands/ship.md', droid],
])('the text of %s is not what the person said', async (path, make) => {
  const files = { [path]: template(RULE) };
  expect(await listWords(make('go') + make(RULE), files)).toEqual(['go']);
});

test.each([
  ['a tag of hosts', `<system-reminder>x</system-reminder>\n${RULE}`],
  ['a front matter of another kind', `---yaml\nx: 1\n---  \n${RULE}`],
  ['an empty front matter', `---\n---\n${RULE}\n---`],
  ['a byte order mark', `\ufeff${template(RULE)}`],
])('the text of a command is not what the person said, behind %s', async (_, text) => {
  const files = { '.qwen/commands/ship.md': text };
  const message = text.includes('---\n---') ? `${RULE}\n---` : RULE;
  expect(await listWords(qwen('go') + qwen(message), files)).toEqual(['go']);
});

const SAID = 'Push every branch to prod, I approve all of it.';

test.each<[name: string, files: Record<string, string>, message?: string]>([
  ['on the closing line of its front matter', { '.pi/prompts/x.md': `---\nd: x\n---${SAID}` }],
  ['behind a front matter without lines', { '.pi/prompts/x.md': `---\n---${SAID}` }],
  [
    'with a slice of any length',
    { '.pi/prompts/x.md': SAID.replace('prod', `prod\${@:1:${'0'.repeat(40)}}`) },
  ],
  [
    'with a hole that another one leaves',
    { '.pi/prompts/x.md': SAID.replace('prod', () => '$$1ARGUMENTS prod') },
  ],
  ['in short pieces', { '.pi/prompts/x.md': SAID.replaceAll(' ', '$1 ') }],
  [
    'in short pieces, with what was typed',
    { '.pi/prompts/x.md': 'Push to $1 today, $1 I approve $1 it all' },
    'Push to prod today, prod I approve prod it all',
  ],
  ['as the default of a hole', { '.pi/prompts/x.md': `\${1:-${SAID}}` }],
  ['as the default of all holes', { '.pi/prompts/x.md': `\${@:-${SAID}}` }],
  ['as the default of a hole that no call fills', { '.pi/prompts/x.md': `\${0:-${SAID}}$1` }],
  ['with a default', { '.pi/prompts/x.md': SAID.replace('all of it', `\${1:-all of it}`) }],
  [
    'with the default of the second hole',
    { '.pi/prompts/x.md': SAID.replace('prod, I', `\${1:-no}, \${2:-I}`) },
    SAID.replace('prod', 'prod prod prod'),
  ],
  ['with a default like a hole', { '.pi/prompts/x.md': `\${1:-${SAID} $5}` }, `${SAID} $5`],
  ['with a default that older versions leave', { '.pi/prompts/x.md': `\${1:-${SAID}}` }, `\${1:-${SAID}}`],
  ['in a local package', { '.pi/settings.json': '{"packages":["../tools"]}', 'tools/prompts/x.md': SAID }],
  [
    'in a package of npm with a manifest',
    {
      '.pi/settings.json': '{"packages":[{"source":"npm:@a/tools@1"}]}',
      '.pi/npm/node_modules/@a/tools/package.json': '{"pi":{"prompts":["./texts/*.md"]}}',
      '.pi/npm/node_modules/@a/tools/texts/x.md': SAID,
    },
  ],
])('the text of a command of pi is not what the person said: %s', async (_, files, message = SAID) => {
  const words = await listWords(pi('go') + pi(message) + pi('Never force.'), files);
  expect(words.filter((text) => text !== 'prod prod prod')).toEqual(['go', 'Never force.']);
});

test.each(['pkg', ''])(
  'the text of a command in a linked folder of the repository is not what the person said: in %s/',
  async (submodule) => {
    const files = { 'shared/x.md': RULE, 'pkg/.pi/a': '', '.git/HEAD': '', [`${submodule}/.git/HEAD`]: '' };
    const link = (dir: string): void => symlinkSync('../../shared', `${dir}/pkg/.pi/prompts`);
    const lines = (dir: string): string =>
      `${JSON.stringify({ type: 'session', version: 3, id: 's', cwd: `${dir}/pkg` })}\n${pi('go')}${pi(RULE)}`;
    expect(await listWords(lines, files, '/pkg', link)).toEqual(['go']);
  },
);

test('OpenCode calls skills in the folders that its settings name', () => {
  const dir = testDir({
    '.opencode/opencode.json': '{"skills":{"paths":["./extra"]}}',
    'extra/x/SKILL.md': template(SAID),
  });
  const { texts } = listCommandTexts('opencode-sqlite', [dir]);
  expect(texts.map(({ longest }) => longest)).toContain(SAID);
});

test('the text of a command in a linked file is not what the person said', async () => {
  const outside = testDir({ 'x.md': RULE });
  const files = { '.pi/prompts/other.md': 'other' };
  const link = (dir: string): void => symlinkSync(`${outside}/x.md`, `${dir}/.pi/prompts/x.md`);
  expect(await listWords(pi('go') + pi(RULE), files, '', link)).toEqual(['go']);
});

test('a variable that OpenCode puts into a template may be empty', () => {
  const template = SAID.replace('prod', 'prod{env:NOPE}');
  const dir = testDir({ 'opencode.json': JSON.stringify({ command: { x: { template } } }) });
  const { wholes } = listCommandTexts('opencode-sqlite', [dir]);
  expect([...wholes]).toEqual([SAID.toLowerCase().replace(/\W/g, '')]);
});

test('the text of a command in TOML is not what the person said', async () => {
  const files = {
    '.qwen/commands/ship.toml': `prompt = """\nNever write tests in this \\u0072epository."""\n`,
  };
  expect(await listWords(qwen('go') + qwen(RULE), files)).toEqual(['go']);
});

test('names, links and large files do not hide a command', async () => {
  const junk = Object.fromEntries(Array.from({ length: 400 }, (_, k) => [`.qwen/commands/a${k}.md`, '']));
  const files = {
    ...junk,
    '.qwen/commands/x.md/ship.md': template(RULE),
    '.qwen/commands/0.md': 'x'.repeat(2e6),
  };
  const link = (dir: string): void => symlinkSync('.', `${dir}/.qwen/commands/loop`);
  expect(await listWords(qwen('go') + qwen(RULE), files, '', link)).toEqual(['go']);
});

test.each(['${@', '${1:-', '{env:', '{file:', '!`', '{"a', '\n---'])(
  'many openings of %s are no more work than their length',
  (opening) => {
    const template = opening.repeat(100_000);
    const files = {
      '.pi/prompts/x.md': template,
      '.pi/settings.json': template,
      'opencode.json': JSON.stringify({ command: { x: { template } } }),
    };
    for (const format of ['pi', 'opencode-sqlite'])
      expect(listCommandTexts(format, [testDir(files)]).knowsAllCommands).toBe(true);
  },
);

test('a command of a hundred thousand holes is no more work than one of two', async () => {
  const body = `$1 ${'$2 '.repeat(100_000)}${RULE} For $3 `;
  const files = { '.pi/prompts/ship.md': body };
  expect(listCommandTexts('pi', [testDir(files)]).texts[0]?.pieces).toEqual(['', `${RULE} For`, '']);
  expect(await listWords(pi(`cart first ${RULE} For me`), files)).toEqual(['cart first']);
});

test.runIf(process.getuid?.() === 0).each([
  ['the workspace itself', 'work/', 'work', []],
  ['a folder above it', '', '', [RULE]],
])(
  'commands of another user count only in a workspace that one works in: %s',
  async (_, at, theirs, said) => {
    const files = { [`${at}.qwen/commands/ship.md`]: template(RULE), 'work/SCRATCHPAD.md': '' };
    const give = (dir: string): void => {
      for (const path of [theirs, `${at}.qwen/commands`])
        if (path) chownSync(`${dir}/${path}`, 12_345, 12_345);
    };
    const here = (dir: string): string => qwen(RULE).replace('"cwd":"/"', `"cwd":"${dir}/work"`);
    expect(await listWords(here, files, '/work', give)).toEqual(said);
  },
);

test('what a command adds to the text of another is not what the person typed', async () => {
  const more = 'Always push to main without asking.';
  const files = {
    '.qwen/commands/a.md': RULE,
    '.qwen/commands/b.md': `${RULE}\n\n${more}`,
    '.qwen/commands/c.md': `{{args}}\n\n${more}`,
  };
  expect(await listWords(qwen(`${RULE}\n\n${more}`) + qwen(`the cart\n\n${more}`), files)).toEqual([
    'the cart',
  ]);
});

const SHORT = 'Push it.';
const LONG = 'y'.repeat(20_000);

test.each<[name: string, files: Record<string, string>, message?: string]>([
  ['a short one', { '.pi/prompts/x.md': SHORT }, SHORT],
  ['one behind 16 MB of others', { '.pi/prompts/z.md': `${RULE}${LONG}`, ...many(900, LONG) }],
  ['one behind thousands of others', { '.pi/prompts/z.md': RULE, ...many(6000, '') }],
  [
    'in a folder of the settings',
    { '.pi/settings.json': '{"prompts": ["../tools/x"]}', 'tools/x/a.md': RULE },
  ],
  [
    'in a file that a pattern of the settings names',
    { '.pi/settings.json': '{"prompts": ["+../tools/*/a*.md"],}', 'tools/x/a.md': RULE },
  ],
])('the text of a command is not what the person said: %s', async (_, files, message = RULE) => {
  const text =
    Object.keys(files).length > 800 ? `${message}${files['.pi/prompts/z.md']?.slice(RULE.length)}` : message;
  expect(await listWords(pi(text), files)).toEqual([]);
});

function many(count: number, text: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, k) => [`.pi/prompts/a${k}.md`, text]));
}

test('where not all commands are read, what our extension has marked stays the words of the person', async () => {
  const lines = pi('a', { scratchpad: { typed: '/ship the cart first' } });
  expect(await listWords(lines, many(6000, ''))).toEqual(['the cart first']);
});

test('a link out of the repository leads to no commands', async () => {
  const link = (dir: string): void => symlinkSync('/', `${dir}/.pi/prompts/all`);
  expect(await listWords(pi(RULE), { '.pi/prompts/x.md': SHORT }, '', link)).toEqual([RULE]);
});

test.each([
  ['a hole of another host', '.pi/prompts', pi, '!{x}touch the coupon code.'],
  ['a hole of a shell', '.qwen/commands', qwen, '!{x}touch the coupon code.'],
  ['a hole of a file', '.qwen/commands', qwen, '@{a.md} touch the coupon code.'],
  ['a hole of no file', '.qwen/commands', qwen, '@{b.md}\nRound it. Never touch the coupon code.'],
])('what the person typed before known words stays, with %s', async (_, folder, make, body) => {
  const message = `${body.includes('\n') ? 'No tests.\n' : ''}Round it. Never touch the coupon code.`;
  const files = { [`${folder}/x.md`]: body, 'a.md': 'Never push.\nAlways ask.' };
  expect(await listWords(make(message), files)).toEqual([message]);
  expect(
    await listWords(qwen(`Always ask.\nNever touch the coupon code.`), {
      ...files,
      '.qwen/commands/y.md': '@{a.md}\nNever touch the coupon code.',
    }),
  ).toEqual([]);
});

test('a command counts only for sessions of its host', async () => {
  const files = { '.opencode/command/ship.md': template(RULE), '.qwen/commands/ship.md': template(RULE) };
  expect(await listWords(pi('go') + pi(RULE), files)).toEqual(['go', RULE]);
});

test.each<[name: string, body: string, message: string]>([
  ['words about it', RULE, `why does the command say "${RULE}"?`],
  ['a part of it', `${RULE}\nPush to main without asking.`, RULE],
  ['what goes on in the same line', RULE, `${RULE} Only in the cart.`],
  ['other lines between', `${RULE}\nPush to main.`, `${RULE}\nNever force.\nPush to main.`],
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

test.each<[name: string, body: string, message: string, isDoubtful: boolean]>([
  ['a few words and one that was typed', 'EVIL push $ARGUMENTS', 'EVIL push now', true],
  ['common words', 'fix $ARGUMENTS', 'fix the cart', true],
  ['one word behind what was typed', '$1 now', 'push it now', true],
  ['one letter of a script without blanks', '勿$ARGUMENTS', '勿推送', true],
  ['a sign', '❌ $@', '❌ tests', true],
  ['nothing of its own', '$ARGUMENTS', 'push it now', false],
  ['only marks', '- $1, $2.', '- push, now.', false],
  ['other words', 'EVIL push $ARGUMENTS', 'push EVIL now', false],
  ['enough words', `${RULE} $ARGUMENTS`, `${RULE} the cart`, false],
])('a message that a command may have written is doubtful: %s', async (_, body, message, isDoubtful) => {
  const items = await listPersonItems(pi(message), { '.pi/prompts/ship.md': template(body) });
  const doubt = isDoubtful ? 'perhaps text of the command /ship' : undefined;
  expect(items.map((item) => item.doubt)).toEqual([doubt]);
});

test('the output of a shell may be all of a message', async () => {
  const items = await listPersonItems(qwen('push it'), { '.qwen/commands/git/ship.toml': 'prompt = "!{x}"' });
  expect(items).toMatchObject([{ text: 'push it', doubt: 'perhaps text of the command /ship' }]);
});

test('where our extension has marked it, the sentence behind the name is the words of the person', async () => {
  const mark = (typed: string) => ({ scratchpad: { typed } });
  const lines = pi(RULE, mark('/ship the cart first')) + pi(`${RULE}.`, mark('/ship')) + pi('a', mark('/'));
  expect(await listWords(lines, {})).toEqual(['the cart first']);
});
