import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listTracked } from '../../../src/base/git/index-file.ts';
import { listCommits, listUncommittedFiles } from '../../../src/base/git/now.ts';
import { findGitPlace, type GitPlace } from '../../../src/base/git/place.ts';
import { git, testRepository } from '../../helpers/git.ts';
import { testDir } from '../../helpers/test-dir.ts';

const placeOf = (root: string): GitPlace => findGitPlace(root) as GitPlace;

/** Makes the time of a file another one: git looks at what is in it only then. */
function touch(path: string): void {
  utimesSync(path, new Date(), new Date(Date.now() + 5000));
}

describe('uncommitted files', () => {
  test('are those that git status lists', async () => {
    const names = ['same', 'touched', 'changed', 'grown', 'staged', 'gone', 'dir/staged', 'dir/same'];
    const root = testRepository({ ...Object.fromEntries(names.slice(0, 6).map((name) => [name, 'one\n'])) });
    mkdirSync(join(root, 'dir'));
    for (const name of ['dir/staged', 'dir/same', 'crlf']) writeFileSync(join(root, name), 'one\n');
    writeFileSync(join(root, '.gitignore'), '*.log\n!kept.log\n/dir/out/\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'two');
    for (const [name, text] of [
      ['changed', 'two\n'],
      ['grown', 'one and more\n'],
      ['staged', 'two\n'],
      ['dir/staged', 'two\n'],
      ['new', ''],
      ['a.log', ''],
      ['kept.log', ''],
    ] as const)
      writeFileSync(join(root, name), text);
    mkdirSync(join(root, 'dir/out'));
    writeFileSync(join(root, 'dir/out/x'), '');
    for (const name of ['touched', 'changed', 'dir/staged']) touch(join(root, name));
    expect(await listUncommittedFiles(placeOf(root), ['touched'])).toEqual(new Set());
    git(root, 'rm', '-q', '--cached', 'gone');
    git(root, 'add', 'dir/staged');
    const asked = [
      ...names.filter((name) => name !== 'touched'),
      'new',
      'a.log',
      'kept.log',
      'dir/out/x',
      'missing',
    ];
    const found = await listUncommittedFiles(placeOf(root), asked);
    const status = git(root, 'status', '--porcelain', '-z', '-uall').split('\0').filter(Boolean);
    const listed = new Set(status.map((line) => line.replace(/^..? /, '')));
    expect(found).toEqual(new Set(asked.filter((name) => listed.has(name))));
  });

  test('are none of those that are committed, whatever character their names begin with', async () => {
    const characters = Array.from({ length: 94 }, (_, k) => String.fromCharCode(0x21 + k));
    const names = characters.filter((each) => each !== '/').map((each) => `${each}x/${each}y`);
    const root = testRepository({ 'x.txt': 'x\n' });
    for (const name of names) {
      mkdirSync(join(root, dirname(name)), { recursive: true });
      writeFileSync(join(root, name), 'x\n');
    }
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'two');
    const found = await Promise.all(names.map((name) => listUncommittedFiles(placeOf(root), [name])));
    expect(names.filter((_, k) => found[k]?.size !== 0)).toEqual([]);
    expect(names.filter((name) => listTracked(root, [name]).length === 0)).toEqual([]);
  });

  test('are asked of no program, whatever the configuration names', async () => {
    const root = testRepository({ 'x.txt': 'x\n', '.gitattributes': '*.txt filter=evil\n' });
    const mark = join(root, '../pwned');
    const run = `"sh -c 'touch ${mark}; cat'"`;
    git(root, 'config', '--local', 'core.fsmonitor', `touch ${mark}`);
    for (const section of ['[filter.evil]', '[core][filter "evil"]', '[core][include]'])
      writeFileSync(join(root, '.git/config'), `${section}\n\tclean = ${run}\n\tpath = ../inc\n`, {
        flag: 'a',
      });
    writeFileSync(join(root, 'inc'), `[filter "evil"]\n\tclean = ${run}\n`);
    const bin = testDir({ git: `#!/bin/sh\ntouch ${mark}\n` });
    chmodSync(join(bin, 'git'), 0o755);
    const { PATH } = process.env;
    process.env.PATH = bin;
    touch(join(root, 'x.txt'));
    try {
      expect(await listUncommittedFiles(placeOf(root), ['x.txt'])).toEqual(new Set());
      expect(listCommits(placeOf(root))).toHaveLength(1);
      expect(listTracked(root, ['x.txt'])).toEqual(['x.txt']);
    } finally {
      process.env.PATH = PATH;
    }
    expect(existsSync(mark)).toBe(false);
  });
});

describe('commits', () => {
  test('are those that led to HEAD, and whether they are pushed', () => {
    const root = testRepository();
    const other = join(root, '../other');
    git(root, 'clone', '-q', root, other);
    const commit = (cwd: string, ...more: string[]): string =>
      git(cwd, 'commit', '-q', '--allow-empty', '-m', ...more);
    commit(other, 'one');
    git(other, 'push', '-q', 'origin', 'HEAD:next');
    git(other, 'branch', '-q', '--set-upstream-to', 'origin/next');
    commit(other, 'two');
    commit(other, 'three', '--amend');
    git(other, 'checkout', '-q', '-b', 'aside');
    commit(other, 'lost');
    git(other, 'checkout', '-q', 'main');
    const commits = listCommits(placeOf(other));
    expect(commits.map(({ subject, here, pushed }) => [subject, here, pushed])).toEqual([
      ['three', true, false],
      ['one', true, true],
    ]);
    expect(commits[0]?.sha).toBe(git(other, 'rev-parse', 'HEAD'));
  });
});

describe('what git tracks', () => {
  test('is found in another case only where that is the same file', () => {
    const root = testRepository({ 'Scratchpad.md': 'theirs\n' });
    writeFileSync(join(root, 'SCRATCHPAD.md'), 'mine\n');
    expect(listTracked(root, ['SCRATCHPAD.md'])).toEqual([]);
    const same = testRepository({ 'Scratchpad.md': 'theirs\n' });
    linkSync(join(same, 'Scratchpad.md'), join(same, 'SCRATCHPAD.md'));
    expect(listTracked(same, ['SCRATCHPAD.md'])).toEqual(['SCRATCHPAD.md']);
  });

  test('includes all of a submodule, of a repository inside, and of an index that cannot be read', () => {
    const [root, other] = [testRepository(), testRepository()];
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other, 'sessions');
    expect(listTracked(root, ['sessions/', 'x.txt'])).toEqual(['sessions/', 'x.txt']);
    expect(listTracked(root, ['sessions/deep/x.json'])).toEqual(['sessions/deep/x.json/']);
    const nested = testRepository();
    git(nested, 'clone', '-q', other, 'sessions');
    expect(listTracked(nested, ['sessions/'])).toEqual(['sessions/']);
    writeFileSync(join(nested, '.git/index'), 'DIRC\0\0\0\u0002\0\0\0\u0009');
    expect(listTracked(nested, ['x'])).toEqual(['x']);
  });

  // An archive of a folder carries its index, which is read before anybody has approved the folder.
  test.each([
    [
      'a tree without the end of its line',
      'TREE',
      '\0-1 99\nxxxxx\0yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    ],
    ['a tree without the end of its name', 'TREE', '\0-1 99\nxxxxx'],
  ])('is all of an index with %s, which is read to its end once', (_, name, content) => {
    const root = testRepository({ 'x.txt': 'x\n' });
    const file = join(root, '.git/index');
    const head = Buffer.alloc(4);
    head.writeUInt32BE(content.length);
    const entries = 12 + 72 * readFileSync(file).readUInt32BE(8);
    const bytes = readFileSync(file).subarray(0, entries);
    writeFileSync(
      file,
      Buffer.concat([bytes, Buffer.from(name), head, Buffer.from(content), Buffer.alloc(20)]),
    );
    expect(listTracked(root, ['other'])).toEqual(['other']);
  });

  test('is all of an index whose long name has no end', () => {
    const root = testRepository();
    const bytes = Buffer.alloc(200, 0xff);
    bytes.write('DIRC\0\0\0\u0002\u007f', 'latin1');
    writeFileSync(join(root, '.git/index'), bytes);
    expect(listTracked(root, ['other'])).toEqual(['other']);
  });
});
