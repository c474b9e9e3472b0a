import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../scripts/random.ts';
import { ownSentences } from '../../src/hearing/own-words.ts';
import { listIn, picksIn } from '../../src/hearing/pointing.ts';
import { failingIn } from '../../src/trail/failures.ts';
import { openTrail, trailFor } from '../../src/trail/index.ts';
import { segmentsOf, shellWords } from '../../src/trail/shell.ts';
import { testDir } from '../helpers/test-dir.ts';
import { fixture } from '../transcript/fixture.ts';
import { mutate } from '../transcript/mutations.ts';
import { ClaudeSession } from './claude-session.ts';
import { codexSession, geminiSession, piSession } from './host-sessions.ts';

const root = testDir();
const config = { trail: { kinds: [] }, transcript: { paths: [] } };
const SHELL = [
  'git',
  'add',
  '&&',
  '||',
  ';',
  '|',
  '"',
  "'",
  '`',
  '$(',
  ')',
  '(',
  '<<EOF',
  'EOF',
  '\n',
  '#',
  '\\',
  ' ',
  'cd',
  '/x',
  '2>&1',
  'npm test',
];

describe('a trail', () => {
  test('of any damaged session is bounded, and never an error', async () => {
    const originals = [
      ...readdirSync(fixture('')).map((name) => readFileSync(fixture(name))),
      ...[codexSession(root), geminiSession(root), piSession(root)].map((text) => Buffer.from(text)),
    ];
    const random = randomFrom(15);
    for (let run = 0; run < 150; run += 1) {
      const original = originals[run % originals.length] ?? Buffer.alloc(0);
      const transcript = join(root, 'session');
      writeFileSync(transcript, mutate(original, random, originals).bytes);
      const trail = await openTrail({ root, session: 's', transcript, now: 0, config, env: { HOME: root } });
      expect(trail.facts.length).toBeLessThanOrEqual(400);
      for (const { text, why, place } of trail.facts) {
        expect(text.length).toBeLessThanOrEqual(200);
        expect(`${text}${why}`).not.toMatch(/[\n\r\u0000-\u0008\u001b]/);
        expect(Number.isInteger(place)).toBe(true);
      }
      for (const event of ['start', 'compact', 'prompt', 'subagent'] as const) {
        const said = trailFor(trail, { event, budgetTokens: 60, prompt: 'commit this, it is failing: 1' });
        expect(said.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(240);
      }
    }
  });

  test('of a very long session keeps what is new, and stays small', async () => {
    const talk = new ClaudeSession({ cwd: root });
    for (let turn = 0; turn < 400; turn += 1) {
      talk
        .person(`Always do ${turn}. See ABC-${turn + 1}.`)
        .use('Edit', { file_path: join(root, `src/${turn}.ts`) })
        .use('TaskCreate', { subject: `task ${turn}` }, `Task #${turn} created successfully: task ${turn}`)
        .bash(`npm run test:${turn}`, `✗ name ${turn}`, 1);
    }
    const transcript = join(root, 'long.jsonl');
    writeFileSync(transcript, talk.text);
    const trail = await openTrail({ root, session: 'l', transcript, now: 0, config, env: { HOME: root } });
    expect(trail.facts.length).toBeLessThanOrEqual(400);
    expect(trail.facts.find(({ kind }) => kind === 'file')?.text).toBe('src/399.ts');
    expect(JSON.stringify(trail.fold).length).toBeLessThan(200_000);
  });
});

describe('readers of foreign text', () => {
  test('take any command line apart without losing its first command', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...SHELL), fc.string())), (parts) => {
        const line = parts.join('');
        for (const { text, words } of segmentsOf(line)) {
          expect(text.trim()).toBe(text);
          expect(words).toEqual(shellWords(text));
        }
      }),
    );
    expect(
      segmentsOf('A=1 git add "a b.ts" && git commit -m "$(cat <<\'EOF\'\nx; y\nEOF\n)" 2>&1 | tail -3').map(
        ({ words }) => words.slice(0, 3),
      ),
    ).toEqual([
      ['git', 'add', 'a b.ts'],
      ['git', 'commit', '-m'],
    ]);
  });

  test('are linear in what they read', () => {
    const hostile = [
      'a'.repeat(200_000),
      '('.repeat(100_000),
      '1. '.repeat(60_000),
      '- '.repeat(90_000),
      '"\\'.repeat(90_000),
      'x:1:1: '.repeat(30_000),
    ];
    for (const text of hostile) {
      segmentsOf(text);
      listIn(text);
      ownSentences(text);
      picksIn(text.slice(0, 300));
      expect(failingIn(text).length).toBeLessThan(20);
    }
  });
});
