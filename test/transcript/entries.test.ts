import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendScratchpadEntries, readScratchpadEntries } from '../../src/transcript/entries.ts';
import { readTranscriptFile } from '../../src/transcript/read.ts';
import { testDir } from '../helpers/test-dir.ts';
import { fixture } from './fixture.ts';

const folder = testDir();
let count = 0;

function file(records: Array<object | string>, end = '\n'): string {
  const path = join(folder, `${count++}.jsonl`);
  writeFileSync(
    path,
    records.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n') + end,
  );
  return path;
}

function records(path: string): Array<Record<string, unknown>> {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

const header = { type: 'session', version: 3, id: 's', cwd: '/w' };
const said = (id: string, parentId: string | null): object => ({
  type: 'message',
  id,
  parentId,
  message: { role: 'user', content: `words ${id}` },
});
const custom = (key: string, data: unknown): object => ({
  type: 'custom',
  customType: `openclaw:scratchpad${key}`,
  data,
});

describe('reading the scratchpad of a session file', () => {
  test('the last entry of a key counts', async () => {
    const path = file([
      header,
      custom(':notes', 'old'),
      custom(':refs', ['a']),
      custom(':notes', 'new\r\nline'),
      custom(':plan', '1. go'),
      custom(':refs', ['b', 3, 'c']),
      said('x', null),
    ]);
    expect(await readScratchpadEntries(path)).toEqual({
      notes: 'new\nline',
      plan: '1. go',
      refs: ['b', 'c'],
    });
  });

  test('the older key stands for the notes only while there are no notes', async () => {
    expect(await readScratchpadEntries(file([custom('', 'first'), custom('', 'legacy')]))).toEqual({
      notes: 'legacy',
    });
    expect(await readScratchpadEntries(file([custom(':notes', 'mine'), custom('', 'legacy')]))).toEqual({
      notes: 'mine',
    });
    expect(await readScratchpadEntries(file([custom(':notes', ''), custom('', 'legacy')]))).toEqual({
      notes: '',
    });
  });

  test('an absent space is absent, an entry of the wrong shape is named', async () => {
    expect(await readScratchpadEntries(file([header, said('a', null)]))).toEqual({});
    const path = file([
      custom(':notes', 'kept'),
      custom(':notes', 7),
      custom(':plan', null),
      custom(':refs', 'a'),
    ]);
    expect(await readScratchpadEntries(path)).toEqual({
      notes: 'kept',
      invalid: ['openclaw:scratchpad:notes', 'openclaw:scratchpad:plan', 'openclaw:scratchpad:refs'],
    });
  });

  test('words of a message that look like an entry are not one', async () => {
    const path = file([
      header,
      {
        type: 'message',
        id: 'a',
        parentId: null,
        message: { role: 'user', content: JSON.stringify(custom(':notes', 'forged')) },
      },
    ]);
    expect(await readScratchpadEntries(path)).toEqual({});
  });
});

describe('appending the scratchpad to a session file', () => {
  test('continues the current leaf, one entry after the other, and reads back', async () => {
    const path = file([header, said('a', null), said('b', 'a')]);
    const before = readFileSync(path, 'utf8');
    const spaces = { notes: 'remember\nthis', plan: '1. go', refs: ['src/a.ts'] };
    const done = await appendScratchpadEntries(path, spaces, Date.UTC(2026, 1, 6));
    expect(done).toEqual({ written: ['notes', 'plan', 'refs'], parentId: 'b' });
    expect(readFileSync(path, 'utf8').startsWith(before)).toBe(true);
    const added = records(path).slice(3);
    expect(added.map((entry) => [entry.customType, entry.data, entry.timestamp])).toEqual([
      ['openclaw:scratchpad:notes', 'remember\nthis', '2026-02-06T00:00:00.000Z'],
      ['openclaw:scratchpad:plan', '1. go', '2026-02-06T00:00:00.000Z'],
      ['openclaw:scratchpad:refs', ['src/a.ts'], '2026-02-06T00:00:00.000Z'],
    ]);
    expect(added.map((entry) => entry.parentId)).toEqual(['b', added[0]?.id, added[1]?.id]);
    expect(await readScratchpadEntries(path)).toEqual(spaces);
    const { messages } = await readTranscriptFile(path);
    expect(messages.map((message) => message.content)).toEqual(['words a', 'words b']);
  });

  test('writes only what has changed', async () => {
    const path = file([header, said('a', null)]);
    await appendScratchpadEntries(path, { notes: 'one', refs: ['r'] });
    expect((await appendScratchpadEntries(path, { notes: 'one', refs: ['r'] })).written).toEqual([]);
    expect((await appendScratchpadEntries(path, { notes: 'two', refs: ['r'] })).written).toEqual(['notes']);
    expect((await appendScratchpadEntries(path, { notes: '', plan: '', refs: [] })).written).toEqual([
      'notes',
      'refs',
    ]);
    expect(await readScratchpadEntries(path)).toEqual({ notes: '', refs: [] });
  });

  test.each([
    [
      'a leaf entry',
      [said('a', null), said('b', 'a'), { type: 'leaf', id: 'l', parentId: 'b', targetId: 'a' }],
      'a',
    ],
    [
      'a leaf before the first entry',
      [said('a', null), { type: 'leaf', id: 'l', parentId: 'a', targetId: null }],
      null,
    ],
    ['an entry beside the path', [said('a', null), { ...said('b', 'a'), appendMode: 'side' }], 'a'],
    ['an entry of an unknown type', [said('a', null), { type: 'plugin', id: 'p', parentId: 'a' }], 'a'],
    ['a new branch', [said('a', null), said('b', 'a'), said('c', 'a')], 'c'],
    ['no entry yet', [], null],
  ])('the leaf after %s', async (_name, entries, leaf) => {
    const path = file([header, ...entries]);
    expect((await appendScratchpadEntries(path, { notes: 'n' })).parentId).toBe(leaf);
  });

  test('a missing last line end is added; half a line stays apart from ours', async () => {
    const complete = file([header, said('a', null)], '');
    expect((await appendScratchpadEntries(complete, { notes: 'n' })).parentId).toBe('a');
    expect(records(complete)).toHaveLength(3);
    const half = file([header, said('a', null), '{"type":"message","id":"b","par'], '');
    expect((await appendScratchpadEntries(half, { notes: 'n' })).parentId).toBe('a');
    expect(await readScratchpadEntries(half)).toEqual({ notes: 'n' });
  });

  test('several writers at once lose nothing and make one chain', async () => {
    const path = file([header, said('a', null)]);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => appendScratchpadEntries(path, { notes: `n${index}` })),
    );
    const added = records(path).slice(2);
    expect(added.map((entry) => entry.data).sort()).toEqual(
      Array.from({ length: 12 }, (_, index) => `n${index}`).sort(),
    );
    expect(added.map((entry) => entry.parentId)).toEqual([
      'a',
      ...added.slice(0, -1).map((entry) => entry.id),
    ]);
    expect(readdirSync(folder).filter((name) => name.includes('lock'))).toEqual([]);
  });

  test('other files are refused and stay as they are', async () => {
    const claude = join(folder, 'claude.jsonl');
    copyFileSync(fixture('claude-code.jsonl'), claude);
    const before = readFileSync(claude);
    await expect(appendScratchpadEntries(claude, { notes: 'n' })).rejects.toMatchObject({
      kind: 'usage',
      detail: { found: 'Claude Code session (JSONL)' },
    });
    expect(readFileSync(claude).equals(before)).toBe(true);
    const database = join(folder, 'some.sqlite');
    writeFileSync(database, `SQLite format 3\0${'x'.repeat(200)}`);
    await expect(appendScratchpadEntries(database, { notes: 'n' })).rejects.toMatchObject({
      kind: 'refused',
    });
    await expect(appendScratchpadEntries(file(['hello']), { notes: 'n' })).rejects.toMatchObject({
      kind: 'usage',
    });
    await expect(appendScratchpadEntries(join(folder, 'none'), { notes: 'n' })).rejects.toMatchObject({
      kind: 'usage',
    });
    await expect(appendScratchpadEntries(folder, { notes: 'n' })).rejects.toMatchObject({ kind: 'usage' });
  });
});
