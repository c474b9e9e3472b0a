import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

/** What need not survive a power cut: caches, locks, drafts, and records that are made again. */
const NOT_KEPT = /\.tmp$|\/cache(?:\/|$)|lock|\.seal$|\/written$|\/index(?:\/|$)|\.gitignore$/;

/** Folders in which a name changed after they were last flushed, when a command says that it is done. */
async function unflushed(cwd: string, env: Record<string, string>, ...args: string[]): Promise<string[]> {
  const [opened, changed] = [new Map<unknown, string>(), new Map<string, string>()];
  const change = (path: unknown): void => {
    if (typeof path === 'string' && path.startsWith(cwd) && !NOT_KEPT.test(path))
      changed.set(dirname(path), path.slice(cwd.length));
  };
  const onCall = (call: string, [one, two]: readonly unknown[], result: unknown): void => {
    if (call === 'openSync') opened.set(result, String(one));
    if (call === 'fsyncSync') changed.delete(opened.get(one) ?? '');
    if (call === 'mkdirSync') change(one);
    if (call === 'renameSync' || call === 'linkSync') change(two);
    if (call === 'renameSync') {
      for (const folder of [...changed.keys()]) if (folder.startsWith(String(one))) changed.delete(folder);
    }
  };
  const { exitCode, stderr } = await runWarm(args, { cwd, env, onCall });
  expect([args, exitCode, stderr]).toEqual([args, 0, expect.anything()]);
  return [...changed.values()];
}

describe('before a command says that it is done, the folder of every new name is flushed', () => {
  test('from the first write to a session that was deleted and restored', async () => {
    const top = testDir({ 'home/x': '', 'work/x': '' });
    const cwd = join(top, 'work');
    const env = { HOME: join(top, 'home'), XDG_STATE_HOME: join(top, 'home/state') };
    for (const args of [
      ['notes', 'add', 'x', '--init'],
      ['entry', 'write', 'e', 'x'],
      ['entry', 'write', 'e', 'y'],
      ['entry', 'rename', 'e', 'f'],
      ['entry', 'delete', 'f'],
      ['entry', 'undelete', 'f'],
      ['session', 'fork', 'main', 'child'],
      ['session', 'spawn', 'main', 'sub', '--inherit', 'f'],
      ['session', 'archive', 'sub'],
      ['session', 'delete', 'child'],
      ['session', 'restore', 'child'],
      ['session', 'delete', 'main', '--yes'],
      ['session', 'restore', 'main'],
      ['plan', 'add', 'x', '--session', 'new', '--init'],
      ['feedback', 'too verbose'],
      ['config', 'set', 'feedback.notice', 'on'],
    ])
      expect([args, await unflushed(cwd, env, ...args)]).toEqual([args, []]);
  });
});
