import { describe, expect, test } from 'vitest';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { sessionPaths } from '../../src/session/workspace.ts';
import { testDir } from '../helpers/test-dir.ts';

async function holding(content: string | Buffer): Promise<FileEntries> {
  const root = testDir();
  const entries = new FileEntries(root, sessionPaths(root, 'main'));
  await entries.write('x', content);
  return entries;
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('');

describe('search', () => {
  test('matching lines with their numbers', async () => {
    const entries = await holding('alpha\nBeta\r\n\ngamma ERROR 500\n');
    expect((await entries.search('x', 'ERROR \\d+')).lines).toEqual([
      { line: 4, text: 'gamma ERROR 500', match: true },
    ]);
    expect((await entries.search('x', '^beta$', { ignoreCase: true })).lines).toEqual([
      { line: 2, text: 'Beta', match: true },
    ]);
    expect((await entries.search('x', 'ta')).lines).toEqual([{ line: 2, text: 'Beta', match: true }]);
    expect(await entries.search('x', 'nowhere')).toEqual({
      name: 'x',
      lines: [],
      matches: 0,
      nextOffset: null,
      nextLine: null,
    });
  });

  test('at most 100 lines, and where to go on', async () => {
    const entries = await holding(numbered(250));
    const first = await entries.search('x', 'line');
    expect([first.matches, first.lines.at(-1)?.text, first.nextLine]).toEqual([100, 'line 100', 101]);
    const more = await entries.search('x', 'line', { offset: first.nextOffset ?? 0 });
    expect(more.lines[0]).toEqual({ line: 1, text: 'line 101', match: true });
    expect((await entries.search('x', 'line', { limit: 1000 })).matches).toBe(100);
  });

  test('context lines, none of them twice', async () => {
    const entries = await holding(numbered(20));
    const { lines, matches } = await entries.search('x', 'line (5|7|15)$', { context: 1 });
    expect(matches).toBe(3);
    expect(lines.map(({ line, match }) => (match ? -line : line))).toEqual([4, -5, 6, -7, 8, 14, -15, 16]);
  });

  test('large entries, whole pieces passed over, numbers right', async () => {
    const entries = await holding(`${numbered(100_000)}the needle\n${numbered(10)}`);
    expect((await entries.search('x', 'needle')).lines).toEqual([
      { line: 100_001, text: 'the needle', match: true },
    ]);
    expect((await entries.search('x', 'n[e]edle')).lines).toEqual([
      { line: 100_001, text: 'the needle', match: true },
    ]);
  });

  test('a line of three megabytes is cut around the match, bytes that are no text are no obstacle', async () => {
    const entries = await holding(`${'z'.repeat(2_000_000)}needle${'z'.repeat(1_000_000)}`);
    const [found] = (await entries.search('x', 'ne+dle')).lines;
    expect(found?.text).toMatch(/^…z{200}needlez+…$/);
    expect(found?.text.length).toBeLessThan(1010);
    const binary = await holding(Buffer.concat([Buffer.alloc(1_000, 0xff), Buffer.from('\nneedle\n')]));
    expect((await binary.search('x', 'needle')).lines[0]?.line).toBe(2);
  });

  test.each(['(a+)+$', '^(a|a)*$', '(.*)*x', '(a|aa)+$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'a pattern that blows up elsewhere takes linear time: %s',
    async (pattern) => {
      const entries = await holding(`${'a'.repeat(50_000)}!`);
      expect((await entries.search('x', pattern)).matches).toBe(0);
    },
  );

  test.each([
    '(',
    '[',
    'x{1001}',
    '(x)\\1',
    '(?=x)',
    '((a{100}){100}){100}',
    '[[:alpha:]]{900}[[:alpha:]]{900}',
    'x'.repeat(1001),
    '',
    '*',
  ])('a pattern that is none, or none for us, is refused in our words: %s', async (pattern) => {
    const refusal = await (await holding('x')).search('x', pattern).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('not a regular expression'),
    });
  });
});
