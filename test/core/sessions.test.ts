import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openScratchpad, type Scratchpad, Sessions } from '../../src/index.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

async function parent(): Promise<{
  root: string;
  sessions: Sessions;
  open: (session: string) => Promise<Scratchpad>;
}> {
  const root = testDir();
  const open = (session: string): Promise<Scratchpad> =>
    openScratchpad({ workspace: root, session, env: {} });
  const pad = await open('main');
  await pad.notes.set('findings');
  await pad.plan.set('1. Fix');
  await pad.refs.add('a.ts');
  await pad.entries.write('schema', 'create table');
  await pad.entries.write('rows', 'a,b');
  return { root, sessions: new Sessions(root), open };
}

describe('fork', () => {
  test('copies spaces and entries; parent and child are independent after that', async () => {
    const { sessions, open } = await parent();
    expect(await sessions.fork('main', 'sub_abc')).toMatchObject({
      session: 'sub_abc',
      parent: 'main',
      entries: 2,
    });
    const [main, child] = [await open('main'), await open('sub_abc')];
    expect([await child.notes.read(), await child.plan.read(), await child.refs.list()]).toEqual([
      'findings',
      '1. Fix',
      ['a.ts'],
    ]);
    await child.notepad.append('mine');
    await child.entries.edit('rows', { oldString: 'a', newString: 'z' });
    await main.entries.delete('schema');
    await main.notes.set('changed');
    expect(await child.notes.read()).toBe('findings\nmine');
    expect((await child.entries.read('schema')).content).toBe('create table');
    expect((await main.entries.read('rows')).content).toBe('a,b');
    expect((await child.entries.read('rows')).content).toBe('z,b');
  });

  test('from a session that is not there, or to one that is, is refused', async () => {
    const { sessions } = await parent();
    await expect(sessions.fork('nobody', 'x')).rejects.toMatchObject({ kind: 'refused' });
    await sessions.fork('main', 'x');
    await expect(sessions.fork('main', 'x')).rejects.toMatchObject({ kind: 'refused' });
    await expect(sessions.fork('x', 'main')).rejects.toMatchObject({ kind: 'refused' });
    await expect(sessions.fork('main', '')).rejects.toMatchObject({ kind: 'usage' });
  });
});

describe('spawn', () => {
  test('starts empty; with copyNotepad it has the notes and nothing else', async () => {
    const { sessions, open } = await parent();
    await sessions.spawn('main', 'empty');
    await sessions.spawn('main', 'noted', { copyNotepad: true });
    const [empty, noted] = [await open('empty'), await open('noted')];
    expect([await empty.notes.read(), await empty.entries.list()]).toEqual(['', []]);
    expect([await noted.notepad.read(), await noted.plan.read(), await noted.refs.list()]).toEqual([
      'findings',
      '',
      [],
    ]);
  });

  test('inherit lends entries read-only', async () => {
    const { sessions, open } = await parent();
    await sessions.spawn('main', 'sub', { inherit: ['schema'] });
    const child = await open('sub');
    expect(await child.entries.list()).toMatchObject([
      { name: 'schema', readOnly: true, origin: 'lent by main' },
    ]);
    expect((await child.entries.search('schema', 'table')).matches).toBe(1);
    const refused = { kind: 'refused', message: expect.stringContaining('lent') };
    await expect(child.entries.write('schema', 'x')).rejects.toMatchObject(refused);
    await expect(child.entries.write('schema', 'x', { append: true })).rejects.toMatchObject(refused);
    await expect(child.entries.edit('schema', { content: 'x' })).rejects.toMatchObject(refused);
    await expect(child.entries.delete('schema')).rejects.toMatchObject(refused);
    await expect(child.entries.rename('schema', 'y')).rejects.toMatchObject(refused);
    await child.entries.write('mine', await child.entries.bytes('schema'));
    await child.entries.edit('mine', { content: 'x' });
    await (await open('main')).entries.write('schema', 'drop table');
    expect((await child.entries.read('schema')).content).toBe('create table');
    await expect(sessions.spawn('main', 'other', { inherit: ['nope'] })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect((await sessions.list()).map(({ session }) => session)).not.toContain('other');
  });
});

describe('archive, delete, list', () => {
  test('a deleted session takes its entries with it; its children keep theirs', async () => {
    const { root, sessions, open } = await parent();
    await sessions.fork('main', 'a');
    await sessions.fork('a', 'b');
    await sessions.delete('a', { forGood: true });
    expect((await sessions.list()).map(({ session }) => session).sort()).toEqual(['b', 'main']);
    expect(readdirSync(join(root, '.scratchpad/sessions')).sort()).toEqual(['b', 'main']);
    expect((await (await open('b')).entries.read('rows')).content).toBe('a,b');
    await expect(sessions.delete('a')).rejects.toMatchObject({ kind: 'refused' });
    await sessions.delete('main', { forGood: true, primary: true });
    expect(existsSync(join(root, 'SCRATCHPAD.md'))).toBe(false);
  });

  test('a deleted session can be brought back; the primary one is not deleted by its name alone', async () => {
    const { root, sessions, open } = await parent();
    await sessions.fork('main', 'a');
    await sessions.delete('a');
    await sessions.bringBack('a');
    expect((await (await open('a')).entries.read('rows')).content).toBe('a,b');
    await expect(sessions.delete('main')).rejects.toMatchObject({ kind: 'refused' });
    expect(existsSync(join(root, 'SCRATCHPAD.md'))).toBe(true);
    await sessions.delete('main', { primary: true });
    await sessions.bringBack('main');
    expect(existsSync(join(root, 'SCRATCHPAD.md'))).toBe(true);
  });

  test('an archived session is gone with everything in it, and its id is free', async () => {
    const { sessions } = await parent();
    await sessions.fork('main', 'Odd id: 1');
    expect((await sessions.list()).map(({ session }) => session)).toContain('Odd id: 1');
    const path = await sessions.archive('Odd id: 1');
    expect(readdirSync(path).sort()).toEqual(['SCRATCHPAD.md', 'entries', 'journal.jsonl', 'session.json']);
    await sessions.spawn('main', 'Odd id: 1');
    expect(await sessions.info('Odd id: 1')).toMatchObject({ entries: 0, primary: false });
  });

  test('prune archives what nobody has changed for 30 days, never the primary session', async () => {
    const { root, sessions, open } = await parent();
    for (const id of ['old', 'older', 'busy', 'fresh']) await sessions.fork('main', id);
    const aged = (session: string, days: number): void => {
      const at = Date.now() / 1000 - days * 86_400;
      const dir = join(root, '.scratchpad/sessions', session);
      const files = [`${dir}/SCRATCHPAD.md`, `${dir}/journal.jsonl`, `${dir}/entries/index.json`];
      for (const file of files)
        utimesSync(session === 'main' && file.endsWith('.md') ? join(root, 'SCRATCHPAD.md') : file, at, at);
    };
    for (const [id, days] of [
      ['old', 31],
      ['older', 40],
      ['busy', 31],
      ['fresh', 29],
      ['main', 99],
    ] as const)
      aged(id, days);
    await (await open('busy')).entries.write('new', 'x');
    const dry = await runWarm(['session', 'prune', '--dry-run', '--json'], { cwd: root });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      dryRun: true,
      archived: [
        { session: 'older', archive: null },
        { session: 'old', archive: null },
      ],
    });
    const done = await runWarm(['session', 'prune'], { cwd: root });
    expect([done.exitCode, done.stderr]).toEqual([0, 'archived:\n']);
    expect(done.stdout).toMatch(/^\d{4}-\d\d-\d\d {2}older {2}.*archive.older-.*\n.* old {2}.*\n$/);
    expect((await sessions.list()).map(({ session }) => session).sort()).toEqual(['busy', 'fresh', 'main']);
    expect(await sessions.prune({ olderThanMs: 28 * 86_400_000 })).toMatchObject([{ session: 'fresh' }]);
    const none = await runWarm(['session', 'prune'], { cwd: root });
    expect([none.stdout, none.stderr]).toEqual(['no session has been idle that long\n', '']);
    expect((await runWarm(['session', 'prune', '--older-than', 'soon'], { cwd: root })).exitCode).toBe(2);
  });

  test('by command', async () => {
    const { root: cwd } = await parent();
    await runWarm(['session', 'spawn', 'main', 'sub', '--copy-notepad', '--inherit', 'schema', 'rows'], {
      cwd,
    });
    expect((await runWarm(['session', 'list'], { cwd })).stdout).toMatch(
      / sub {2}\(from main, 2 entries\)\n.* main {2}\(primary, 2 entries\)/,
    );
    expect((await runWarm(['session', 'delete', 'sub'], { cwd })).exitCode).toBe(0);
    const gone = await runWarm(['session', 'fork', 'sub', 'x'], { cwd });
    expect([gone.exitCode, gone.stderr]).toEqual([1, expect.stringContaining('no such session')]);
    expect((await runWarm(['notes', 'replace', 'findings', 'facts'], { cwd })).stdout).toBe(
      'replaced: findings -> facts\nnotes: 5 of 4,000 characters\n',
    );
    const tool = await runWarm(['tool', 'scratchpad_read'], { cwd, input: '{"name":"nope"}' });
    expect([tool.exitCode, JSON.parse(tool.stdout).error.kind]).toEqual([1, 'refused']);
    const good = await runWarm(['tool', 'read_notepad'], { cwd });
    expect(JSON.parse(good.stdout)).toEqual({ content: 'facts' });
    const bad = await runWarm(['tool', 'read_notepad'], { cwd, input: '{' });
    expect([bad.exitCode, JSON.parse(bad.stdout).error.message]).toEqual([
      2,
      expect.stringContaining('was called with invalid arguments'),
    ]);
  });
});
