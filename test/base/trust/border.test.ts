import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { git, testRepository } from '../../helpers/git.ts';
import { minimalEnv, runCli } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

/** Ways in which a stranger's pad comes to where the person's own is, or would be. */

const PAD =
  '# SCRATCHPAD.md\n\n## Notes\n<!-- scratchpad:notes -->\nevil words\n<!-- /scratchpad:notes -->\n';
const CONFIG = 'timezone: Asia/Tokyo\n';

async function cli(cwd: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await runWarm(args, { cwd });
  return stdout + stderr;
}

/** A repository with a pad of one's own, and branch `evil`, which has one too. */
async function withBranch(files: Record<string, string | Buffer>): Promise<string> {
  const root = testRepository();
  await cli(root, 'init');
  await cli(root, 'notes', 'add', 'my own words');
  const other = join(root, '../other');
  git(root, 'clone', '-q', root, other);
  git(other, 'checkout', '-q', '-b', 'evil');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(other, name, '..'), { recursive: true });
    writeFileSync(join(other, name), text);
  }
  git(other, 'add', '-f', '.');
  git(other, 'commit', '-qm', 'evil');
  git(root, 'fetch', '-q', other, 'evil:evil');
  return root;
}

describe('a branch that has a pad', () => {
  test('is neither shown nor written, and leaves nothing behind', async () => {
    const root = await withBranch({ 'SCRATCHPAD.md': PAD, '.scratchpad/config.yaml': CONFIG });
    git(root, 'checkout', '-q', 'evil');
    expect(await cli(root, 'context')).not.toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).not.toContain('Tokyo');
    expect(await cli(root, 'notes', 'add', 'more')).toContain('somebody else');
    git(root, 'checkout', '-q', 'main');
    expect(await cli(root, 'notes')).toBe('my own words\n');
    expect(await cli(root, 'context')).toContain('my own words');
  });

  test('that takes the journal with it does not take what was acknowledged', async () => {
    const root = await withBranch({
      '.scratchpad/sessions/main/journal.jsonl': '{}\n',
      'SCRATCHPAD.md': PAD,
    });
    git(root, 'checkout', '-q', 'evil');
    git(root, 'checkout', '-q', 'main');
    expect(existsSync(join(root, '.scratchpad/sessions/main/journal.jsonl'))).toBe(false);
    expect(await cli(root, 'notes')).toContain('my own words');
    expect(await cli(root, 'notes', 'add', 'more')).toContain('comes back');
    expect(await cli(root, 'notes')).toBe('my own words\nmore\n');
  });

  test('that the person approved is used; another one is not', async () => {
    const root = await withBranch({ 'SCRATCHPAD.md': PAD });
    git(root, 'checkout', '-q', 'evil');
    await cli(root, 'trust');
    expect(await cli(root, 'context')).toContain('evil words');
    git(root, 'checkout', '-q', '-b', 'evil2');
    writeFileSync(join(root, 'SCRATCHPAD.md'), PAD.replace('evil words', 'worse words'));
    git(root, 'commit', '-qam', 'worse');
    git(root, 'checkout', '-q', 'evil');
    git(root, 'checkout', '-q', 'evil2');
    expect(await cli(root, 'context')).not.toContain('worse words');
  });
});

describe('what git left here and tracks no longer', () => {
  const UTF16 = Buffer.from(`\ufeff${PAD}`, 'utf16le');
  const FILES = { 'SCRATCHPAD.md': PAD, '.scratchpad/config.yaml': CONFIG };
  const reset = [
    ['checkout', '-q', 'evil'],
    ['reset', '-q', 'main'],
  ];
  const sp = ['SCRATCHPAD.md', '.scratchpad'];

  test.each<[string, string[][], Record<string, string | Buffer>]>([
    ['reset', reset, FILES],
    ['rm --cached', [['checkout', '-q', 'evil'], ['rm', '-rq', '--cached', ...sp]], FILES], // biome-ignore format: one a line
    ['restore --source', [['restore', '--source=evil', ...sp]], FILES],
    ['a packed object', [...reset, ['repack', '-adq'], ['prune-packed']], FILES],
    ['line endings of Windows', [['config', 'core.autocrlf', 'true'], ...reset], FILES],
    [
      'an expanded $Id$',
      reset,
      { ...FILES, 'SCRATCHPAD.md': `${PAD}$Id$\n`, '.gitattributes': '*.md ident\n' },
    ],
    [
      'another encoding',
      reset,
      { ...FILES, 'SCRATCHPAD.md': UTF16, '.gitattributes': 'SCRATCHPAD.md working-tree-encoding=UTF-16\n' },
    ],
  ])('is not used: %s', async (_, commands, files) => {
    const root = await withBranch(files);
    for (const args of commands) git(root, ...args);
    expect(readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8').replaceAll('\0', '')).toContain('evil words');
    expect(await cli(root, 'context')).not.toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).not.toContain('Tokyo');
    expect(await cli(root, 'notes', 'add', 'more')).toContain('somebody else');

    rmSync(join(root, 'SCRATCHPAD.md'));
    expect(await cli(root, 'notes')).toMatch(/^my own words\nwarning: .*config.yaml: not used/);
  });

  test('is used once the person approves it', async () => {
    const root = await withBranch(FILES);
    for (const args of reset) git(root, ...args);
    await cli(root, 'trust');
    expect(await cli(root, 'context')).toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).toContain('Tokyo');
    await cli(root, 'notes', 'add', 'more');
    expect(await cli(root, 'notes')).toBe('evil words\nmore\n');
  });

  test('a journal, an index of entries and the pad of a session', async () => {
    const stranger = testDir();
    const of = (session: string): string[] => ['--session', session, '--init'];
    await cli(
      stranger,
      'notes',
      'add',
      'evil words, many more than there are in the other journal',
      '--init',
    );
    await cli(stranger, 'notes', 'add', 'evil words again', ...of('main'));
    await cli(stranger, 'notes', 'add', 'evil words of a child', ...of('child'));
    await cli(stranger, 'entry', 'write', 'evil words', 'x');
    const names = [
      'main/journal.jsonl',
      'child/journal.jsonl',
      'child/SCRATCHPAD.md',
      'main/entries/index.json',
    ];
    const paths = names.map((name) => `.scratchpad/sessions/${name}`);
    const root = await withBranch(
      Object.fromEntries(
        paths.map((path) => [
          path,
          readFileSync(join(stranger, path), 'utf8').replace(/"seal":"\w+"/, '"seal":"0"'),
        ]),
      ),
    );
    await cli(root, 'notes', 'add', 'my own child', ...of('child'));
    await cli(root, 'entry', 'write', 'mine', 'my own entry');
    git(root, 'checkout', '-qf', 'evil');
    git(root, 'reset', '-q', 'main');

    expect(await cli(root, 'notes')).toMatch(/^my own words\nwarning: another scratchpad's journal/);
    expect(await cli(root, 'notes', '--session', 'child')).toMatch(
      /^my own child\nwarning: another scratchpad's journal/,
    );
    expect(await cli(root, 'notes', 'add', 'more', '--session', 'child')).toContain('somebody else');
    const entries = await cli(root, 'entry', 'list');
    expect(entries).not.toContain('evil words');
    expect(await cli(root, 'search', 'my own entry')).toContain('my own entry');
  });

  test('an edit by hand and a stash of everything stay the person’s own', async () => {
    const root = await withBranch({ other: '' });
    const pad = join(root, 'SCRATCHPAD.md');
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('my own words', 'my own words, edited'));
    expect(await cli(root, 'context')).toContain('edited');
    await cli(root, 'notes', 'add', 'more');
    await cli(root, 'config', 'set', 'timezone', 'Europe/Berlin');
    git(root, 'stash', '-qa');
    git(root, 'stash', 'pop', '-q');
    expect(await cli(root, 'context')).toContain('edited');
    expect(await cli(root, 'config', 'get', 'timezone')).toContain('Berlin');
    expect(await cli(root, 'entry', 'write', 'mine', 'x')).not.toContain('somebody');
  });
});

test('an agent is shown no entry of a copy, told that it is withheld, and loses none', async () => {
  const made = testDir();
  const agent = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
  await cli(made, 'entry', 'write', 'theirs', 'evil words', '--init');
  await cli(made, 'notes', 'add', 'evil words');
  const cwd = join(testDir(), 'copy');
  cpSync(made, cwd, { recursive: true });

  for (const [args, told] of [
    [['notes'], 'notes is withheld'],
    [['entry', 'list'], 'entries are withheld'],
    [['history'], 'changes are withheld'],
    [['entry', 'read', 'theirs'], 'theirs'],
    [['entry', 'write', 'theirs', 'x', '-s', 'main'], 'theirs'],
    [['search', 'evil'], 'no match'],
  ] as const) {
    const { stdout, stderr } = await runWarm(args, { cwd, env: agent });
    expect(stdout + stderr).toContain(told);
    expect(stdout + stderr).not.toMatch(/evil words|is empty|no entries/);
  }

  expect(await cli(cwd, 'entry', 'read', 'theirs')).toBe('evil words');
});

test('a workspace that was moved is asked about never, and a copy once, also after it was moved', async () => {
  const from = testDir();
  const made = join(from, 'made');
  const isShown = async (cwd: string): Promise<boolean> =>
    (await cli(cwd, 'context')).includes('my own words');
  mkdirSync(made);
  await cli(made, 'notes', 'add', 'my own words', '--init');
  renameSync(made, join(from, 'moved'));
  expect(await isShown(join(from, 'moved'))).toBe(true);

  cpSync(join(from, 'moved'), join(from, 'copy'), { recursive: true });
  expect(await isShown(join(from, 'copy'))).toBe(false);
  await cli(join(from, 'copy'), 'trust');
  renameSync(join(from, 'copy'), join(from, 'again'));
  expect(await isShown(join(from, 'again'))).toBe(true);
  await cli(join(from, 'again'), 'trust', '--revoke');
  expect(await isShown(join(from, 'again'))).toBe(false);
});

test('another folder at the path of an approved workspace is not approved, and the one that comes back is', async () => {
  const top = testDir();
  const [at, theirs] = [join(top, 'at'), join(top, 'theirs')];
  for (const folder of [at, theirs]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'SCRATCHPAD.md'), PAD);
    // Folders are told apart by their births, and the clock of a file system ticks every few milliseconds.
    await setTimeout(20);
  }
  await cli(at, 'trust');
  expect(await cli(at, 'context')).toContain('evil words');

  renameSync(at, join(top, 'mine'));
  renameSync(theirs, at);
  expect(await cli(at, 'context')).not.toContain('evil words');
  renameSync(at, theirs);
  renameSync(join(top, 'mine'), at);
  expect(await cli(at, 'context')).toContain('evil words');
});

test('drafts that a killed process left beside the pad, or a stranger put there, go with the next change', async () => {
  const root = testDir();
  await cli(root, 'notes', 'add', 'one', '--init');
  const drafts = [
    join(root, '.SCRATCHPAD.md.4194399-abc.tmp'),
    join(root, '.scratchpad/sessions/main/.journal.jsonl.4194399-abc.tmp'),
  ];
  const other = join(root, '.notes.txt.4194399-abc.tmp');
  for (const path of [...drafts, other]) writeFileSync(path, 'x');
  await cli(root, 'notes', 'add', 'two');
  expect([...drafts, other].map((path) => existsSync(path))).toEqual([false, false, true]);
});

/** Removes every trace of a branch from a repository. */
function forget(root: string, branch: string): void {
  git(root, 'checkout', '-q', 'main');
  git(root, 'branch', '-qD', branch);
  git(root, 'reflog', 'expire', '--expire=now', '--all');
  rmSync(join(root, '.git/FETCH_HEAD'), { force: true });
  rmSync(join(root, '.git/ORIG_HEAD'), { force: true });
  git(root, 'gc', '-q', '--prune=now');
}

describe('where git has no trace of it any more', () => {
  test('a pad that a command or a hook saw while it had one stays withheld', async () => {
    const root = await withBranch({ 'SCRATCHPAD.md': PAD, '.scratchpad/config.yaml': CONFIG });
    git(root, 'checkout', '-q', 'evil');
    await cli(root, 'context');
    git(root, 'reset', '-q', 'main');
    forget(root, 'evil');

    expect(await cli(root, 'context')).not.toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).not.toContain('Tokyo');
    expect(await cli(root, 'notes', 'add', 'more')).toContain('somebody else');
    rmSync(join(root, 'SCRATCHPAD.md'));
    expect(await cli(root, 'notes')).toContain('my own words');
    writeFileSync(join(root, 'SCRATCHPAD.md'), PAD);
    await cli(root, 'trust');
    expect(await cli(root, 'context')).toContain('evil words');
  });

  test("a stranger's journal takes the place of nothing, nor the pad that came with it", async () => {
    const stranger = testDir();
    await cli(
      stranger,
      'notes',
      'add',
      'evil words, many more than there are in the other journal',
      '--init',
    );
    const names = ['SCRATCHPAD.md', '.scratchpad/sessions/main/journal.jsonl'];
    const root = await withBranch(
      Object.fromEntries(names.map((name) => [name, readFileSync(join(stranger, name))])),
    );
    git(root, 'checkout', '-qf', 'evil');
    git(root, 'reset', '-q', 'main');
    forget(root, 'evil');

    expect(await cli(root, 'context')).toContain('my own words');
    expect(await cli(root, 'context')).not.toContain('evil words');
    expect(await cli(root, 'notes', 'add', 'more')).toContain('somebody else');
    rmSync(join(root, 'SCRATCHPAD.md'));
    expect(await cli(root, 'notes', 'add', 'more')).toMatch(
      /yours is back, and the other is kept in \.scratch/,
    );
    expect(await cli(root, 'notes')).toBe('my own words\nmore\n');
    const [kept = ''] = readdirSync(join(root, '.scratchpad/recovered'));
    expect(readFileSync(join(root, '.scratchpad/recovered', kept), 'utf8')).toContain('evil words');
  });
});

test('a journal that is copied over ours is kept beside it, and what was acknowledged is back', async () => {
  const root = testRepository();
  await cli(root, 'notes', 'add', 'my own words', '--init');
  const theirs = testDir();
  await cli(theirs, 'notes', 'add', 'evil words', '--init');
  cpSync(join(theirs, '.scratchpad/sessions'), join(root, '.scratchpad/sessions'), { recursive: true });
  expect(await cli(root, 'notes')).toMatch(/^my own words\nwarning: another scratchpad's journal/);
  expect(await cli(root, 'notes', 'add', 'two')).toContain('yours is back');
  expect(await cli(root, 'notes')).toBe('my own words\ntwo\n');

  const [kept = ''] = readdirSync(join(root, '.scratchpad/recovered'));
  await cli(root, 'session', 'restore', '--from', join('.scratchpad/recovered', kept));
  expect(await cli(root, 'notes')).toContain('evil words');
});

test('copies in a folder of git that was unpacked over a pad are not used', async () => {
  const root = testDir();
  await cli(root, 'init');
  const theirs = testRepository();
  await cli(theirs, 'notes', 'add', 'evil words', '--init');
  cpSync(join(theirs, '.git'), join(root, '.git'), { recursive: true });
  expect(await cli(root, 'context')).not.toContain('evil words');
  expect(await cli(root, 'notes', 'add', 'mine')).not.toContain('back');
  expect(await cli(root, 'notes')).toBe('mine\n');
});

test('a copy that could not be written for a while does not put an old journal back', async () => {
  const root = testRepository();
  await cli(root, 'notes', 'add', 'one', '--init');
  const copy = join(root, '.git/scratchpad/top/main.jsonl');
  const old = readFileSync(copy);
  await cli(root, 'notes', 'add', 'two');
  writeFileSync(copy, old);
  expect(await cli(root, 'notes')).toBe('one\ntwo\n');
  expect(await cli(root, 'notes', 'add', 'three')).not.toContain('back');
});

test('a copy that is a link to that of another repository is not read', async () => {
  const root = testRepository();
  await cli(root, 'init');
  const other = testRepository();
  await cli(other, 'notes', 'add', 'words of another project', '--init');
  mkdirSync(join(root, '.git/scratchpad/top'), { recursive: true });
  rmSync(join(root, '.git/scratchpad/top/main.jsonl'), { force: true });
  symlinkSync(join(other, '.git/scratchpad/top/main.jsonl'), join(root, '.git/scratchpad/top/main.jsonl'));
  expect(await cli(root, 'notes')).not.toContain('another project');
  expect(await cli(root, 'history')).not.toContain('another project');
});

test('a .git file that claims to be a linked worktree of another repository leads to no file of that one', async () => {
  const victim = testRepository();
  await cli(victim, 'notes', 'add', 'words of another project', '--init');
  const exclude = readFileSync(join(victim, '.git/info/exclude'), 'utf8');
  const root = testDir();
  const files = {
    '.git': `gitdir: ${join(root, 'x')}\n`,
    'x/HEAD': 'ref: refs/heads/main\n',
    'x/commondir': join(victim, '.git'),
    'x/gitdir': join(root, '.git'),
  };
  rmSync(join(root, '.scratchpad'), { recursive: true, force: true });
  mkdirSync(join(root, 'x'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  expect(await cli(root, 'notes')).not.toContain('another project');
  await cli(root, 'notes', 'add', 'evil words', '--init');
  expect(await cli(victim, 'notes')).toBe('words of another project\n');
  expect(readFileSync(join(victim, '.git/info/exclude'), 'utf8')).toBe(exclude);
});

test('a pad that the person adds to git by hand stays their own', async () => {
  const root = testRepository();
  await cli(root, 'notes', 'add', 'my own words', '--init');
  git(root, 'add', '-f', 'SCRATCHPAD.md');
  git(root, 'commit', '-qm', 'mine');
  expect(await cli(root, 'context')).toContain('my own words');
});

describe('what git takes away', () => {
  test.each([
    ['clean', ['clean', '-qxfd']],
    ['stash', ['stash', '-qa']],
  ])('comes back after git %s', async (_, args) => {
    const root = testRepository();
    mkdirSync(join(root, 'inner'));
    writeFileSync(join(root, 'inner/y'), '');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'inner');
    for (const cwd of [root, join(root, 'inner')]) {
      await cli(cwd, 'init');
      await cli(cwd, 'notes', 'add', 'my own words');
      await cli(cwd, 'notes', 'add', 'of a child', '--session', 'child', '--init');
    }
    git(root, ...args);
    for (const cwd of [root, join(root, 'inner')]) {
      expect(existsSync(join(cwd, 'SCRATCHPAD.md'))).toBe(false);
      expect(await cli(cwd, 'context')).toContain('my own words');
      expect(await cli(cwd, 'notes', 'add', 'more')).toContain('comes back');
      expect(await cli(cwd, 'notes')).toBe('my own words\nmore\n');
      expect(await cli(cwd, 'notes', '--session', 'child')).toBe('of a child\n');
      expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('my own words\nmore\n');
    }
  });

  test('also if an older journal was put in its place', async () => {
    const root = testRepository();
    await cli(root, 'notes', 'add', 'one', '--init');
    const journal = join(root, '.scratchpad/sessions/main/journal.jsonl');
    const old = readFileSync(journal);
    await cli(root, 'notes', 'add', 'two');
    rmSync(join(root, 'SCRATCHPAD.md'));
    writeFileSync(journal, old);
    expect(await cli(root, 'notes')).toContain('one\ntwo\n');
  });

  test('is not what the person deleted', async () => {
    const root = testRepository();
    await cli(root, 'notes', 'add', 'one', '--init');
    await cli(root, 'session', 'delete', 'main', '--yes');
    expect(await cli(root, 'notes')).not.toContain('one');
    await cli(root, 'session', 'restore', 'main');
    expect(await cli(root, 'notes')).toContain('one');
  });
});

describe('without git', () => {
  test('an archive is not shown until the person has said yes, once', async () => {
    const made = testDir();
    await cli(made, 'init');
    await cli(made, 'notes', 'add', 'evil words');
    writeFileSync(join(made, '.scratchpad/config.yaml'), CONFIG);
    const root = join(testDir(), 'archive');
    cpSync(made, root, { recursive: true });
    for (const command of [['context'], ['notes', 'add', 'found it'], ['context']])
      expect(await cli(root, ...command)).not.toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).not.toContain('Tokyo');
    expect(await cli(root, 'init')).not.toContain('created');
    expect(await cli(root, 'context')).not.toContain('evil words');
    await cli(root, 'trust');
    expect(await cli(root, 'context')).toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).toContain('Tokyo');
  });

  test('one in the place of a workspace that was deleted is not its own', async () => {
    const root = join(testDir(), 'work');
    mkdirSync(root);
    await cli(root, 'init');
    rmSync(root, { recursive: true });
    mkdirSync(root);
    writeFileSync(join(root, 'SCRATCHPAD.md'), PAD);
    expect(await cli(root, 'context')).not.toContain('evil words');
    // A person may make a workspace of a text of their own.
    await cli(root, 'init');
    expect(await cli(root, 'context')).toContain('evil words');
  });
});

describe('a clone', () => {
  test('with a submodule called .scratchpad is not shown', async () => {
    const made = testDir();
    await cli(made, 'init');
    await cli(made, 'notes', 'add', 'evil words');
    const data = join(made, '.scratchpad');
    rmSync(join(data, '.gitignore'));
    writeFileSync(join(data, 'config.yaml'), CONFIG);
    git(data, 'init', '-q', '-b', 'main');
    git(data, 'add', '-Af');
    git(data, 'commit', '-qm', 'data');
    const root = testRepository();
    git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', data, '.scratchpad');
    expect(await cli(root, 'context')).not.toContain('evil words');
    expect(await cli(root, 'config', 'get', 'timezone')).not.toContain('Tokyo');
  });

  test('with names in another case is not shown where that is the same file', async () => {
    const root = testRepository({ 'Scratchpad.md': PAD });
    linkSync(join(root, 'Scratchpad.md'), join(root, 'SCRATCHPAD.md'));
    expect(await cli(root, 'context')).not.toContain('evil words');
  });

  test('whose .git is a file that names another repository: nothing is written there', async () => {
    const victim = testRepository();
    const before = readFileSync(join(victim, '.git/info/exclude'), 'utf8');
    const root = testDir({ '.git': `gitdir: ${join(victim, '.git')}\n` });
    await cli(root, 'init', '--tracked');
    await cli(root, 'notes', 'add', 'x');
    expect(readFileSync(join(victim, '.git/info/exclude'), 'utf8')).toBe(before);
    expect(existsSync(join(victim, '.git/scratchpad'))).toBe(false);
    expect(readFileSync(join(victim, '.git/config'), 'utf8')).not.toContain('scratchpad');
  });
});

test('stores of objects that borrow from themselves are walked once', async () => {
  const root = testRepository();
  await cli(root, 'init');
  const [pad, info] = [join(root, 'SCRATCHPAD.md'), join(root, '.git/objects/info')];
  writeFileSync(pad, readFileSync(pad, 'utf8').replace('notes -->', 'notes -->\nby hand'));
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, 'alternates'), '.\n../objects\n'.repeat(60));
  expect(await cli(root, 'context')).toContain('by hand');
});

test('an approval holds for no other branch where the branch is not known', async () => {
  const root = testRepository({ 'SCRATCHPAD.md': PAD });
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/.invalid\n');
  await cli(root, 'trust');
  expect(await cli(root, 'context')).toContain('evil words');
  writeFileSync(join(root, 'SCRATCHPAD.md'), PAD.replace('evil words', 'worse words'));
  git(
    root,
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${git(root, 'hash-object', '-w', 'SCRATCHPAD.md').trim()},SCRATCHPAD.md`,
  );
  expect(await cli(root, 'context')).not.toContain('worse words');
});

test('a plan stays with its branch when that is renamed, not with a new one of the old name', async () => {
  const root = testRepository();
  git(root, 'checkout', '-q', '-b', 'task');
  await cli(root, 'init');
  await cli(root, 'plan', 'set', '1. Round the totals');
  git(root, 'branch', '-m', 'fix/totals');
  expect(await cli(root, 'plan')).toContain('Round the totals');
  git(root, 'branch', 'task');
  expect(await cli(root, 'plan')).toContain('Round the totals');
  git(root, 'checkout', '-q', 'task');
  expect(await cli(root, 'plan')).not.toMatch(/^1\. Round/);
});

test('the first write in a linked work tree goes to the main one', async () => {
  const root = testRepository();
  git(root, 'worktree', 'add', '-q', '../side');
  const side = join(root, '../side');
  await runWarm(['notes', 'add', 'kept'], { cwd: side, env: { SCRATCHPAD_INIT: '1' } });
  expect(existsSync(join(side, 'SCRATCHPAD.md'))).toBe(false);
  git(root, 'worktree', 'remove', side);
  expect(await cli(root, 'notes')).toContain('kept');
});

test('commands that are the first of a user, at once, make one key: no pad of theirs is withheld', async () => {
  const env = { ...minimalEnv(), XDG_STATE_HOME: testDir() };
  const folders = Array.from({ length: 8 }, () => testDir());
  await Promise.all(folders.map((cwd) => runCli(['note', 'my own words'], { cwd, env })));
  const notes = await Promise.all(folders.map((cwd) => runWarm(['notes'], { cwd, env })));
  expect(notes.map(({ stdout }) => stdout)).toEqual(folders.map(() => 'my own words\n'));
});
