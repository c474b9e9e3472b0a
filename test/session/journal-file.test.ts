import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileStore } from '../../src/session/file-store.ts';
import { readJournal } from '../../src/session/journal.ts';
import { testDir } from '../helpers/test-dir.ts';
import { NOW, set } from './store-contract.ts';

const open = (root = testDir(), session = 'main') => new FileStore(root, session, { now: () => NOW });
const append = (store: FileStore, line: string) =>
  store.change(({ spaces }) => [
    set('notes', spaces.notes === '' ? line : `${spaces.notes}\n${line}`, 'append'),
  ]);

describe('the journal', () => {
  test('is a session file of pi: a header, then one custom entry a revision', async () => {
    const store = open();
    await append(store, 'a');
    await store.change(() => [set('refs', '- x\n- y', 'add')]);
    const [header, notes, refs] = readFileSync(store.paths.journal, 'utf8')
      .split('\n')
      .map((line) => (line ? JSON.parse(line) : {}));
    expect(header).toMatchObject({ type: 'session', version: 3, id: 'main' });
    expect(notes).toMatchObject({
      type: 'custom',
      customType: 'openclaw:scratchpad:notes',
      data: 'a',
      parentId: null,
    });
    expect(refs).toMatchObject({
      customType: 'openclaw:scratchpad:refs',
      data: ['x', 'y'],
      parentId: notes.id,
    });
  });

  test('a torn last line was never acknowledged, and the next append removes it', async () => {
    const store = open();
    await append(store, 'a');
    const whole = readFileSync(store.paths.journal, 'utf8');
    appendFileSync(store.paths.journal, whole.split('\n')[1]?.slice(0, 80) ?? '');
    expect((await store.read()).revision).toBe(1);
    await append(store, 'b');
    const { revisions, skipped } = readJournal(store.paths.journal);
    expect([revisions.map(({ content }) => content), skipped]).toEqual([['a', 'a\nb'], 0]);
  });

  test('a last line that only lacks its end is kept', async () => {
    const store = open();
    await append(store, 'a');
    writeFileSync(store.paths.journal, readFileSync(store.paths.journal, 'utf8').trimEnd());
    await append(store, 'b');
    expect((await store.history()).revisions.map(({ rev }) => rev)).toEqual([1, 2]);
  });

  test('lines that cannot be read, or are not ours, are skipped and counted', async () => {
    const store = open();
    await append(store, 'a');
    appendFileSync(
      store.paths.journal,
      `garbage\n${JSON.stringify({ type: 'custom', customType: 'openclaw:scratchpad', data: 'old', id: '1', parentId: null })}\n\u0000\n`,
    );
    await append(store, 'b');
    expect((await store.read()).spaces.notes).toBe('a\nb');
    expect(await store.history()).toMatchObject({ skipped: 2 });
  });

  test('a journal that is missing or garbled is restarted from the pad, with continuing numbers', async () => {
    for (const text of [undefined, 'garbage\n'.repeat(5000)]) {
      const store = open();
      await append(store, 'a');
      await append(store, 'b');
      if (text === undefined) (await import('node:fs')).rmSync(store.paths.journal);
      else writeFileSync(store.paths.journal, text);
      const done = await append(store, 'c');
      expect(done.spaces.notes).toBe('a\nb\nc');
      expect(done.revision).toBe(4);
    }
  });

  test('past a megabyte it keeps its last 200 revisions, and what was before them', async () => {
    const store = open();
    await store.change(() => [set('plan', '1. from the beginning')]);
    const big = 'x'.repeat(6000);
    for (let k = 0; k < 260; k += 1) await store.change(() => [set('notes', `${k} ${big}`)]);
    expect(statSync(store.paths.journal).size).toBeLessThan(260 * 6000);
    const { revisions, base } = readJournal(store.paths.journal);
    expect(revisions.length).toBeGreaterThanOrEqual(200);
    expect(revisions.length).toBeLessThan(251);
    expect(base.plan).toBe('1. from the beginning');
    expect(revisions.at(-1)?.rev).toBe(261);
    expect((await store.read()).spaces.plan).toBe('1. from the beginning');
  }, 60_000);

  test('when the pad cannot be replaced, the journal is rolled back', async () => {
    const store = open();
    await append(store, 'a');
    const before = readFileSync(store.paths.journal, 'utf8');
    const pad = readFileSync(store.paths.pad, 'utf8');
    let calls = 0;
    await expect(
      store.change(() => {
        calls += 1;
        // Somebody takes the lock away while the change is being made.
        writeFileSync(store.paths.lock, '{"pid":1,"host":"elsewhere","nonce":"other"}');
        return [set('notes', 'never')];
      }),
    ).rejects.toThrow('lost to another process');
    expect(calls).toBe(1);
    expect(readFileSync(store.paths.journal, 'utf8')).toBe(before);
    expect(readFileSync(store.paths.pad, 'utf8')).toBe(pad);
  });
});

describe('the files of a workspace', () => {
  test('keep the mode that a person gave them; the data directory is private and ignored by git', async () => {
    const store = open();
    await append(store, 'a');
    for (const mode of [0o600, 0o666, 0o640]) {
      chmodSync(store.paths.pad, mode);
      await append(store, `mode ${mode}`);
      expect(statSync(store.paths.pad).mode & 0o777).toBe(mode);
    }
    expect(statSync(store.paths.data).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(store.paths.data, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('links that lead out of the workspace are not followed', async () => {
    const outside = testDir({ 'file.md': 'secret\n', 'dir/': '' });
    const cases: ((root: string) => void)[] = [
      (root) => symlinkSync(join(outside, 'file.md'), join(root, 'SCRATCHPAD.md')),
      (root) => symlinkSync(join(outside, 'dir'), join(root, '.scratchpad')),
      (root) => {
        mkdirSync(join(root, '.scratchpad'));
        symlinkSync(join(outside, 'dir'), join(root, '.scratchpad/sessions'));
      },
      (root) => {
        mkdirSync(join(root, '.scratchpad/sessions'), { recursive: true });
        symlinkSync(join(outside, 'dir'), join(root, '.scratchpad/sessions/main'));
      },
      (root) => {
        mkdirSync(join(root, '.scratchpad/sessions/main'), { recursive: true });
        symlinkSync(join(outside, 'file.md'), join(root, '.scratchpad/sessions/main/journal.jsonl'));
      },
    ];
    for (const lay of cases) {
      const root = testDir();
      lay(root);
      await expect(append(open(root), 'a')).rejects.toMatchObject({ kind: 'environment' });
    }
    expect(readFileSync(join(outside, 'file.md'), 'utf8')).toBe('secret\n');
    expect(existsSync(join(outside, 'dir/journal.jsonl'))).toBe(false);
  });

  test('a link within the workspace stays one', async () => {
    const root = testDir({ 'docs/pad.md': '# Mine\n' });
    symlinkSync('docs/pad.md', join(root, 'SCRATCHPAD.md'));
    await append(open(root), 'a');
    expect(readFileSync(join(root, 'docs/pad.md'), 'utf8')).toContain('# Mine\n');
    expect(readFileSync(join(root, 'docs/pad.md'), 'utf8')).toContain('\na\n');
  });

  test('a directory or a file in the wrong place is a clear error', async () => {
    for (const files of [
      { 'SCRATCHPAD.md/': '' },
      { '.scratchpad': 'a file' },
      { '.scratchpad/sessions': 'a file' },
    ] as Record<string, string>[]) {
      await expect(append(open(testDir(files)), 'a')).rejects.toMatchObject({
        name: 'ScratchpadError',
        kind: 'environment',
      });
    }
  });

  test('sessions of any name keep apart, and none leaves its directory', async () => {
    const root = testDir();
    const ids = [
      'other',
      'Other',
      'OTHER',
      '../up',
      '..',
      '/abs',
      'a/b',
      'con',
      'ü',
      '😀',
      'x'.repeat(200),
      'main~1',
      'main ',
    ];
    for (const id of ids) await append(open(root, id), id);
    for (const id of ids) {
      const store = open(root, id);
      expect((await store.read()).spaces.notes).toBe(id);
      expect(store.paths.pad.startsWith(join(root, '.scratchpad/sessions/'))).toBe(true);
    }
    for (const id of ['', ' ', 'x'.repeat(201), 'a\nb', 'a\u0000'])
      expect(() => open(root, id)).toThrow('not a session id');
  });
});
