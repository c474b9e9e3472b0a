import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import { decodeBytes, encodeBytes } from '../pad/bytes.ts';
import { draftFile, ioError } from '../session/files.ts';
import { digest } from '../session/journal.ts';

/** Where a text lies. */
export interface Place {
  /** In a form that encodes back to the same bytes; `undefined` when there is none. */
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** A text of a person that an installation changes. */
export interface Target {
  /** The file; where `place` is given, what people call it. */
  path: string;
  /** Where the text is not in a file that we may write. */
  place?: Place;
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
    const before = placeOf(target).read();
    return { target, before, after: target.add(before) };
  });
}

/** Whether our part is there, in whatever form. */
export function isInstalled(target: Target): boolean {
  const text = placeOf(target).read();
  return text !== undefined && target.remove(text) !== text;
}

/**
 * Writes the changes, each original kept first, so that `undo` gives its bytes back. When one
 * of them fails, or `after` does, all is as it was.
 * @throws ScratchpadError `refused` when a text is not any more what the plan was made from
 */
export function applyInstall(
  changes: readonly PlannedChange[],
  record: string,
  after: () => void = () => undefined,
): void {
  const real = changes.filter((change) => change.after !== undefined && change.after !== change.before);
  checkUnchanged(real);
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  for (const { target, before, after: text = '' } of real) {
    const known = backups.get(target.path);
    const untouched = known !== undefined && before !== undefined && digest(before) === known.after;
    const original = untouched ? known.before : originalOf(target, before, known !== undefined);
    const made = untouched ? known.made : target.place ? [] : missingDirs(dirname(target.path));
    backups.set(target.path, { path: target.path, before: original, after: digest(text), made });
  }
  const recorded = textOf(record);
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
  draftFile(record, `${JSON.stringify([...backups.values()])}\n`).commit();
  const written: PlannedChange[] = [];
  try {
    for (const change of real) {
      written.unshift(change);
      placeOf(change.target).write(change.after ?? '');
    }
    after();
  } catch (error) {
    for (const { target, before } of written) {
      putBack(target, before);
      if (before === undefined) removeEmptied(backups.get(target.path));
    }
    putBack({ path: record }, recorded);
    throw error;
  }
}

/** What taking an installation back would change: the kept bytes where nobody changed the file since, else without our part. */
export function planUninstall(targets: readonly Target[], record: string): PlannedChange[] {
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  return targets.flatMap((target) => {
    const before = placeOf(target).read();
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
  const real = changes.filter(({ before, after }) => after !== before);
  checkUnchanged(real);
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  for (const { target, after } of real) {
    const place = placeOf(target);
    if (after !== undefined) place.write(after);
    else {
      place.remove();
      removeEmptied(backups.get(target.path));
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

function placeOf({ path, place }: Pick<Target, 'path' | 'place'>): Place {
  return place ?? fileAt(path);
}

function fileAt(path: string): Place {
  return {
    read: () => textOf(path),
    write(text) {
      try {
        mkdirSync(dirname(path), { recursive: true });
      } catch (error) {
        throw ioError(error, 'cannot create', dirname(path));
      }
      draftFile(behindLinks(path), text).commit();
    },
    remove: () => unlinkSync(path),
  };
}

/** A person may take minutes over a yes. */
function checkUnchanged(changes: readonly PlannedChange[]): void {
  for (const { target, before } of changes) {
    if (placeOf(target).read() === before) continue;
    throw new ScratchpadError('refused', 'it was changed in the meantime: nothing was written', {
      where: target.path,
      next: 'run the command again and look at the change',
    });
  }
}

/** After a failure, which is what is told. */
function putBack(target: Pick<Target, 'path' | 'place'>, before: string | undefined): void {
  const place = placeOf(target);
  try {
    if (before !== undefined) place.write(before);
    else if (place.read() !== undefined) place.remove();
  } catch {
    // As said above.
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

function removeEmptied(backup: Backup | undefined): void {
  for (const dir of [...(backup?.made ?? [])].reverse()) removeIfEmpty(dir);
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
