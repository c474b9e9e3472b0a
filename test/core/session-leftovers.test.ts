import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openScratchpad, Sessions } from '../../src/index.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const deadPid = (): number => spawnSync('true').pid;

async function workspace() {
  const root = testDir();
  const pad = await openScratchpad({ workspace: root, session: 'work', env: {} });
  await pad.notes.set('the secret plan');
  await pad.entries.write('a', 'one');
  await pad.entries.write('b', 'two');
  return { root, pad, sessions: new Sessions(root), data: join(root, '.scratchpad') };
}

/** Every file below a folder whose text has these words. */
function filesWith(folder: string, words: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'utf8').includes(words));
}

describe('a fork that fails', () => {
  test('leaves nothing of the child, and can be repeated', async () => {
    const { sessions, data } = await workspace();
    const entries = join(data, 'sessions/work/entries');
    const [content = ''] = readdirSync(entries).filter((name) => name.startsWith('b-'));
    const before = readdirSync(join(data, 'sessions'));
    const bytes = readFileSync(join(entries, content));
    rmSync(join(entries, content));
    await expect(sessions.fork('work', 'child')).rejects.toThrow();
    expect(readdirSync(join(data, 'sessions'))).toEqual(before);
    expect((await sessions.list()).map(({ session }) => session)).toEqual(['work']);
    writeFileSync(join(entries, content), bytes);
    expect(await sessions.fork('work', 'child')).toMatchObject({ entries: 2, parent: 'work' });
  });

  test('that was killed leaves no session, and is cleaned up by the next one', async () => {
    const { root, sessions, data } = await workspace();
    const half = join(data, 'sessions', `.child.${deadPid()}-abcdefgh.tmp`);
    mkdirSync(join(half, 'entries'), { recursive: true });
    writeFileSync(join(half, 'session.json'), '{"session":"child","parent":"work"}');
    expect((await sessions.list()).map(({ session }) => session)).toEqual(['work']);
    expect((await runWarm(['session', 'fork', 'work', 'child'], { cwd: root })).exitCode).toBe(0);
    expect(existsSync(half)).toBe(false);
  });
});

describe('a session that is deleted', () => {
  test('leaves no copy of its words: of damage, of conflicts', async () => {
    const { root, sessions, data } = await workspace();
    const other = await openScratchpad({ workspace: root, session: 'other-work', env: {} });
    for (const session of ['work', 'other-work']) {
      const pad = join(data, `sessions/${session}/SCRATCHPAD.md`);
      if (session === 'other-work') await other.notes.set('the other plan');
      writeFileSync(pad, readFileSync(pad, 'utf8').replace('<!-- /scratchpad:notes -->', ''));
      await runWarm(['notes', 'append', 'x', '-s', session], { cwd: root });
    }
    expect(filesWith(join(data, 'recovered'), 'the secret plan')).toHaveLength(1);
    await sessions.delete('work', { forGood: true });
    expect(filesWith(root, 'the secret plan')).toEqual([]);
    expect(filesWith(join(data, 'recovered'), 'the other plan')).toHaveLength(1);
  });

  test('whose deletion was killed is removed with the next change', async () => {
    const { root, data } = await workspace();
    const half = join(data, `.deleted.${deadPid()}-abcdefgh.tmp`);
    mkdirSync(half);
    writeFileSync(join(half, 'SCRATCHPAD.md'), 'the secret plan');
    await runWarm(['notes', 'append', 'x'], { cwd: root });
    expect(existsSync(half)).toBe(false);
  });
});
