import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { compileSearch } from '../../src/entries/search.ts';
import type { EntryMatches } from '../../src/entries/types.ts';
import { getSessionPaths } from '../../src/session/workspace.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

async function holding(content: string | Buffer): Promise<FileEntries> {
  const root = testDir();
  const entries = new FileEntries(getSessionPaths(root, 'main'));
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

  test('at most 100 lines, and where to continue', async () => {
    const entries = await holding(numbered(250));
    const first = await entries.search('x', 'line');
    expect([first.matches, first.lines.at(-1)?.text, first.nextLine]).toEqual([100, 'line 100', 101]);
    const more = await entries.search('x', 'line', { offset: first.nextOffset ?? 0 });
    expect(more.lines[0]).toEqual({ line: 101, text: 'line 101', match: true });
    expect((await entries.search('x', 'line', { limit: 1000 })).matches).toBe(100);
  });

  test('from an offset inside a line, that line whole, with its number in the entry', async () => {
    const entries = await holding(`😀 first\n${numbered(20)}`);
    const found = async (offset: number) => (await entries.search('x', 'line|first', { offset })).lines[0];
    expect(await found(3)).toEqual({ line: 1, text: '😀 first', match: true });
    expect(await found(8)).toEqual({ line: 2, text: 'line 1', match: true });
    expect(await found(11)).toEqual({ line: 2, text: 'line 1', match: true });
    expect(await found(9999)).toBeUndefined();
  });

  test('context lines, none of them twice', async () => {
    const entries = await holding(numbered(20));
    const { lines, matches } = await entries.search('x', 'line (5|7|15)$', { context: 1 });
    expect(matches).toBe(3);
    expect(lines.map(({ line, match }) => (match ? -line : line))).toEqual([4, -5, 6, -7, 8, 14, -15, 16]);
  });

  test('line numbers are right in large entries where whole pieces are skipped', async () => {
    const entries = await holding(`${numbered(100_000)}the needle\n${numbered(10)}`);
    expect((await entries.search('x', 'needle')).lines).toEqual([
      { line: 100_001, text: 'the needle', match: true },
    ]);
    expect((await entries.search('x', 'n[e]edle')).lines).toEqual([
      { line: 100_001, text: 'the needle', match: true },
    ]);
  });

  test('a line of three megabytes is cut around the match, and bytes that are not text do no harm', async () => {
    const entries = await holding(`${'z'.repeat(2_000_000)}needle${'z'.repeat(1_000_000)}`);
    const [found] = (await entries.search('x', 'ne+dle')).lines;
    expect(found?.text).toMatch(/^…z{200}needlez+…$/);
    expect(found?.text.length).toBeLessThan(1010);
    const binary = await holding(Buffer.concat([Buffer.alloc(1_000, 0xff), Buffer.from('\nneedle\n')]));
    expect((await binary.search('x', 'needle')).lines[0]?.line).toBe(2);
  });

  test('a long line beside a match is cut with a mark, never inside a character', async () => {
    const entries = await holding(`${'y'.repeat(999)}${'😀'.repeat(10)}\nneedle ${'z'.repeat(40)}\n`);
    const { lines } = await entries.search('x', 'needle', { context: 1 });
    expect(lines[0]?.text).toBe(`${'y'.repeat(999)}…`);
    const long = await holding(`${'😀'.repeat(200)}n${'😀'.repeat(1000)}`);
    expect((await long.search('x', 'n')).lines[0]?.text).toMatch(/^…(?:😀)+n(?:😀)+…$/u);
    const odd = await holding(`a${'😀'.repeat(200)}xn${'😀'.repeat(1000)}`);
    expect((await odd.search('x', 'n')).lines[0]?.text).toMatch(/^…(?:😀)+xn(?:😀)+…$/u);
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
      message: expect.stringContaining('not a valid regular expression'),
    });
  });
});

describe('the engine beside the one of JavaScript', () => {
  const atom = fc.constantFrom('a', 'b', 'c', '1', ' ', '.', '[ab]', '[^a]', '\\d', '\\w', '\\b', 'é', '🦀');
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    pattern: fc
      .array(fc.array(tie('piece'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((branches) => branches.map((pieces) => pieces.join('')).join('|')),
    piece: fc
      .tuple(
        fc.oneof(
          { maxDepth: 2, depthSize: 'small' },
          atom,
          tie('pattern').map((inner) => `(?:${inner})`),
          tie('pattern').map((inner) => `(${inner})`),
        ),
        fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '*?', '+?'),
      )
      .map(([inner, times]) => (inner === '\\b' ? inner : inner + times)),
  }));
  const anchored = fc
    .tuple(fc.boolean(), pattern, fc.boolean())
    .map(([start, inner, end]) => `${start ? '^' : ''}(?:${inner})${end ? '$' : ''}`)
    // Longer ones are refused.
    .filter((source) => source.length <= 1000);
  // Short: JavaScript's engine takes time exponential in the length for repetitions inside repetitions.
  const line = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', 'é', '🦀'), maxLength: 7 });

  test('finds the same lines, where both mean the same by a pattern', async () => {
    await fc.assert(
      fc.asyncProperty(anchored, fc.array(line, { minLength: 1, maxLength: 20 }), async (source, lines) => {
        const [ours, native] = [await compileSearch(source), new RegExp(source, 'u')];
        expect(lines.map((text) => ours(text))).toEqual(lines.map((text) => text.search(native)));
      }),
      { numRuns: runs(20) },
    );
  });

  test('a text without special characters is found literally, in any entry', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: 'binary', minLength: 1, maxLength: 5 })
          .filter((text) => /^[^\s\\^$.|?*+()[\]{}]+$/.test(text) && text.isWellFormed()),
        fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { maxLength: 8 }),
        async (text, around) => {
          const lines = [...around, `x${text}y`].map((each) => each.toWellFormed().replace(/[\r\n]/g, ' '));
          const entries = await holding(lines.join('\n'));
          const { lines: found } = await entries.search('x', text);
          expect(found.map(({ line: number }) => number)).toEqual(
            lines.flatMap((each, k) => (each.includes(text) ? [k + 1] : [])),
          );
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('time', () => {
  /** Nothing of it can be passed over, and hardly a state comes twice. */
  function hard(length: number): string {
    let state = 1;
    return Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state & 0x10000 ? 'a' : 'b';
    }).join('');
  }

  test.each([
    ['one line', hard(1_000_000)],
    ['many lines', hard(1_000_000).replace(/.{80}/g, '$&\n')],
  ])(
    'a search that takes long stops in the middle of a piece, and says where to go on: %s',
    async (_, text) => {
      const entries = await holding(`${text}\nthe needle\n`);
      const slow = '(?:a|b)*a(?:a|b){300}[cd][cd]|needle';
      const first = await entries.search('x', slow, { maxMs: 50 });
      expect(first.matches).toBe(0);
      expect(first.nextOffset).toBeGreaterThan(0);
      expect(first.nextOffset).toBeLessThan(1_000_000);
      const lines = text.slice(0, first.nextOffset ?? 0).split('\n').length;
      expect(first.nextLine).toBe(lines);
      const rest = await entries.search('x', 'needle', { offset: first.nextOffset ?? 0 });
      expect(rest.matches).toBe(1);
    },
  );

  test('other work runs during a search', async () => {
    const entries = await holding(hard(1_500_000).replace(/.{80}/g, '$&\n'));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await entries.search('x', '(?:a|b)*a(?:a|b){300}[cd][cd]', { maxMs: 1500 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  test('a long line is searched in pieces that cut no character, and numbers stay right', async () => {
    const crab = '🦀'.repeat(700_000);
    const entries = await holding(`first\n${crab}needle${crab}\nlast\n`);
    const found = await entries.search('x', 'n[e]edle|last|^.*\\x{FFFD}');
    expect(found.lines.map(({ line }) => line)).toEqual([2, 3]);
    expect(found.lines[0]?.text).toContain('needle');
  });

  test('at most 30,000 characters of lines are collected, and the search can continue after them', async () => {
    const entries = await holding(Array.from({ length: 90 }, (_, n) => `${n} ${'x'.repeat(990)}`).join('\n'));
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { lines, nextOffset }: EntryMatches = await entries.search('x', 'x+', { offset });
      expect(lines.length).toBeLessThanOrEqual(31);
      seen.push(...lines.map(({ text }) => text.split(' ')[0] ?? ''));
      offset = nextOffset;
    }
    expect(seen).toEqual(Array.from({ length: 90 }, (_, n) => String(n)));
  });
});
