import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '../errors.ts';
import { decodeBytes, encodeBytes } from '../pad/bytes.ts';
import { draftFile, ioError } from '../session/files.ts';
import { digest } from '../session/journal.ts';

/** A file of a person that an installation changes. */
export interface Target {
  path: string;
  /** The text with our part in it, the same text when it has it already. */
  add(text: string | undefined): string;
  /** The text without our part; `undefined` when nothing is left that anybody needs. */
  remove(text: string): string | undefined;
}

export interface PlannedChange {
  target: Target;
  before: string | undefined;
  after: string | undefined;
}

interface Backup {
  path: string;
  /** The bytes before the installation, base64; `null` when there was no file. */
  before: string | null;
  /** Digest of the text that the installation wrote. */
  after: string;
  /** Directories made for it, outermost first. */
  made: string[];
}

/** What an installation would change. */
export function planInstall(targets: readonly Target[]): PlannedChange[] {
  return targets.map((target) => {
    const before = textOf(target.path);
    return { target, before, after: target.add(before) };
  });
}

/** Writes the changes, each original kept first, so that `undo` gives its bytes back. */
export function applyInstall(changes: readonly PlannedChange[], record: string): void {
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  for (const { target, before, after } of changes) {
    if (after === undefined || after === before) continue;
    const known = backups.get(target.path);
    const untouched = known !== undefined && before !== undefined && digest(before) === known.after;
    const original = untouched ? known.before : originalOf(target, before, known !== undefined);
    const made = untouched ? known.made : missingDirs(dirname(target.path));
    backups.set(target.path, { path: target.path, before: original, after: digest(after), made });
  }
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
  draftFile(record, `${JSON.stringify([...backups.values()])}\n`).commit();
  for (const { target, before, after } of changes) {
    if (after === undefined || after === before) continue;
    try {
      mkdirSync(dirname(target.path), { recursive: true });
    } catch (error) {
      throw ioError(error, 'cannot create', dirname(target.path));
    }
    draftFile(behindLinks(target.path), after).commit();
  }
}

/** What taking an installation back would change: the kept bytes where nobody changed the file since, else without our part. */
export function planUninstall(targets: readonly Target[], record: string): PlannedChange[] {
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  return targets.flatMap((target) => {
    const before = textOf(target.path);
    if (before === undefined) return [];
    const backup = backups.get(target.path);
    const untouched = backup !== undefined && digest(before) === backup.after;
    const after = untouched
      ? backup.before === null
        ? undefined
        : decodeBytes(Buffer.from(backup.before, 'base64'))
      : target.remove(before);
    return [{ target, before, after }];
  });
}

export function applyUninstall(changes: readonly PlannedChange[], record: string): void {
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  for (const { target, before, after } of changes) {
    if (after === before) continue;
    if (after !== undefined) draftFile(behindLinks(target.path), after).commit();
    else {
      unlinkSync(target.path);
      for (const dir of [...(backups.get(target.path)?.made ?? [])].reverse()) removeIfEmpty(dir);
    }
  }
  try {
    unlinkSync(record);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw ioError(error, 'cannot remove', record);
  }
}

/** The lines that differ, with a little around them, for a person to judge. */
export function showChange({ target, before = '', after = '' }: PlannedChange): string {
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const room = Math.min(old.length, now.length) - head;
  while (tail < room && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return [
    target.path,
    ...old.slice(Math.max(0, head - 2), head).map((line) => `   ${line}`),
    ...old.slice(head, old.length - tail).map((line) => ` - ${line}`),
    ...now.slice(head, now.length - tail).map((line) => ` + ${line}`),
    ...now.slice(now.length - tail, now.length - tail + 2).map((line) => `   ${line}`),
  ].join('\n');
}

/** A file's text in a form that encodes back to the same bytes; `undefined` when there is none. */
export function textOf(path: string): string | undefined {
  try {
    return decodeBytes(readFileSync(path));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
}

/** The original for the backup: bytes as they are, or without an older part of ours that no record tells of. */
function originalOf(target: Target, before: string | undefined, edited: boolean): string | null {
  if (before === undefined) return null;
  const clean = edited || target.remove(before) !== before ? target.remove(before) : before;
  if (clean === undefined) return null;
  return Buffer.from(encodeBytes(clean)).toString('base64');
}

/** Settings are often links into a repository of them: the link stays. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readBackups(record: string): Backup[] {
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as Backup[];
  } catch {
    return [];
  }
}

function missingDirs(dir: string): string[] {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Somebody keeps something in it.
  }
}

/** Where the originals of an installation are kept. */
export function recordPath(dir: string, name: string): string {
  return join(dir, 'install', `${name}.json`);
}
