import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { getSessionPaths } from '../../src/session/workspace.ts';
import { testDir } from '../helpers/test-dir.ts';

function entriesIn(root = testDir(), session = 'main'): FileEntries {
  return new FileEntries(getSessionPaths(root, session));
}

describe('names', () => {
  const HOSTILE = [
    '../x',
    '../../../etc/passwd',
    'con',
    'CON',
    '.hidden',
    '..',
    '/',
    'a/b',
    '🦀',
    'a b',
    'index.json',
    'lock',
    '__proto__',
    'constructor',
    '~',
    '-rf',
    'é',
    'x'.repeat(200),
  ];

  test('every printable name is kept apart from all others, and none leaves the directory', async () => {
    const root = testDir();
    const entries = entriesIn(root);
    for (const name of HOSTILE) await entries.write(name, `content of ${name}`);
    for (const name of HOSTILE) expect((await entries.read(name)).content).toBe(`content of ${name}`);
    expect((await entries.list()).map(({ name }) => name)).toEqual(HOSTILE);
    expect(readdirSync(root)).toEqual(['.scratchpad']);
    expect(readdirSync(join(root, '.scratchpad/sessions/main'))).toEqual(['entries']);
  });

  test.each(['', '  ', 'a\0b', 'a\nb', 'x'.repeat(201), 'x'.repeat(10_000), '\ud800', 'a\u2028b'])(
    'an invalid name is refused: %j',
    async (name) => {
      const refusal = await entriesIn()
        .write(name, 'x')
        .catch((error: unknown) => error);
      expect(refusal).toMatchObject({ kind: 'usage', message: expect.stringContaining('not an entry name') });
    },
  );

  test('two sessions keep entries of one name apart', async () => {
    const root = testDir();
    await entriesIn(root, 'a').write('x', 'of a');
    await entriesIn(root, 'b').write('x', 'of b');
    expect((await entriesIn(root, 'a').read('x')).content).toBe('of a');
  });

  test('an index from elsewhere cannot name a file outside', async () => {
    const root = testDir({ secret: 'outside' });
    const entries = entriesIn(root);
    await entries.write('x', 'mine');
    const path = join(entries.dir, 'index.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"file":"[^"]*"/, '"file":"../../../../secret"'));
    expect(await entries.list()).toEqual([]);
  });

  test('a directory that is a link out of the workspace is refused', async () => {
    const [root, outside] = [testDir(), testDir()];
    mkdirSync(join(root, '.scratchpad/sessions/main'), { recursive: true });
    symlinkSync(outside, join(root, '.scratchpad/sessions/main/entries'));
    await expect(entriesIn(root).write('x', 'y')).rejects.toMatchObject({ kind: 'environment' });
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('contents', () => {
  test('any bytes come back as they went in', async () => {
    const entries = entriesIn();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        await entries.write('x', bytes);
        expect((await entries.bytes('x')).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  test('reading in pieces gives the whole, for any text, any bytes and any piece size', async () => {
    const entries = entriesIn();
    const content = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(text.toWellFormed())),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 40 }), async (bytes, limit) => {
        await entries.write('x', bytes);
        const whole = await entries.read('x');
        expect([...whole.content].length).toBe(whole.total);
        let pieces = '';
        for (let at: number | null = 0; at !== null; ) {
          const piece = await entries.read('x', { offset: at, limit });
          // Each piece gets on, or this would never end.
          expect(piece.characters).toBe(Math.min(limit, whole.total - at));
          pieces += piece.content;
          at = piece.nextOffset;
        }
        expect(pieces).toBe(whole.content);
      }),
      {
        numRuns: 25,
        examples: [
          [Buffer.from([0xc3, 0xc3]), 1],
          [Buffer.from([0xf0, 0x9f, 0x61]), 1],
          [Buffer.from('é\u{1f980}'), 1],
        ],
      },
    );
  });

  test('an offset in a large entry that is not ASCII is found', async () => {
    const entries = entriesIn();
    const line = (n: number): string => `${String(n).padStart(8, '0')} größer 🦀 日本語\n`;
    const width = [...line(0)].length;
    const content = Array.from({ length: 60_000 }, (_, n) => line(n)).join('');
    const { characters } = await entries.write('big', content);
    expect(characters).toBe(60_000 * width);
    for (const n of [0, 1, 12_345, 43_210, 59_999]) {
      const piece = await entries.read('big', { offset: n * width, limit: width });
      expect(piece.content).toBe(line(n));
    }
  });

  test('offset and limit have their defaults and their limits', async () => {
    const entries = entriesIn();
    await entries.write('x', 'ü'.repeat(30_001));
    expect(await entries.read('x')).toMatchObject({
      offset: 0,
      characters: 30_000,
      total: 30_001,
      nextOffset: 30_000,
    });
    expect(await entries.read('x', { offset: 99_999 })).toMatchObject({ content: '', nextOffset: null });
    expect(await entries.read('x', { limit: 0 })).toMatchObject({ content: '', nextOffset: 0 });
    for (const bad of [-1, 1.5, Number.NaN, 'x' as unknown as number]) {
      await expect(entries.read('x', { offset: bad })).rejects.toMatchObject({ kind: 'usage' });
    }
  });

  test('writing again replaces content and keeps the time of creation; appending adds', async () => {
    const entries = entriesIn();
    const first = await entries.write('x', 'one');
    await entries.write('y', 'other');
    const again = await entries.write('x', 'two');
    expect(again.created).toBe(first.created);
    await entries.write('x', ' three', { append: true });
    expect((await entries.read('x')).content).toBe('two three');
    // One content each, what was overwritten, and the index. What was added to is all there still.
    expect(readdirSync(entries.dir).length).toBe(4);
  });

  test('many writers at once: each append is there', async () => {
    const entries = entriesIn();
    await Promise.all(
      Array.from({ length: 6 }, (_, n) => entries.write('log', `line ${n}\n`, { append: true })),
    );
    expect((await entries.read('log')).content.split('\n').sort().slice(1)).toEqual(
      Array.from({ length: 6 }, (_, n) => `line ${n}`),
    );
  });

  test('a damaged index is set aside, and the contents are still there', async () => {
    const root = testDir();
    const entries = entriesIn(root);
    await entries.write('my notes', 'kept');
    writeFileSync(join(entries.dir, 'index.json'), '{"version":1,"entr');
    const [entry] = await entries.list();
    expect(entry?.name).toMatch(/^my-notes-/);
    expect((await entries.read(entry?.name ?? '')).content).toBe('kept');
    expect(readdirSync(join(root, '.scratchpad/recovered')).length).toBe(1);
  });
});

describe('edit', () => {
  test('one match is replaced; none or several are refused with their number', async () => {
    const entries = entriesIn();
    await entries.write('x', 'a b a');
    expect(await entries.edit('x', { oldString: 'b', newString: 'ß' })).toMatchObject({
      replaced: 1,
      characters: 5,
    });
    await expect(entries.edit('x', { oldString: 'a', newString: 'c' })).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('2 matches'),
    });
    await expect(entries.edit('x', { oldString: 'zz', newString: '' })).rejects.toThrow('0 matches');
    await expect(entries.edit('x', { oldString: '', newString: '' })).rejects.toMatchObject({
      kind: 'usage',
    });
    expect((await entries.read('x')).content).toBe('a ß a');
    expect(await entries.edit('x', { oldString: 'a', newString: '', replaceAll: true })).toMatchObject({
      replaced: 2,
    });
    expect((await entries.edit('x', { content: 'new' })).characters).toBe(3);
    await expect(entries.edit('none', { content: 'x' })).rejects.toThrow('no entry has that name');
  });

  test('replacing in a file is replacing in a string, across the pieces it is read in', async () => {
    const entries = entriesIn();
    const filler = 'ab'.repeat(524_287);
    const text = `${filler}abXYZab${filler}XYZ`;
    await entries.write('x', text);
    await entries.edit('x', { oldString: 'XYZ', newString: '-', replaceAll: true });
    expect((await entries.bytes('x')).toString()).toBe(text.replaceAll('XYZ', '-'));
    await entries.write('y', 'aaaaa');
    expect(await entries.edit('y', { oldString: 'aa', newString: 'b', replaceAll: true })).toMatchObject({
      replaced: 2,
    });
    expect((await entries.read('y')).content).toBe('bba');
  });
});

describe('rename, delete', () => {
  test('rename keeps content and creation; a taken name is refused', async () => {
    const entries = entriesIn();
    const { created } = await entries.write('a', '1');
    await entries.write('b', '2');
    await expect(entries.rename('a', 'b')).rejects.toMatchObject({ kind: 'refused' });
    expect(await entries.rename('a', 'c')).toMatchObject({ name: 'c', created });
    await entries.rename('c', 'b', { force: true });
    expect((await entries.list()).map(({ name }) => name)).toEqual(['b']);
    expect((await entries.read('b')).content).toBe('1');
  });

  test('deleted for good removes the content too', async () => {
    const entries = entriesIn();
    await entries.write('a', 'x');
    await entries.delete('a', { forGood: true });
    await expect(entries.delete('a')).rejects.toMatchObject({ kind: 'refused' });
    expect(readdirSync(entries.dir)).toEqual(['index.json']);
    expect(existsSync(entries.dir)).toBe(true);
  });
});

describe('a name in the other form of Unicode', () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];

  test('brings back the entry in place of the present one', async () => {
    const entries = entriesIn();
    await entries.write(composed, 'one');
    await entries.write(composed, 'two');
    await entries.undelete(decomposed);
    expect((await entries.list()).map(({ name }) => name)).toEqual([composed]);
    expect((await entries.read(composed)).content).toBe('one');
  });

  test('deletes its versions for good', async () => {
    const entries = entriesIn();
    await entries.write(composed, 'one');
    await entries.write(composed, 'two');
    await entries.delete(decomposed, { forGood: true });
    expect(readdirSync(entries.dir)).toEqual(['index.json']);
  });
});

describe('past versions', () => {
  test.each([0, -1, 1.5])('none is %d versions back', async (back) => {
    const entries = entriesIn();
    for (const content of ['one', 'two', 'three']) await entries.write('a', content);
    await expect(entries.undelete('a', back)).rejects.toMatchObject({
      kind: 'refused',
      detail: { expected: 'a number from 1 to 2', found: String(back) },
    });
    expect((await entries.read('a')).content).toBe('three');
  });

  test('of a deleted name are deleted for good, and only of that name', async () => {
    const entries = entriesIn();
    for (const name of ['a', 'b']) await entries.write(name, 'x');
    for (const name of ['a', 'b']) await entries.delete(name);
    await entries.delete('a', { forGood: true });
    expect((await entries.past()).map(({ name }) => name)).toEqual(['b']);
    expect(readdirSync(entries.dir)).toHaveLength(2);
    await expect(entries.delete('a', { forGood: true })).rejects.toMatchObject({ kind: 'refused' });
    await expect(entries.delete('b')).rejects.toMatchObject({ kind: 'refused' });
  });

  test('nothing but the newest five of a name are kept, and the others leave no file', async () => {
    const entries = entriesIn();
    for (let k = 0; k < 9; k += 1) await entries.write('a', `version ${k}`);
    expect(await entries.past()).toHaveLength(5);
    expect(readdirSync(entries.dir)).toHaveLength(7);
    await entries.delete('a', { forGood: true });
    expect(await entries.past()).toEqual([]);
    expect(readdirSync(entries.dir)).toEqual(['index.json']);
  });
});
