import { basename, dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { attempt } from '../errors.ts';
import {
  append,
  ensureFolder,
  getLinkStats,
  isInside,
  readText,
  resolveRealPath,
  sweepTemporary,
  walkUpward,
  writeAtomically,
} from '../fs/index.ts';
import { listTracked } from './index-file.ts';
import { findGitPlace, isAcceptedWorkTree, readGitConfig } from './place.ts';

/** The clone's own ignore file (`info/exclude`); `undefined` outside a work tree, and for a link to elsewhere. */
export function findExcludeFile(root: string): string | undefined {
  const place = findGitPlace(root);
  if (place === undefined || !isAcceptedWorkTree(place)) return undefined;

  const file = join(place.commonDir, 'info', 'exclude');
  const real = resolveRealPath(file);
  // Writing through a broken link would create a file at its target.
  if (real === undefined && getLinkStats(file)?.isSymbolicLink()) return undefined;

  const repository = resolveRealPath(place.commonDir) ?? place.commonDir;
  return isInside(repository, real ?? resolveRealPath(dirname(file)) ?? file) ? file : undefined;
}

/**
 * Keeps files of a folder out of commits through `info/exclude`, which belongs to this clone only, so that a mood is
 * never committed by accident. Tracked files stay tracked. If `info/exclude` cannot be written, git sees the files.
 * @param names of files in the folder; a name that ends in `/` is a folder
 */
export function excludeFromGit(root: string, names: readonly string[]): void {
  const place = findGitPlace(root);
  const file = findExcludeFile(root);
  if (place === undefined || file === undefined) return;

  const tracked = listTracked(root, names);
  const lines = names
    .filter((name) => !tracked.some((path) => path === name || (name.endsWith('/') && path.startsWith(name))))
    .map((name) => `${excludeLine(place.top, join(root, name))}${name.endsWith('/') ? '/' : ''}`);
  attempt(() => {
    ensureFolder(dirname(file));
    sweepTemporary(dirname(file));
    addLines(file, lines);
  });
}

/** The line of a `.gitignore` that makes git see a file again, such as `!*.md`. Ignores lines about folders. */
export function findReadmission(path: string): { file: string; line: string } | undefined {
  const top = findGitPlace(dirname(path))?.top;

  for (const folder of walkUpward(dirname(path))) {
    const file = join(folder, '.gitignore');
    const lines = (attempt(() => readText(file, 'git')) ?? '').split(/\r?\n/);
    const line = lines.findLast((each) => {
      const pattern = ignore({ ignorecase: false }).add(each.replace(/^!/, ''));
      return pattern.ignores(basename(path));
    });
    if (line !== undefined) return line.startsWith('!') ? { file, line } : undefined;
    if (folder === top || top === undefined) return undefined;
  }

  return undefined;
}

/** The line of an exclude file for a path; `undefined` if it lies outside the work tree. */
export function excludeLine(top: string, path: string): string | undefined {
  const parts = relative(top, path).split(sep);
  return parts[0] === '..'
    ? undefined
    : `/${parts.map((part) => part.replace(/[\\*?[\] !#]/g, '\\$&')).join('/')}`;
}

const DRIVER = 'scratchpad';
const SECTION = `[merge "${DRIVER}"]`;

/**
 * Makes git merge a file with our command: a line in `.gitattributes`, which is committed, and the command in
 * the clone's own config, which is not.
 * @param command a shell command, to which git appends the three versions
 */
export function trackWithDriver(path: string, command: string): void {
  const place = findGitPlace(dirname(path));
  if (place === undefined || !isAcceptedWorkTree(place)) return;

  addLines(join(dirname(path), '.gitattributes'), [`${basename(path)} merge=${DRIVER}`]);

  if (!readGitConfig(place).includes(SECTION)) {
    const quoted = `${command} %O %A %B`.replace(/["\\]/g, '\\$&');
    const section = `${SECTION}\n\tname = the spaces of a scratchpad\n\tdriver = "${quoted}"\n`;
    append(join(place.commonDir, 'config'), 'git', section);
  }

  const file = findExcludeFile(dirname(path));
  const before = file && readText(file, 'git');
  const after = before?.split('\n').filter((line) => line !== excludeLine(place.top, path));
  if (file && after && after.join('\n') !== before) writeAtomically(file, after.join('\n'));
}

function addLines(path: string, lines: readonly string[]): void {
  const before = readText(path, 'git') ?? '';
  const present = new Set(before.split(/\r?\n/));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return;

  const lineEnd = before === '' || before.endsWith('\n') ? '' : '\n';
  append(path, 'git', `${lineEnd}${missing.join('\n')}\n`);
}
