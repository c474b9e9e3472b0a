import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findIndexEntries } from '../../../src/base/git/index-file.ts';
import {
  findGitPlace,
  findMainTop,
  findWorktree,
  forgetGitPlaces,
  type GitPlace,
  readOrigin,
  withGitPlaces,
} from '../../../src/base/git/place.ts';
import { git, testRepository } from '../../helpers/git.ts';
import { testDir } from '../../helpers/test-dir.ts';

describe('where a folder lies in git', () => {
  test('in a repository, below its top, in a linked worktree', () => {
    const root = testRepository();
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    git(root, 'worktree', 'add', '-q', '../side', '-b', 'feat/login');
    const side = join(root, '../side');
    expect(findGitPlace(join(root, 'src/deep'))).toEqual({
      top: root,
      gitDir: join(root, '.git'),
      commonDir: join(root, '.git'),
      branch: 'main',
    });
    expect(findGitPlace(side)).toEqual({
      top: side,
      gitDir: join(root, '.git/worktrees/side'),
      commonDir: join(root, '.git'),
      branch: 'feat/login',
      linked: 'side',
    });
    expect(findGitPlace(testDir())).toBeUndefined();
  });

  test('is looked up anew for a change within an event, after the event, and in the next one', async () => {
    const root = testRepository();
    const checkOut = (branch: string): void =>
      writeFileSync(join(root, '.git/HEAD'), `ref: refs/heads/${branch}\n`);
    const findBranch = (): string | undefined => findGitPlace(root)?.branch;
    await withGitPlaces(async () => {
      expect(findBranch()).toBe('main');
      checkOut('a');
      forgetGitPlaces();
      expect(findBranch()).toBe('a');
    });
    checkOut('b');
    expect(findBranch()).toBe('b');
    await withGitPlaces(async () => void findBranch());
    checkOut('c');
    expect(await withGitPlaces(async () => findBranch())).toBe('c');
  });

  test('the branch of a rebase and of a bisection is the one that it began on', () => {
    const root = testRepository();
    for (const [branch, text] of [
      ['feat', 'feat\n'],
      ['main', 'main\n'],
    ] as const) {
      git(root, 'checkout', '-q', ...(branch === 'feat' ? ['-b'] : []), branch);
      writeFileSync(join(root, 'x.txt'), text);
      git(root, 'commit', '-qam', branch);
    }
    git(root, 'checkout', '-q', 'feat');
    expect(() => git(root, 'rebase', 'main')).toThrow();
    expect(findGitPlace(root)?.branch).toBe('feat');
    git(root, 'rebase', '--abort');
    git(root, 'bisect', 'start', 'HEAD', 'HEAD~1');
    expect(findGitPlace(root)?.branch).toBe('feat');
    git(root, 'bisect', 'reset');
    git(root, 'checkout', '-q', '--detach');
    expect(findGitPlace(root)?.branch).toMatch(/^detached at [\da-f]{7}$/);
  });

  test('a submodule is a repository of its own', () => {
    const [root, other] = [testRepository(), testRepository()];
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other, 'vendor');
    const place = findGitPlace(join(root, 'vendor'));
    expect(place?.top).toBe(join(root, 'vendor'));
    expect(place?.linked).toBeUndefined();
  });
});

describe('the main work tree of a linked worktree', () => {
  test('is found, also where the repository is bare and called .bare', () => {
    const root = testRepository();
    git(root, 'worktree', 'add', '-q', '../side');
    const side = findGitPlace(join(root, '../side'));
    expect(side && findMainTop(side)).toBe(root);
    const main = findGitPlace(root);
    expect(main && findMainTop(main)).toBeUndefined();
    const home = testDir({ 'app/': '' });
    git(home, 'clone', '-q', '--bare', root, 'app/.bare');
    git(join(home, 'app'), '--git-dir=.bare', 'worktree', 'add', '-q', 'main', 'main');
    const tree = findGitPlace(join(home, 'app/main'));
    expect(tree && findMainTop(tree)).toBe(join(home, 'app'));
  });

  test('is a bare repository itself, and the folder of a submodule', () => {
    const root = testRepository();
    const home = testDir();
    git(home, 'clone', '-q', '--bare', root, 'app.git');
    git(home, '--git-dir=app.git', 'worktree', 'add', '-q', 'tree', 'main');
    const tree = findGitPlace(join(home, 'tree'));
    expect(tree && findMainTop(tree)).toBe(join(home, 'app.git'));
    expect(findWorktree(join(home, 'app.git'), 'tree')).toBe(join(home, 'tree'));

    const apart = testDir({ 'main/': '' });
    git(apart, 'clone', '-q', '--separate-git-dir=meta', root, 'main');
    git(join(apart, 'main'), 'worktree', 'add', '-q', '-b', 'side', '../side');
    const beside = findGitPlace(join(apart, 'side'));
    expect(beside && findMainTop(beside)).toBe(join(apart, 'meta'));

    const outer = testRepository();
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'lib');
    git(join(outer, 'lib'), 'worktree', 'add', '-q', '-b', 'side', join(home, 'side'));
    const side = findGitPlace(join(home, 'side'));
    expect(side && findMainTop(side)).toBe(join(outer, 'lib'));

    // The config of a repository may name any folder as its work tree.
    const other = testDir();
    git(join(outer, 'lib'), 'config', 'core.worktree', other);
    expect(side && findMainTop(side)).toBeUndefined();
  });

  test('is not taken from a folder that the repository does not know', () => {
    const root = testRepository();
    git(root, 'worktree', 'add', '-q', '../side');
    const forged = testDir({ '.git': `gitdir: ${join(root, '.git/worktrees/side')}\n` });
    const place = findGitPlace(forged);
    expect(place?.linked).toBe('side');
    expect(place && findMainTop(place)).toBeUndefined();
    renameSync(join(root, '../side'), join(root, '../moved'));
    const moved = findGitPlace(join(root, '../moved'));
    expect(moved && findMainTop(moved)).toBeUndefined();
    git(join(root, '../moved'), 'worktree', 'repair');
    expect(moved && findMainTop(moved)).toBe(root);
  });
});

describe("git's index", () => {
  test.each([
    ['version 2', []],
    ['version 3', ['update-index', '--skip-worktree', 'SCRATCHPAD.md']],
    ['version 4', ['update-index', '--index-version', '4']],
    ['split', ['update-index', '--split-index']],
  ])('%s names content and stage', (_, command) => {
    const root = testRepository({ 'SCRATCHPAD.md': 'pad\n', 'a SCRATCHPAD.md': 'other\n' });
    if (command.length > 0) git(root, ...command);
    const place = findGitPlace(root);
    const id = git(root, 'hash-object', 'SCRATCHPAD.md');
    expect(place && findIndexEntries(place, ['SCRATCHPAD.md'])).toMatchObject([
      { name: 'SCRATCHPAD.md', stage: 0, id },
    ]);
  });

  test('names all sides of a conflict', () => {
    const root = testRepository({ 'SCRATCHPAD.md': 'pad\n' });
    for (const branch of ['one', 'two']) {
      git(root, 'checkout', '-q', '-b', branch, 'main');
      writeFileSync(join(root, 'SCRATCHPAD.md'), `${branch}\n`);
      git(root, 'commit', '-qam', branch);
    }
    expect(() => git(root, 'merge', 'one')).toThrow();
    const place = findGitPlace(root);
    const entries = place && findIndexEntries(place, ['SCRATCHPAD.md']);
    expect(entries?.map(({ stage }) => stage)).toEqual([1, 2, 3]);
  });

  test('of a repository with SHA-256', () => {
    const root = testDir({ 'SCRATCHPAD.md': 'pad\n' });
    git(root, 'init', '-q', '--object-format=sha256');
    git(root, 'add', '-A');
    const place = findGitPlace(root);
    const id = git(root, 'hash-object', 'SCRATCHPAD.md');
    expect(place && findIndexEntries(place, ['SCRATCHPAD.md'])).toMatchObject([{ id }]);
  });
});

test.each([
  ['git@github.com:ada/notes.git', 'github.com/ada/notes'],
  ['https://user:token@GitHub.com:443/ada/notes/', 'github.com/ada/notes'],
  ['HTTPS://github.com/ada/notes', 'github.com/ada/notes'],
  ['ssh://git@[2001:db8::1]/ada/notes.git', '[2001:db8::1]/ada/notes'],
  ['ssh://git@[2001:db8::1]:22/ada/notes.git', '[2001:db8::1]/ada/notes'],
  ['git@[2001:db8::1]:ada/other.git', '[2001:db8::1]/ada/other'],
  ['file:///srv/git/notes.git', undefined],
  ['file://server/git/notes.git', undefined],
  ['C:/repos/notes.git', undefined],
  ['C:\\repos\\notes.git', undefined],
  ['/srv/git/notes.git', undefined],
])('the origin %s is the repository %s on every machine', (url, name) => {
  const root = testRepository();
  git(root, 'remote', 'add', 'origin', url);
  git(root, 'remote', 'add', 'other', 'git@github.com:eve/other.git');
  expect(readOrigin(findGitPlace(root) as GitPlace)).toBe(name);
});

describe('the branch', () => {
  const branchOf = (dir: string): string | undefined => findGitPlace(dir)?.branch;
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
