import { dirname, join } from 'node:path';
import { structuredPatch } from 'diff';
import { refused } from '../../base/errors.ts';
import {
  type Bounds,
  decodeBytes,
  encodeBytes,
  ensureFolder,
  exists,
  readText,
  realPathOf,
  remove,
  removeIfEmpty,
  tryReadJson,
  writeAtomically,
} from '../../base/fs/index.ts';
import { digest } from '../../base/text/hash.ts';
import { membersOf } from '../../base/text/json.ts';
import { sealOf } from '../../base/trust/seal.ts';

/** A place that holds a text. */
export interface TextPlace {
  /** In a form that encodes back to the same bytes; `undefined` if there is none. */
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** A person's text that an installation changes. */
export interface Target {
  /** The file; if `place` is given, only its name for people. */
  path: string;
  /** Set if the text is not in a file that we may write. */
  place?: TextPlace;
  /**
   * A folder that no link on the way may lead out of: for files of a workspace, which may come with a clone.
   */
  within?: string;
  /** A file that its own program rewrites all the time: no backup is kept, and only our part is removed. */
  rewritten?: true;
  /** The text with our part; unchanged if it already has it. */
  add(text: string | undefined): string;
  /**
   * The text without our part; `undefined` if nothing else is left.
   * @param before what there was before the installation: a rule in it stays, although it is ours in words
   */
  remove(text: string, before?: string): string | undefined;
}

export interface PlannedChange {
  target: Target;
  before: string | undefined;
  after: string | undefined;
}

interface Backup {
  path: string;
  /** The bytes before the installation, base64; `null` if there was no file. */
  before: string | null;
  /** Digest of the text that the installation wrote. */
  after: string;
  /** Directories created for it, outermost first. */
  made: string[];
}

/** What an installation would change. */
export function planInstall(targets: readonly Target[]): PlannedChange[] {
  return targets.map((target) => {
    const before = placeOf(target).read();
    return { target, before, after: target.add(before) };
  });
}

/** Whether our part is present, in any version. */
export function isInstalled(target: Target): boolean {
  const text = placeOf(target).read();
  return text !== undefined && target.remove(text) !== text;
}

/**
 * Writes the changes after backing up each original, so that `undo` restores its bytes. If one of them or
 * `after` fails, everything is rolled back.
 * @throws ScratchpadError `refused` if a text has changed since the plan was made
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
    if (target.rewritten && before !== undefined) continue;
    const known = backups.get(target.path);
    const untouched = known !== undefined && before !== undefined && digest(before) === known.after;
    const original = untouched ? known.before : originalOf(target, before, known);
    const made = untouched ? known.made : target.place ? [] : missingDirs(dirname(target.path));
    backups.set(target.path, { path: target.path, before: original, after: digest(text), made });
  }
  const recorded = readText(record, 'host');
  writeBackups(record, [...backups.values()]);
  const written: PlannedChange[] = [];
  try {
    for (const change of real) {
      written.unshift(change);
      placeOf(change.target).write(change.after ?? '');
    }
    after();
    recordAsWritten(real, backups, record);
  } catch (error) {
    for (const { target, before } of written) {
      putBack(target, before);
      if (before === undefined) removeEmptied(backups.get(target.path));
    }
    putBack({ path: record }, recorded);
    throw error;
  }
}

/** A host that writes its file itself does so in its own words. */
function recordAsWritten(
  changes: readonly PlannedChange[],
  backups: ReadonlyMap<string, Backup>,
  record: string,
): void {
  let differs = false;
  for (const { target, after } of changes) {
    const backup = backups.get(target.path);
    const now = target.place?.read();
    if (backup === undefined || now === undefined || now === after) continue;
    backup.after = digest(now);
    differs = true;
  }
  if (differs) writeBackups(record, [...backups.values()]);
}

/**
 * What an uninstallation would change: the original bytes if nobody has changed the file since, else the file
 * without our part.
 */
export function planUninstall(targets: readonly Target[], record: string): PlannedChange[] {
  const backups = new Map(readBackups(record).map((backup) => [backup.path, backup]));
  return targets.flatMap((target) => {
    const before = placeOf(target).read();
    if (before === undefined) return [];
    const backup = backups.get(target.path);
    const untouched = backup !== undefined && digest(before) === backup.after;
    const original = originalIn(backup);
    const after = untouched
      ? backup.before === null
        ? undefined
        : original
      : target.remove(before, original);
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
  remove(record);
}

/** The lines that differ, with some context, for a person to judge. */
export function showChange({ target, before = '', after = '' }: PlannedChange): string {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 2 });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith('\\'));
  return [target.path, ...lines.map((line) => ` ${line[0]} ${line.slice(1)}`)].join('\n');
}

function placeOf({ path, place, within }: Pick<Target, 'path' | 'place' | 'within'>): TextPlace {
  return place ?? fileAt(path, within === undefined ? {} : { within });
}

/**
 * A file; without `bounds` it is one of the person's own, which are often links into a dotfiles repository.
 */
export function fileAt(path: string, bounds: Bounds = {}): TextPlace {
  return {
    read: () => readText(path, 'host', bounds),
    write(text) {
      ensureFolder(dirname(path), 0o777, bounds);
      const file = bounds.within === undefined ? (realPathOf(path) ?? path) : path;
      writeAtomically(file, text, bounds);
    },
    remove: () => void remove(path),
  };
}

/** A person may take minutes to say yes. */
function checkUnchanged(changes: readonly PlannedChange[]): void {
  for (const { target, before } of changes) {
    if (placeOf(target).read() === before) continue;
    throw refused('the file was changed in the meantime: nothing was written', {
      where: target.path,
      next: 'run the command again and review the change',
    });
  }
}

/** Called after an error, which is the one to report. */
function putBack(target: Pick<Target, 'path' | 'place'>, before: string | undefined): void {
  const place = placeOf(target);
  try {
    if (before !== undefined) place.write(before);
    else if (place.read() !== undefined) place.remove();
  } catch {
    // The first error is reported, as the function's comment says.
  }
}

/** What there was before the installation, empty for no file; `undefined` if nobody knows. */
const originalIn = (backup: Backup | undefined): string | undefined =>
  backup && decodeBytes(Buffer.from(backup.before ?? '', 'base64'));

/**
 * The original for the backup: the bytes as they are, or without an older part of ours that is not in any
 * record.
 */
function originalOf(target: Target, before: string | undefined, known: Backup | undefined): string | null {
  if (before === undefined) return null;
  const clean = target.remove(before, originalIn(known));
  if (clean === undefined) return null;
  return Buffer.from(encodeBytes(clean)).toString('base64');
}

interface BackupRecord {
  backups: string;
  /**
   * Proves that this user wrote the record: one that came with a clone could name any bytes as the original.
   */
  seal: string | undefined;
}

const SEALED = 'install';

function readBackups(record: string): Backup[] {
  const { backups, seal } = membersOf(tryReadJson(record, 'host'));
  if (typeof backups !== 'string' || seal === undefined || seal !== sealOf(SEALED, backups, process.env))
    return [];
  return JSON.parse(backups) as Backup[];
}

function writeBackups(record: string, all: readonly Backup[]): void {
  ensureFolder(dirname(record), 0o700);
  const backups = JSON.stringify(all);
  const content: BackupRecord = { backups, seal: sealOf(SEALED, backups, process.env) };
  writeAtomically(record, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

function missingDirs(dir: string): string[] {
  const missing: string[] = [];
  for (let at = dir; !exists(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  return missing;
}

function removeEmptied(backup: Backup | undefined): void {
  for (const dir of [...(backup?.made ?? [])].reverse()) removeIfEmpty(dir);
}

/** Where the originals of an installation are stored. */
export function recordPath(dir: string, name: string): string {
  return join(dir, 'install', `${name}.json`);
}
