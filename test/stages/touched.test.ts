import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitPlace } from '../../src/base/git/place.ts';
import { touchedFiles } from '../../src/stages/active.ts';
import type { Message } from '../../src/transcript/types.ts';
import { testDir } from '../helpers/test-dir.ts';

const branchOf = (dir: string): string | undefined => gitPlace(dir)?.branch;
const call = (tool: string, content: string): Message => ({
  id: '1',
  role: 'tool',
  tool,
  content,
  session: 's',
});
const paths = (...calls: Message[]): string[] =>
  touchedFiles(calls, ['/w', '/home/me/app']).map(({ path, edited }) => (edited ? `${path} *` : path));

describe('files touched', () => {
  test('changed before read, newest first, each once, relative to where the work is', () => {
    expect(
      paths(
        call('Read', '{"file_path":"/w/src/a.ts"}'),
        call('Edit', '{"file_path":"/w/src/b.ts","old_string":"x"}'),
        call('read', '{"path":"/home/me/app/docs/theme.md"}'),
        call('Read', '{"file_path":"/home/me/play/rooms.yaml"}'),
        call('Read', '{"file_path":"/w/src/b.ts"}'),
      ),
    ).toEqual(['src/b.ts *', '~/play/rooms.yaml', 'docs/theme.md', 'src/a.ts']);
  });

  test('patches and commands', () => {
    expect(
      paths(
        call(
          'apply_patch',
          '*** Begin Patch\n*** Update File: src/teams/route.ts\n@@\n-x\n*** Add File: src/new.ts\n',
        ),
        call('shell', '{"command":["bash","-lc","apply_patch <<EOF\\n*** Update File: src/c.ts\\n@@"]}'),
        call('exec', '{"command":"sed -n 1,5p ./src/d.ts > /dev/null; curl https://x.example/y/z.sh"}'),
        call('exec', '{"command":"npm test"}'),
      ),
    ).toEqual(['src/d.ts *', 'src/c.ts *', 'src/teams/route.ts *', 'src/new.ts *']);
  });

  test('what a tool gave back names no file of ours', () => {
    expect(paths(call('bash', 'src/a.ts:1: "path": "/w/src/a.ts"\nsrc/b.ts'))).toEqual([]);
    expect(paths(call('list', '{"path":"/w/src"}'))).toEqual([]);
  });
});

describe('branch', () => {
  const commit = '3f'.repeat(20);
  test('of a repository, of a folder inside it, of a worktree, of a detached head', () => {
    const dir = testDir({
      'repo/.git/HEAD': 'ref: refs/heads/feat/dashboard\n',
      'repo/packages/a/x': '',
      'repo/.git/worktrees/side/HEAD': 'ref: refs/heads/side\n',
      'side/.git': 'gitdir: ../repo/.git/worktrees/side\n',
      'loose/.git/HEAD': `${commit}\n`,
    });
    expect(branchOf(join(dir, 'repo'))).toBe('feat/dashboard');
    expect(branchOf(join(dir, 'repo/packages/a'))).toBe('feat/dashboard');
    expect(branchOf(join(dir, 'side'))).toBe('side');
    expect(branchOf(join(dir, 'loose'))).toBe('detached at 3f3f3f3');
  });

  test('what is no HEAD is no branch', () => {
    for (const text of ['', 'ref: refs/tags/v1', 'x'.repeat(5000), '\0']) {
      const dir = testDir({ '.git/HEAD': text });
      mkdirSync(join(dir, 'a'));
      writeFileSync(join(dir, 'a/.git'), 'gitdir: nowhere');
      expect(branchOf(join(dir, 'a'))).toBeUndefined();
    }
  });
});
