import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  append,
  cut,
  ensureFolder,
  getStats,
  LARGEST,
  list,
  readText,
  remove,
  removeTree,
  tryReadText,
  withLock,
  writeAtomically,
} from '../../../src/base/fs/index.ts';
import { excludeFromGit } from '../../../src/base/git/exclude.ts';
import { findGitPlace } from '../../../src/base/git/place.ts';
import { findWorkspace } from '../../../src/session/workspace.ts';
import { testRepository } from '../../helpers/git.ts';
import { testDir } from '../../helpers/test-dir.ts';

const posix = process.platform !== 'win32';

/** Every way to write a file at a path. */
const WRITERS: Record<string, (path: string) => unknown> = {
  writeAtomically: (path) => writeAtomically(path, 'mine'),
  append: (path) => append(path, 'record', 'mine'),
};

describe.runIf(posix)('links in .scratchpad', () => {
  /** A link at each component of `.scratchpad/a/b/file` in turn, with what it leads to outside. */
  const planted = (): { path: string; outside: string; before: string[] }[] =>
    ['.scratchpad', '.scratchpad/a', '.scratchpad/a/b', '.scratchpad/a/b/file'].map((at) => {
      const outside = testDir({ 'a/b/file': 'theirs', 'b/file': 'theirs', file: 'theirs' });
      const root = testDir();
      const isFile = at.endsWith('file');
      const target = isFile ? join(outside, 'file') : outside;
      const link = join(root, at);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(target, link);
      return { path: join(root, '.scratchpad/a/b/file'), outside, before: everythingIn(outside) };
    });

  test('nothing is read through one, whichever component it is', () => {
    for (const { path } of planted()) {
      expect(() => readText(path, 'record')).toThrow('symbolic link');
      expect(tryReadText(path, 'record')).toBeUndefined();
    }
  });

  test.each(Object.entries(WRITERS))('%s writes nothing through one', (_, write) => {
    for (const { path, outside, before } of planted()) {
      expect(() => write(path)).toThrow('symbolic link');
      expect(everythingIn(outside)).toEqual(before);
    }
  });

  test('nothing is removed, listed, locked or made through one', async () => {
    for (const { path, outside, before } of planted()) {
      const folder = dirname(path);
      if (path.endsWith('file') && statIsLink(path)) {
        expect(remove(path)).toBe(true);
      } else {
        for (const act of [remove, removeTree, list, getStats])
          expect(() => act(join(folder, 'file'))).toThrow('symbolic link');
        expect(() => ensureFolder(join(folder, 'new'))).toThrow('symbolic link');
        await expect(withLock(join(folder, 'lock'), () => 0, 0)).rejects.toThrow('symbolic link');
      }
      expect(everythingIn(outside)).toEqual(before);
    }
  });
});

describe.runIf(posix)('what is not a regular file', () => {
  test('a pipe is refused at once, read or written', () => {
    const path = join(testDir(), 'pipe');
    execFileSync('mkfifo', [path]);
    expect(() => readText(path, 'config')).toThrow('not a regular file');
    for (const write of Object.values(WRITERS)) expect(() => write(path)).toThrow('not a regular file');
  });

  test.runIf(existsSync('/dev/zero'))('a device behind a link is refused', () => {
    const path = join(testDir(), 'zero');
    symlinkSync('/dev/zero', path);
    expect(() => readText(path, 'config')).toThrow('not a regular file');
  });

  test('a folder is refused', () => {
    expect(() => readText(testDir(), 'config')).toThrow('cannot read');
  });
});

test('a file that is larger than its kind allows is not read', () => {
  const path = join(testDir(), 'lock');
  writeFileSync(path, 'x'.repeat(LARGEST.lock));
  expect(readText(path, 'lock')).toHaveLength(LARGEST.lock);
  writeFileSync(path, 'x'.repeat(LARGEST.lock + 1));
  expect(() => readText(path, 'lock')).toThrow('too large');
});

test.runIf(existsSync('/proc/self/status'))(
  'a file whose size the system does not report is read whole',
  () => {
    expect(readText('/proc/self/status', 'system')).toContain('VmRSS');
  },
);

describe.runIf(posix)('within', () => {
  test('a link that stays inside is followed and stays a link, one that leads out is refused', () => {
    const root = testDir({ 'notes/pad.md': 'inside' });
    const outside = testDir({ 'pad.md': 'outside' });
    const pad = join(root, 'SCRATCHPAD.md');
    symlinkSync('notes/pad.md', pad);
    expect(readText(pad, 'pad', { within: root })).toBe('inside');
    writeAtomically(pad, 'new', { within: root });
    expect(readFileSync(join(root, 'notes/pad.md'), 'utf8')).toBe('new');
    const stray = join(root, 'MEMORY.md');
    symlinkSync(join(outside, 'pad.md'), stray);
    expect(() => readText(stray, 'memory', { within: root })).toThrow('leads out');
    expect(() => writeAtomically(stray, 'x', { within: root })).toThrow('leads out');
    const broken = join(root, 'USER.md');
    symlinkSync(join(outside, 'new.md'), broken);
    expect(() => writeAtomically(broken, 'x', { within: root })).toThrow('symbolic link');
    expect(readdirSync(outside)).toEqual(['pad.md']);
  });
});

test('.scratchpad is made for this user alone, and never appears in git', () => {
  const root = testDir();
  ensureFolder(join(root, '.scratchpad/sessions/main'));
  expect(readFileSync(join(root, '.scratchpad/.gitignore'), 'utf8')).toBe('*\n');
  if (posix) {
    for (const at of ['.scratchpad', '.scratchpad/sessions', '.scratchpad/sessions/main'])
      expect(statSync(join(root, at)).mode & 0o777).toBe(0o700);
  }
  expect(readdirSync(root)).toEqual(['.scratchpad']);
});

function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${statSync(path).mtimeMs} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`;
    })
    .sort();
}

function statIsLink(path: string): boolean {
  try {
    return getStats(path)?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

describe.runIf(posix)('what a stranger or a person left', () => {
  test('a .scratchpad made by hand is closed and ignored at the first write, and left alone after that', () => {
    const root = testDir({ '.scratchpad/config.yaml': '' });
    const data = join(root, '.scratchpad');
    chmodSync(data, 0o755);
    ensureFolder(join(data, 'sessions/main'));
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(data, '.gitignore'), 'utf8')).toBe('*\n');
    chmodSync(data, 0o750);
    ensureFolder(join(data, 'sessions/other'));
    expect(statSync(data).mode & 0o777).toBe(0o750);
  });

  test('an exclude file of git that is a link to elsewhere is not written', () => {
    const root = testRepository();
    const elsewhere = testDir({ bashrc: 'mine\n', 'info/exclude': 'theirs\n' });
    const info = join(root, '.git/info');
    const links: [string, string][] = [
      [join(info, 'exclude'), join(elsewhere, 'bashrc')],
      [join(info, 'exclude'), join(elsewhere, 'not-there')],
      [info, join(elsewhere, 'info')],
    ];
    for (const [link, target] of links) {
      rmSync(link, { recursive: true, force: true });
      symlinkSync(target, link);
      excludeFromGit(root, ['SCRATCHPAD.md']);
      expect(existsSync(join(elsewhere, 'not-there'))).toBe(false);
    }
    expect(readFileSync(join(elsewhere, 'bashrc'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(elsewhere, 'info/exclude'), 'utf8')).toBe('theirs\n');
  });

  test('a path of thousands of folders is looked through in no time', () => {
    const deep = `/tmp${'/a'.repeat(8000)}`;
    const before = process.cpuUsage();
    for (let k = 0; k < 20; k += 1) {
      expect(findGitPlace(deep)).toBeUndefined();
      expect(findWorkspace(undefined, {}, deep).exists).toBe(false);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
  });

  test('a link in the place of a file to write is refused in words that fit', () => {
    const root = testDir({ 'real.html': 'x' });
    symlinkSync(join(root, 'real.html'), join(root, 'link.html'));
    expect(() => writeAtomically(join(root, 'link.html'), 'mine')).toThrow(
      'a symbolic link is not written through',
    );
  });
});

test('an append whose text cannot be made after it has cut the file leaves no hole in it', () => {
  const path = join(testDir({ log: 'whole\npartial' }), 'log');
  const repair = ({ fd }: { fd: number }): string => {
    cut(fd, 6);
    throw new Error('no text');
  };
  expect(() => append(path, 'record', repair)).toThrow('no text');
  expect(readFileSync(path, 'utf8')).toBe('whole\n');
});
