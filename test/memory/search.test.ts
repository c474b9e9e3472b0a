import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchMemory } from '../../src/memory/search.ts';
import type { MemoryOptions } from '../../src/memory/types.ts';
import type { Message } from '../../src/transcript/types.ts';
import { workspaceOf, write } from './workspace.ts';

const NOTES = {
  'MEMORY.md': '# Memory\n\n- Lab cluster config lives in ~/.kube/lab\n- Ray prefers tea\n',
  'USER.md': 'Ray lives in Sydney and works nights.\n',
  'memory/2026-02-03.md':
    '# Tuesday\n\n- Ann: which image broke the build?\n- Ray: the CUDA one, libcublas is missing\n',
  'memory/projects/alpha.md': '## Rollout\n- done on staging\n- production waits for review\n',
  'other.md': '- cluster cluster cluster\n',
};

const linesFor = async (
  text: string,
  workspace: string,
  more: Partial<MemoryOptions> = {},
): Promise<string[]> => {
  const answer = await searchMemory({ text }, { workspace, now: Date.UTC(2026, 1, 6), ...more });
  return answer.hits.map((hit) => `${hit.path}:${hit.line} ${hit.text}`);
};

const say = (role: Message['role'], content: string): Message => ({
  id: content,
  role,
  content,
  session: 's',
});

describe('searchMemory', () => {
  it('finds the line, with its place and its titles', async () => {
    const workspace = workspaceOf(NOTES);
    const { hits, files, leftOut } = await searchMemory(
      { text: 'where is the config of the cluster?' },
      { workspace },
    );
    expect(hits[0]).toMatchObject({
      path: 'MEMORY.md',
      line: 3,
      text: 'Lab cluster config lives in ~/.kube/lab',
      headings: ['Memory'],
    });
    expect(files).toBe(4);
    expect(leftOut).toEqual([]);
  });

  it('gives the answer of a question, words of titles, other forms of a word', async () => {
    const workspace = workspaceOf(NOTES);
    expect((await linesFor('broken images', workspace))[0]).toContain('memory/2026-02-03.md');
    expect(await linesFor('rollout alpha production', workspace)).toContain(
      'memory/projects/alpha.md:3 production waits for review',
    );
    expect((await linesFor('prefer', workspace))[0]).toBe('MEMORY.md:4 Ray prefers tea');
  });

  it('takes the subject from the last message that has one', async () => {
    const workspace = workspaceOf(NOTES);
    const messages = [
      say('user', 'How is the rollout to production going?'),
      say('user', 'where is the config of the lab cluster?'),
      say('tool', 'rollout rollout production staging review'),
      say('user', 'yes please'),
    ];
    const { hits } = await searchMemory({ messages }, { workspace });
    expect(hits[0]?.line).toBe(3);
    expect(hits[0]?.path).toBe('MEMORY.md');
  });

  it('returns nothing if there is no query or no memory', async () => {
    const workspace = workspaceOf(NOTES);
    for (const text of ['', 'the of and', '?!', 'zebra xylophone'])
      expect(await linesFor(text, workspace)).toEqual([]);
    expect(await linesFor('cluster', workspaceOf({}))).toEqual([]);
    const messages = [
      say('user', 'thanks, great!'),
      say('user', 'how do zebras and giraffes sleep near a cluster of xylophones?'),
    ];
    for (const message of messages) {
      expect((await searchMemory({ messages: [message] }, { workspace })).hits).toEqual([]);
    }
    expect(await linesFor('constructor __proto__ hasOwnProperty', workspace)).toEqual([]);
  });

  it.each([
    'sounds right, carry on with that',
    'hm, could you walk me through it once more?',
    'why would that be necessary?',
    'great, looks good to me, ship it',
    'please elaborate on this a little',
    'ok continiue pls',
  ])('takes %j for a message that goes on from the one before', async (followUp) => {
    const messages = [
      say('user', 'How is the rollout to production going?'),
      say('user', 'where is the config of the lab cluster?'),
      say('user', followUp),
    ];
    const { hits } = await searchMemory({ messages }, { workspace: workspaceOf(NOTES) });
    expect(hits[0]).toMatchObject({ path: 'MEMORY.md', line: 3 });
  });

  it.each([
    'cool, that did the trick. where is the config of the lab cluster?',
    'My bad, I had the wrong branch open. Before we go on: where is the config of the lab cluster?',
  ])('hears the question behind the opening of %j', async (content) => {
    const messages = [say('user', 'How is the rollout to production going?'), say('user', content)];
    const { hits } = await searchMemory({ messages }, { workspace: workspaceOf(NOTES) });
    expect(hits[0]).toMatchObject({ path: 'MEMORY.md', line: 3 });
  });

  it.each(['2', '2.', 'B)', 'option 2', 'the second one', "let's go with 2", 'yes, do B please'])(
    'knows what %j points at',
    async (content) => {
      const list = content.includes('B')
        ? '**A)** Write about the rollout to production\n**B)** Move the config of the lab cluster'
        : '1. Write about the rollout to production\n2. Move the config of the lab cluster';
      const messages = [
        say('user', 'what is left to do?'),
        say('assistant', `Two things:\n\n${list}\n\nWhich one first?`),
        say('user', content),
      ];
      const { hits } = await searchMemory({ messages }, { workspace: workspaceOf(NOTES) });
      expect(hits[0]).toMatchObject({ path: 'MEMORY.md', line: 3 });
    },
  );

  it('answers a chat with lines that hold two of its words, unless it says only one', async () => {
    const workspace = workspaceOf({
      'MEMORY.md': '- the train to Oslo is faster at night\n- Ann paints the boat\n- the boat lies in Oslo\n',
    });
    const asked = async (content: string): Promise<string[]> => {
      const { hits } = await searchMemory({ messages: [say('user', content)] }, { workspace });
      return hits.map(({ line }) => `MEMORY.md:${line}`);
    };
    expect(await asked('make the build faster')).toEqual([]);
    expect(await asked('is the Oslo train any good?')).toContain('MEMORY.md:1');
    expect(await asked('and the boat?')).toEqual(expect.arrayContaining(['MEMORY.md:2', 'MEMORY.md:3']));
    // Who searches for words gets what has any of them.
    expect((await linesFor('make the build faster', workspace))[0]).toContain('MEMORY.md:1 ');
  });

  it('leaves out repeats and lines already shown', async () => {
    const workspace = workspaceOf({
      'MEMORY.md': '- the deploy key is in the vault\n',
      'memory/a.md': '- The deploy key is in the vault.\n- deploy key rotates in May\n',
    });
    expect(await linesFor('deploy key', workspace)).toHaveLength(2);
    const alreadyShown = ['Notes: the deploy key is in the vault, ask Ann'];
    expect(await linesFor('deploy key', workspace, { alreadyShown })).toEqual([
      'memory/a.md:2 deploy key rotates in May',
    ]);
  });

  it.each([
    [
      'a number',
      'Retry limit of the payment client raised from 3 to 5',
      'Retry limit of the payment client is now 8 (was 5)',
    ],
    [
      'a number in words',
      'The payment client has a retry limit of five',
      'The payment client has a retry limit of eight',
    ],
    [
      'the order of two numbers',
      'Retry limit of the payment client changed from 3 to 5',
      'Retry limit of the payment client changed from 5 to 3',
    ],
    [
      'a version',
      'The payment client needs Node v20.1 on every build machine',
      'The payment client needs Node v20.2 on every build machine',
    ],
    [
      'a date',
      'The payment client freezes on 2026-03-01 for the audit',
      'The payment client freezes on 2026-03-08 for the audit',
    ],
    [
      'a name',
      'Anna owns the payment client and all of its retries',
      'Ben owns the payment client and all of its retries',
    ],
    [
      'a sign',
      'The payment client retries when load < 80 percent',
      'The payment client retries when load > 80 percent',
    ],
    [
      'a small word',
      'Deploy the payment client before the smoke tests',
      'Deploy the payment client after the smoke tests',
    ],
    [
      'a negation',
      'We use the old API of the payment client',
      'We do not use the old API of the payment client',
    ],
    [
      'no longer',
      'Staging port of the payment client is 5433',
      'Staging port of the payment client is no longer 5433',
    ],
    [
      'German',
      'Der Payment client nutzt die alte API von Stripe',
      'Der Payment client nutzt die alte API von Stripe nicht mehr',
    ],
    [
      'German numbers',
      'Der Payment client versucht es fünf Mal am Tag',
      'Der Payment client versucht es acht Mal am Tag',
    ],
    [
      'Spanish',
      'El puerto del payment client en staging es 5433',
      'El puerto del payment client en staging ya no es 5433',
    ],
    [
      'Spanish numbers',
      'El payment client tiene un límite de cinco intentos',
      'El payment client tiene un límite de ocho intentos',
    ],
    ['Chinese', 'payment client 使用旧的接口', 'payment client 不使用旧的接口'],
  ])('shows two lines that differ in %s', async (_, older, newer) => {
    const workspace = workspaceOf({
      'memory/2026-01-03.md': `- ${older}\n`,
      'memory/2026-01-20.md': `- ${newer}\n`,
    });
    expect((await linesFor('payment client', workspace)).sort()).toEqual([
      `memory/2026-01-03.md:1 ${older}`,
      `memory/2026-01-20.md:1 ${newer}`,
    ]);
    expect(await linesFor('payment client', workspace, { alreadyShown: [`Note: ${older}`] })).toEqual([
      `memory/2026-01-20.md:1 ${newer}`,
    ]);
  });

  it('finds what is kept in order before the same words in a journal', async () => {
    const workspace = workspaceOf({
      'memory/conventions.md': '# Conventions\n\n- The retry limit of the mailer is five\n',
      'memory/journal.md': '# Journal\n\n## 2026-01-20\n\n- The retry limit of the mailer changed\n',
    });
    const [first] = await linesFor('retry limit of the mailer', workspace);
    expect(first).toContain('conventions.md:3');
  });

  it('shows of lines that say the same the newest, or the curated one', async () => {
    const daily = {
      'memory/2026-01-03.md': '- Retry limit of the payment client: 5\n',
      'memory/2026-01-20.md': '- The retry limit of the **payment client** is: 5.\n',
      'memory/2026-01-11.md': '- retry limit of payment client: 5\n',
    };
    const found = async (files: Record<string, string>): Promise<string[]> =>
      (await linesFor('retry limit', workspaceOf(files), { limit: 1 })).map(
        (line) => line.split(' ', 1)[0] ?? '',
      );
    expect(await found(daily)).toEqual(['memory/2026-01-20.md:1']);
    expect(await found({ ...daily, 'MEMORY.md': '- Retry limit of the payment client: 5\n' })).toEqual([
      'MEMORY.md:1',
    ]);
    const dated = '## 2026-01-03\n\n- the retry limit is 5\n\n## 2026-01-20\n\n- retry limit is 5.\n';
    expect(await found({ 'memory/log.md': dated })).toEqual(['memory/log.md:7']);
  });

  it('reads what config adds, and nothing else', async () => {
    const workspace = workspaceOf(NOTES);
    const outside = workspaceOf({ 'shared.md': '- cluster password policy' });
    expect(await linesFor('cluster', workspace)).toEqual([
      'MEMORY.md:3 Lab cluster config lives in ~/.kube/lab',
    ]);
    expect(await linesFor('cluster', workspace, { include: ['other.md'] })).toHaveLength(2);
    const found = await linesFor('cluster password', workspace, { include: [outside] });
    expect(found[0]).toBe(`${join(outside, 'shared.md')}:1 cluster password policy`);
  });

  it('never leaves the workspace by a link, and counts what it leaves out', async () => {
    const outside = workspaceOf({ 'secret.md': '- cluster secret', 'deep/x.md': '- cluster deep' });
    const workspace = workspaceOf({
      ...NOTES,
      'memory/bin.md': Buffer.from([1, 0, 2]),
      'memory/empty.md': '',
    });
    symlinkSync(join(outside, 'secret.md'), join(workspace, 'memory', 'link.md'));
    symlinkSync(join(outside, 'deep'), join(workspace, 'memory', 'deep'));
    symlinkSync(join(workspace, 'nowhere'), join(workspace, 'memory', 'broken.md'));
    symlinkSync(join(workspace, 'memory'), join(workspace, 'memory', 'loop'));
    symlinkSync(join(workspace, 'other.md'), join(workspace, 'memory', 'inside.md'));
    write(workspace, 'memory/big.md', Buffer.alloc(5 * 1024 * 1024, 'cluster '));
    const { hits, leftOut } = await searchMemory({ text: 'cluster secret deep' }, { workspace });
    expect(new Set(hits.map((hit) => hit.path))).toEqual(new Set(['MEMORY.md', 'memory/inside.md']));
    expect(Object.fromEntries(leftOut.map(({ reason, count }) => [reason, count]))).toEqual({
      binary: 1,
      'broken link or just deleted': 1,
      'larger than 4 MiB': 1,
      'link that leads outside': 2,
    });
  });

  it.skipIf(process.getuid?.() === 0)('counts what it may not read', async () => {
    const workspace = workspaceOf(NOTES);
    chmodSync(join(workspace, 'MEMORY.md'), 0);
    const { leftOut } = await searchMemory({ text: 'cluster' }, { workspace });
    expect(leftOut).toEqual([{ reason: 'not readable', count: 1 }]);
  });

  it('prefers the file of the day that is asked for, before others', async () => {
    const workspace = workspaceOf({
      'memory/2025-03-01.md': '- deploy failed\n',
      'memory/2025-06-01.md': '- deploy failed again\n',
      'memory/2026-02-05.md': '- deploy failed today\n',
    });
    expect((await linesFor('did the deploy fail on 1 March 2025?', workspace))[0]).toContain('2025-03-01');
  });
});

describe('other words', () => {
  const find = async (memory: string, text: string): Promise<string[]> => {
    const { hits } = await searchMemory({ text }, { workspace: workspaceOf({ 'MEMORY.md': memory }) });
    return hits.map((hit) => hit.text);
  };
  const ROWS = '- PostgREST caps answers at 1000 rows\n- The font is Geist\n- Backups run at 2 am\n';

  it.each([
    [
      'a form of the word',
      '- Die Einträge werden nachts gelöscht\n- Das Lager ist voll\n',
      'welcher Eintrag?',
      'Die Einträge',
    ],
    ['letters that do not decompose', '- Das Werk steht in Łódź\n- Das Büro ist zu\n', 'lodz', 'Das Werk'],
    ['forms of a Spanish verb', '- Guardamos todo en S3\n- La casa es azul\n', 'guardar', 'Guardamos'],
    ['ß and ss', '- Die Straße ist gesperrt\n- Das Büro ist zu\n', 'Strasse', 'Die Straße'],
    ['ü and ue', '- Die Straße ist gesperrt\n- Das Büro ist zu\n', 'Buero', 'Das Büro'],
    [
      'a part of a compound',
      '- Wetterdaten kommen von Open-Meteo\n- Das Lager ist voll\n',
      'woher kommt das Wetter?',
      'Wetterdaten',
    ],
    [
      'another word',
      '- The automobile is red\n- The house is green\n',
      'what colour is the car?',
      'The automobile',
    ],
    ['Spanish', ROWS, '¿cuántas filas devuelve?', 'PostgREST'],
    ['French', ROWS, 'quelle police utilise-t-on ?', 'The font'],
    ['German', '- Files are kept in Rome\n- The font is Geist\n', 'wo liegen die Dateien?', 'Files'],
    ['Chinese', ROWS, '用什么字体？', 'The font'],
    [
      'English to German',
      '- Die Schriftart ist Geist\n- Der Server steht im Keller\n',
      'which font do we use?',
      'Die Schriftart',
    ],
  ])('finds %s', async (_, memory, question, start) => {
    expect((await find(memory, question))[0]).toMatch(new RegExp(`^${start}`));
  });

  it('puts a line with a number first where one is asked for, and what is kept in order before a note', async () => {
    expect(
      await find('- The Quokka pays by card\n- The Quokka pays 40 euros\n', 'how much does the Quokka pay?'),
    ).toEqual(['The Quokka pays 40 euros', 'The Quokka pays by card']);
  });

  it('takes a line of an index for a fact only if its note is gone', async () => {
    const workspace = workspaceOf({
      'memory/MEMORY.md':
        '- [Quokka diet](quokka.md): leaves\n- [Quokka home](gone.md): the island of Rottnest\n',
      'memory/quokka.md': '# Quokka\n\nIt eats leaves.\n',
    });
    const { hits } = await searchMemory({ text: 'Quokka' }, { workspace });
    const lines = hits.map(({ path, line }) => `${path}:${line}`);
    expect(lines).toContain('memory/MEMORY.md:2');
    expect(lines).not.toContain('memory/MEMORY.md:1');
  });
});

it.each([
  ['Let', ['- Let is the Danish vendor']],
  ['Say', ['- Say runs the harbour']],
  ['Let me see', []],
])('the small word “%s” is searched as a name where it is written as one', async (text, lines) => {
  const workspace = workspaceOf({
    'MEMORY.md':
      '- Let is the Danish vendor\n- Let us close the shop at six\n- Say runs the harbour\n- Say the word\n',
  });
  const { hits } = await searchMemory({ text }, { workspace, now: Date.now() });
  expect(hits.map((hit) => `- ${hit.text}`)).toEqual(lines);
});
