import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileEntries } from '../../src/entries/file-entries.ts';
import { openScratchpad, Sessions } from '../../src/index.ts';
import { getSessionPaths } from '../../src/session/workspace.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const DAY = 86_400_000;

describe('a session that is deleted', () => {
  test("can be restored completely: its pad, its entries, and a person's text outside the spaces", async () => {
    const cwd = testDir();
    const run = (...args: string[]) => runWarm(args, { cwd });
    await run('notes', 'set', 'found it', '-s', 'work');
    await run('entry', 'write', 'log', 'long text', '-s', 'work');
    const pad = join(cwd, '.scratchpad/sessions/work/SCRATCHPAD.md');
    writeFileSync(pad, `${readFileSync(pad, 'utf8')}\nby hand\n`);
    const deleted = await run('session', 'delete', 'work');
    expect(existsSync(pad)).toBe(false);
    const back = /restore with: scratchpad (.+)/.exec(deleted.stdout)?.[1];
    expect(back).toBe('session restore work');
    expect((await run('session', 'restore', 'work')).exitCode).toBe(0);
    expect(readFileSync(pad, 'utf8')).toContain('by hand');
    expect((await run('notes', 'show', '-s', 'work')).stdout).toBe('found it\n');
    expect((await run('entry', 'read', 'log', '-s', 'work')).stdout).toBe('long text');
    const again = await run('session', 'restore', 'work');
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      expect.stringContaining('a session with that id exists'),
    ]);
  });

  test('is found by the beginning of its id, as for the other verbs, and never by half of a number', async () => {
    const cwd = testDir();
    const run = (...args: string[]) => runWarm(['session', ...args], { cwd });
    const [one, two] = ['7c1f0a52-0000-4000-8000-000000000001', '7c1f0a53-0000-4000-8000-000000000001'];
    await runWarm(['notes', 'set', 'shared'], { cwd });
    for (const id of [one, two, 'trial-10']) await run('spawn', 'main', id);

    expect((await run('fork', '7c1f0a52', 'copy')).exitCode).toBe(0);
    expect((await run('spawn', 'trial-', 'child')).exitCode).toBe(0);
    const ambiguous = await run('archive', '7c1f0a');
    expect([ambiguous.exitCode, ambiguous.stderr]).toEqual([2, expect.stringContaining('several sessions')]);
    expect((await run('archive', '7c1f0a52')).stdout).toContain(`session restore ${one}`);
    expect((await run('restore', '7c1f0a52')).stdout).toContain(`restored: ${one}`);
    expect((await run('delete', '7c1f0a53')).stdout).toContain(`deleted: ${two}`);
    expect((await run('delete', 'trial-1')).stderr).toContain('no such session');
    expect((await run('delete', 'trial-', '--for-good')).stderr).toContain('no such session');
    const left = JSON.parse((await run('list', '--json')).stdout) as { session: string }[];
    expect(left.map(({ session }) => session).sort()).toEqual([one, 'child', 'copy', 'main', 'trial-10']);
  });

  test('is not the primary one, unless that is confirmed', async () => {
    const cwd = testDir();
    const run = (...args: string[]) => runWarm(args, { cwd });
    await run('notes', 'set', 'shared');
    const pad = join(cwd, 'SCRATCHPAD.md');
    writeFileSync(pad, `${readFileSync(pad, 'utf8')}\nby hand\n`);
    const before = readFileSync(pad, 'utf8');
    const refused = await run('session', 'delete', 'main');
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--yes')]);
    expect(readFileSync(pad, 'utf8')).toBe(before);
    expect((await run('session', 'delete', 'main', '--yes')).exitCode).toBe(0);
    expect(existsSync(pad)).toBe(false);
    expect((await run('session', 'restore', 'main')).exitCode).toBe(0);
    expect(readFileSync(pad, 'utf8')).toBe(before);
  });

  test('is kept for as long as the settings say; nothing of it if deleted for good', async () => {
    const cwd = testDir();
    let now = Date.parse('2026-02-06T10:00:00Z');
    const sessions = new Sessions(cwd, { now: () => now, archiveMs: 30 * DAY });
    const make = (id: string) => runWarm(['notes', 'set', `words of ${id}`, '-s', id], { cwd });
    await make('old');
    await sessions.archive('old');
    now += 31 * DAY;
    await make('new');
    await sessions.archive('new');
    expect(readdirSync(join(cwd, '.scratchpad/archive'))).toEqual([expect.stringMatching(/^new-/)]);
    await make('new');
    await runWarm(['session', 'delete', 'new', '--for-good'], { cwd });
    expect(readdirSync(join(cwd, '.scratchpad/archive'))).toEqual([]);
    expect(await runWarm(['session', 'restore', 'new'], { cwd })).toMatchObject({ exitCode: 1 });
  });
});

describe('an entry', () => {
  const entriesIn = (root: string) => new FileEntries(getSessionPaths(root, 'main'));
  const text = async (entries: FileEntries, name: string) => (await entries.read(name)).content;
  /** Files with the content of an entry, or of a past version of one. */
  const contentsIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (one) => one.isFile() && !['index.json', 'lock'].includes(one.name),
    );

  test('that was overwritten or deleted can be restored, and so can what replaced it', async () => {
    const cwd = testDir();
    const run = (...args: string[]) => runWarm(['entry', ...args], { cwd });
    await run('write', 'a', 'first');
    await run('write', 'a', 'second');
    await run('undelete', 'a');
    expect((await run('read', 'a')).stdout).toBe('first');
    await run('undelete', 'a');
    expect((await run('read', 'a')).stdout).toBe('second');
    expect((await run('delete', 'a')).stdout).toContain('restore with: scratchpad entry undelete a');
    expect((await run('list', '--past')).stdout).toMatch(/a {2}\(5 bytes\)\n.*a {2}\(6 bytes\)/);
    await run('undelete', 'a');
    expect((await run('read', 'a')).stdout).toBe('second');
    await run('delete', 'a', '--for-good');
    expect(await run('undelete', 'a')).toMatchObject({ exitCode: 1 });
    expect(contentsIn(join(cwd, '.scratchpad/sessions/main/entries'))).toEqual([]);
  });

  test('that was overwritten many times can be restored to an earlier version', async () => {
    const cwd = testDir();
    const run = (...args: string[]) => runWarm(['entry', ...args], { cwd });
    for (const words of ['first', 'second', 'third']) await run('write', 'a', words);
    const far = await run('undelete', 'a', '--back', '3');
    expect([far.exitCode, far.stderr]).toEqual([1, expect.stringContaining('a number from 1 to 2')]);
    await run('undelete', 'a', '--back', '2');
    expect((await run('read', 'a')).stdout).toBe('first');
  });

  test('keeps its last five versions, whatever changed it', async () => {
    const root = testDir();
    const entries = entriesIn(root);
    for (let n = 0; n <= 9; n += 1) await entries.write('a', `version ${n}`);
    expect((await entries.past()).map(({ name }) => name)).toEqual(['a', 'a', 'a', 'a', 'a']);
    await entries.edit('a', { oldString: 'version 9', newString: 'edited' });
    await entries.write('b', 'other');
    await entries.rename('b', 'a', { force: true });
    expect(await text(entries, 'a')).toBe('other');
    await entries.undelete('a');
    expect(await text(entries, 'a')).toBe('edited');
    // Contents on the disk: five versions and the present one.
    expect(contentsIn(entries.dir)).toHaveLength(6);
  });

  test('larger than all that is kept can be restored as long as it is the newest', async () => {
    const entries = entriesIn(testDir());
    // Builds before the limit stored larger entries.
    await entries.write('big', 'x');
    const [{ file } = { file: '' }] = entries.index().entries;
    truncateSync(join(entries.dir, file), 65 * 1024 * 1024);
    const path = join(entries.dir, 'index.json');
    const index = readFileSync(path, 'utf8');
    expect(index).toContain('"bytes":1,');
    writeFileSync(path, index.replace('"bytes":1,', `"bytes":${65 * 1024 * 1024},`));
    await entries.delete('big');
    expect(await entries.list()).toEqual([]);
    await entries.write('small', 'x');
    await entries.undelete('big');
    expect((await entries.list()).map(({ name }) => name)).toEqual(['small', 'big']);
  });
});

test('what was deleted can still be deleted for good, each name or none', async () => {
  const cwd = testDir();
  const run = (...args: string[]) => runWarm(['entry', ...args], { cwd });
  await run('write', 'log', 'text');
  await run('delete', 'log');
  expect((await run('delete', 'log', 'none', '--for-good')).exitCode).toBe(1);
  expect((await run('list', '--past')).stdout).toContain('log');
  expect((await run('delete', 'log', '--for-good')).stdout).toBe('deleted: log\n');
  expect((await run('list', '--past')).stdout).not.toContain('log');
});

test('undo says that it takes back no entry, where an entry was what changed last', async () => {
  const cwd = testDir();
  const run = (...args: string[]) => runWarm(args, { cwd });
  await run('notes', 'set', 'one');
  await run('entry', 'write', 'log', 'text');
  await run('entry', 'delete', 'log');
  const undone = await run('undo');
  expect(undone.stderr).toContain('entries are not undone; the last one back: scratchpad entry undelete log');
});

test('who writes an entry over another is told what it held, and how that comes back', async () => {
  const cwd = testDir();
  const run = (...args: string[]) => runWarm(args, { cwd });
  expect((await run('entry', 'write', 'my log', 'first')).stdout).toBe('my log: 5 characters (5 bytes)\n');
  const over = 'in place of 5 characters; restore with: scratchpad entry undelete "my log"';
  expect((await run('entry', 'write', 'my log', 'two')).stdout).toBe(
    `my log: 3 characters (3 bytes), ${over}\n`,
  );
  await run('entry', 'undelete', 'my log');
  expect((await run('entry', 'read', 'my log')).stdout).toBe('first');
  // What is added, or changed on purpose, replaces nothing.
  for (const words of [
    ['write', 'my log', '!', '--append'],
    ['edit', 'my log', '--content', 'first'],
  ])
    expect((await run('entry', ...words)).stdout).not.toContain('in place of');

  const input = JSON.stringify({ name: 'my log', content: 'tool' });
  const tool = await runWarm(['tool', 'scratchpad_write'], { cwd, input });
  expect(JSON.parse(tool.stdout)).toMatchObject({
    characters: 4,
    former: { characters: 5, origin: 'write' },
  });
  expect((await run('run', '--scratchpad', 'my log', 'echo', 'hi')).stderr).toContain(
    'kept as my log, in place of 4 ',
  );

  const pad = await openScratchpad({ workspace: cwd });
  const stored = await pad.entries.keep('from the library', { name: 'my log' });
  expect(stored.entry?.former).toMatchObject({ characters: 3 });
  expect((await pad.entries.write('my log', 'again')).former).toMatchObject({ origin: 'output' });
});
