import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLock } from '../../src/base/fs/index.ts';
import { searchMemory } from '../../src/memory/search.ts';
import type { MemoryAnswer } from '../../src/memory/types.ts';
import { indexStatus, updateIndex } from '../../src/memory/update.ts';
import { workspaceOf, write } from './workspace.ts';

const NOW = Date.UTC(2026, 1, 6);
const WORDS = [
  'cluster',
  'backup',
  'invoice',
  'garden',
  'violin',
  'train',
  'server',
  'lemon',
  'harbour',
  'winter',
];

/** Notes of some days, every line with words of its own. */
function notes(files: number): Record<string, string> {
  const out: Record<string, string> = { 'MEMORY.md': '# Memory\n\n- the cluster is in the cellar\n' };
  for (let i = 0; i < files; i++) {
    const lines = WORDS.map(
      (word, k) => `- Ann: the ${word} of week ${i} needs ${WORDS[(k + i) % WORDS.length]} ${i * 7 + k}?`,
    );
    out[`memory/2026-01-${String((i % 28) + 1).padStart(2, '0')}-${i}.md`] =
      `# Day ${i}\n\n${lines.join('\n')}\n`;
  }
  return out;
}

const ask = (workspace: string, text: string): Promise<MemoryAnswer> =>
  searchMemory({ text }, { workspace, now: NOW, limit: 8 });

/** The same without an index. */
function scan(workspace: string, text: string): Promise<MemoryAnswer> {
  const copy = workspaceOf({});
  cpSync(workspace, copy, { recursive: true });
  rmSync(join(copy, '.scratchpad'), { recursive: true, force: true });
  return ask(copy, text);
}

const shown = ({ hits }: MemoryAnswer): string[] =>
  hits.map(({ path, line, text }) => `${path}:${line} ${text}`);

/** Past the time in which a file is too fresh to trust its times. */
const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 150));

async function indexed(files: Record<string, string | Buffer>): Promise<string> {
  const workspace = workspaceOf(files);
  await settle();
  const { saved } = await updateIndex({ workspace });
  expect(saved).toBe(true);
  return workspace;
}

const base = (workspace: string): string => join(workspace, '.scratchpad/index/memory.base');

describe('the memory index', () => {
  it('answers exactly as a scan does', async () => {
    const workspace = await indexed(notes(12));
    for (const text of [
      'cluster',
      'the winter train of week 3',
      'what did Ann say on 5 January 2026?',
      'lemon 14',
      'servers',
    ]) {
      const [quick, slow] = [await ask(workspace, text), await scan(workspace, text)];
      expect([quick.source, slow.source]).toEqual(['index', 'scan']);
      expect(quick.hits).toEqual(slow.hits);
      expect([quick.files, quick.passages]).toEqual([slow.files, slow.passages]);
    }
  });

  it('is made by the first search, in a private folder that git passes over', async () => {
    const workspace = workspaceOf(notes(2));
    expect((await ask(workspace, 'cluster')).source).toBe('scan');
    expect((await ask(workspace, 'cluster')).source).toBe('index');
    expect(statSync(join(workspace, '.scratchpad')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(workspace, '.scratchpad/.gitignore'), 'utf8')).toBe('*\n');
    expect(indexStatus({ workspace }).state).toBe('sound');
  });

  it('is not made for a workspace without memory', async () => {
    const workspace = workspaceOf({});
    await ask(workspace, 'cluster');
    expect(existsSync(join(workspace, '.scratchpad'))).toBe(false);
  });

  it.each([3, 90])('follows new, changed, renamed, deleted files (%i files)', async (count) => {
    const workspace = await indexed(notes(count));
    const first = 'memory/2026-01-01-0.md';
    write(workspace, 'memory/new.md', '- the zeppelin landed\n');
    expect(shown(await ask(workspace, 'zeppelin'))).toEqual(['memory/new.md:1 the zeppelin landed']);
    renameSync(join(workspace, 'memory/new.md'), join(workspace, 'memory/old.md'));
    expect(shown(await ask(workspace, 'zeppelin'))).toEqual(['memory/old.md:1 the zeppelin landed']);
    appendFileSync(join(workspace, 'MEMORY.md'), '- the zeppelin is green\n');
    expect(shown(await ask(workspace, 'zeppelin green'))[0]).toBe('MEMORY.md:4 the zeppelin is green');
    rmSync(join(workspace, 'memory/old.md'));
    expect(shown(await ask(workspace, 'zeppelin landed')).join()).not.toContain('old.md');
    mkdirSync(join(workspace, 'memory/deep'));
    write(workspace, 'memory/deep/er.md', '- an octopus\n');
    expect(shown(await ask(workspace, 'octopus'))).toEqual(['memory/deep/er.md:1 an octopus']);
    rmSync(join(workspace, 'memory/deep'), { recursive: true });
    expect(shown(await ask(workspace, 'octopus'))).toEqual([]);
    // A line of a file that nobody looks at is still never shown when it is gone.
    writeFileSync(join(workspace, first), '- all is new here\n');
    for (const hit of (await ask(workspace, 'cluster of week 0')).hits) expect(hit.path).not.toBe(first);
    await settle();
    await ask(workspace, 'cluster');
    expect((await ask(workspace, 'cluster')).source).toBe('index');
    expect(indexStatus({ workspace }).state).toBe('sound');
  });

  it('notices an edit that keeps size and time', async () => {
    const workspace = await indexed(notes(90));
    const path = join(workspace, 'memory/2026-01-01-0.md');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('cluster', 'thistle'));
    utimesSync(path, atime, mtime);
    for (const hit of (await ask(workspace, 'cluster of week 0')).hits) {
      expect(readFileSync(join(workspace, hit.path), 'utf8').split('\n')[hit.line - 1]).toContain(hit.text);
    }
    expect((await ask(workspace, 'thistle')).hits[0]?.path).toBe('memory/2026-01-01-0.md');
    for (const { path: at, line, text } of (await ask(workspace, 'thistle')).hits) {
      expect(readFileSync(join(workspace, at), 'utf8').split('\n')[line - 1]).toContain(text);
    }
  });

  it('shows no line of a file that became a link to outside', async () => {
    const workspace = await indexed(notes(90));
    const outside = workspaceOf({ 'x.md': readFileSync(join(workspace, 'memory/2026-01-01-0.md')) });
    rmSync(join(workspace, 'memory/2026-01-01-0.md'));
    symlinkSync(join(outside, 'x.md'), join(workspace, 'memory/2026-01-01-0.md'));
    const found = shown(await ask(workspace, 'cluster of week 0'));
    expect(found.length).toBeGreaterThan(0);
    expect(found.join()).not.toContain('2026-01-01-0.md');
  });

  it('notices any changed byte that it reads, and repairs the index silently', async () => {
    const workspace = await indexed(notes(3));
    const sound = readFileSync(base(workspace));
    const queries = ['cluster of week 1', 'violin 14', 'lemon'];
    const expected = await Promise.all(queries.map(async (text) => shown(await scan(workspace, text))));
    for (let at = 0; at < sound.length; at += 37) {
      const broken = Buffer.from(sound);
      broken[at] = (broken[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(base(workspace), broken);
      expect(indexStatus({ workspace }).state, `byte ${at}`).toBe('broken');
      const which = at % queries.length;
      expect(shown(await ask(workspace, queries[which] ?? '')), `byte ${at}`).toEqual(expected[which]);
    }
    writeFileSync(base(workspace), sound);
    expect(indexStatus({ workspace }).state).toBe('sound');
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('not an index')],
    ['zeros', Buffer.alloc(5000)],
  ])('makes anew an index that is %s', async (_, bytes) => {
    const workspace = await indexed(notes(3));
    writeFileSync(join(workspace, '.scratchpad/index/memory.base'), bytes);
    const answer = await ask(workspace, 'cluster');
    expect(answer.source).toBe('scan');
    expect(answer.hits.length).toBeGreaterThan(0);
    expect((await ask(workspace, 'cluster')).source).toBe('index');
  });

  it('rebuilds an index that was truncated anywhere', async () => {
    const workspace = await indexed(notes(2));
    const sound = readFileSync(base(workspace));
    const expected = shown(await scan(workspace, 'cluster'));
    for (const part of [0.1, 0.3, 0.5, 0.9, 0.999]) {
      writeFileSync(base(workspace), sound.subarray(0, Math.floor(sound.length * part)));
      expect(shown(await ask(workspace, 'cluster'))).toEqual(expected);
    }
  });

  it('works if nothing can be written, or while another process writes', async () => {
    const workspace = workspaceOf({ ...notes(2), '.scratchpad/index': 'a file where the folder should be' });
    expect((await ask(workspace, 'cluster')).hits.length).toBeGreaterThan(0);
    const busy = workspaceOf(notes(2));
    mkdirSync(join(busy, '.scratchpad/index'), { recursive: true });
    const path = join(busy, '.scratchpad/index/memory.lock');
    const lock = tryLock(path);
    const held = readFileSync(path, 'utf8');
    expect((await ask(busy, 'cluster')).source).toBe('scan');
    expect((await ask(busy, 'cluster')).source).toBe('scan');
    lock?.release();
    // The lock of a process that is no more is taken over.
    writeFileSync(path, held.replace(`"pid":${process.pid}`, '"pid":999999999'));
    await ask(busy, 'cluster');
    expect((await ask(busy, 'cluster')).source).toBe('index');
    expect(readdirSync(join(busy, '.scratchpad/index')).sort()).not.toContain('memory.lock');
  });

  it('answers many searches at once while it is made anew', async () => {
    const workspace = await indexed(notes(20));
    const expected = shown(await scan(workspace, 'cluster of week 1'));
    const searches = Array.from({ length: 64 }, async (_, i) => {
      if (i % 8 === 0) rmSync(base(workspace), { force: true });
      if (i % 4 === 0) await updateIndex({ workspace });
      return shown(await ask(workspace, 'cluster of week 1'));
    });
    for (const found of await Promise.all(searches)) expect(found).toEqual(expected);
  });

  it('counts files of any content', async () => {
    const workspace = await indexed({
      ...notes(1),
      'memory/binary.md': Buffer.from([0x23, 0, 1, 2]),
      'memory/latin.md': Buffer.from([0x2d, 0x20, 0x63, 0x61, 0x66, 0xe9, 0x0a]),
      'memory/empty.md': '',
      'memory/big.md': Buffer.alloc(5 * 1024 * 1024, 'word '),
      'memory/long-line.md': 'pumpkin '.repeat(50_000),
    });
    expect(
      shown(await ask(workspace, 'caf')).concat(shown(await ask(workspace, 'café'))),
    ).not.toBeUndefined();
    expect((await ask(workspace, 'pumpkin')).hits[0]?.path).toBe('memory/long-line.md');
    expect(indexStatus({ workspace }).leftOut).toEqual([
      { reason: 'larger than 4 MiB', count: 1 },
      { reason: 'binary', count: 1 },
    ]);
  });
});
