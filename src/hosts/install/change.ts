import { basename, dirname, join } from 'node:path';
import { structuredPatch } from 'diff';
import { attempt, refusal } from '../../base/errors.ts';
import {
  type Bounds,
  decodeBytes,
  decodeLossless,
  encodeBytes,
  ensureFolder,
  exists,
  readText,
  refuseEncoding,
  remove,
  removeIfEmpty,
  resolveRealPath,
  stateFolder,
  sweepTemporary,
  tryReadJson,
  walkUpward,
  writeAtomically,
} from '../../base/fs/index.ts';
import { toMembers } from '../../base/text/json.ts';
import { detectEol, digestText } from '../../base/text/strings.ts';
import { computeSeal } from '../../base/trust/index.ts';

export interface TextPlace {
  /** The text, in a form that encodes back to the same bytes; `undefined` if there is none. */
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

export interface Target {
  /** The file; if `place` is given, only its name for people. */
  path: string;
  /** Describes our part for a person who is asked to confirm; one or more lines. */
  about?: string;
  /** Set if the text is not in a file that we may write. */
  place?: TextPlace;
  /** A folder that no link may lead out of: files of a workspace may come with a clone. */
  within?: string;
  /** A file that its own program rewrites all the time: no backup is kept, and only our part is removed. */
  rewritten?: true;
  /** The text with our part; unchanged if it already has it. */
  add(text: string | undefined): string;
  /**
   * The text without our part; `undefined` if nothing else is left.
   * @param before the text before the installation: a rule in it stays, also one that is the same as ours
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
  /** Folders that the installation made. */
  made: string[];
}

export const planInstall = (targets: readonly Target[]): PlannedChange[] =>
  targets.map((target) => {
    const before = resolvePlace(target).read();
    return { target, before, after: target.add(before) };
  });

export function isInstalled(target: Target): boolean {
  const text = resolvePlace(target).read();
  return text !== undefined && target.remove(text) !== text;
}

/**
 * Writes the changes after backing up each original, so that an uninstallation restores its bytes. If a change or
 * `finish` fails, everything is rolled back.
 * @param record the file for the backups
 * @throws ScratchpadError `refused` if a text has changed since the plan was made
 */
export function applyInstall(
  changes: readonly PlannedChange[],
  record: string,
  finish: () => void = () => undefined,
): void {
  const pending = changes.filter(({ before, after }) => after !== undefined && after !== before);
  assertUnchanged(pending);
  const oldRecord = readText(record, 'host');
  const backups = readBackups(record);

  for (const change of pending)
    if (!change.target.rewritten || change.before === undefined)
      backups.set(change.target.path, makeBackup(change, backups.get(change.target.path)));
  writeBackups(record, backups);

  const begun: PlannedChange[] = [];
  try {
    for (const change of pending) {
      begun.unshift(change);
      resolvePlace(change.target).write(change.after ?? '');
    }

    finish();
    keepTexts(pending);
  } catch (error) {
    for (const { target, before } of begun) {
      putBack(target, before);
      if (before === undefined) removeEmptied(backups.get(target.path));
    }

    putBack({ path: record }, oldRecord);
    throw error;
  }
}

/** Writes texts again that the host's own commands have reformatted, so that an uninstallation restores the bytes. */
export function keepTexts(changes: readonly PlannedChange[]): void {
  for (const { target, after = '' } of changes)
    if (!target.rewritten && resolvePlace(target).read() !== after) resolvePlace(target).write(after);
}

/** A backup of the text before the first installation; without an older part of ours that no backup knows. */
function makeBackup({ target, before, after = '' }: PlannedChange, earlier: Backup | undefined): Backup {
  const made = target.place ? [] : listMissingFolders(dirname(target.path));
  const written = { path: target.path, after: digestText(after) };
  if (before === undefined) return { ...written, before: null, made };
  if (earlier?.after === digestText(before))
    return { ...written, before: earlier.before, made: earlier.made };

  const clean = target.remove(before, readOriginal(earlier));

  return { ...written, before: clean === undefined ? null : encodeBytes(clean).toString('base64'), made };
}

/** Plans to restore the original bytes if nobody has changed a file since, else to remove our part. */
export function planUninstall(targets: readonly Target[], record: string): PlannedChange[] {
  const backups = readBackups(record);
  return targets.flatMap((target) => {
    const before = resolvePlace(target).read();
    if (before === undefined) return [];

    const backup = backups.get(target.path);
    const original = readOriginal(backup);
    if (backup?.after !== digestText(before))
      return [{ target, before, after: target.remove(before, original) }];

    return [{ target, before, after: backup.before === null ? undefined : original }];
  });
}

export function applyUninstall(changes: readonly PlannedChange[], record: string): void {
  const pending = changes.filter(({ before, after }) => after !== before);
  assertUnchanged(pending);
  const backups = readBackups(record);
  for (const { target, after } of pending) {
    const place = resolvePlace(target);
    if (after !== undefined) place.write(after);
    else {
      place.remove();
      removeEmptied(backups.get(target.path));
    }
  }

  remove(record);
}

export function showChange({ target, before = '', after = '' }: PlannedChange): string {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 2 });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith('\\'));
  return [target.path, ...lines.map((line) => ` ${line[0]} ${line.slice(1)}`)].join('\n');
}

const resolvePlace = ({ path, place, within }: Pick<Target, 'path' | 'place' | 'within'>): TextPlace =>
  place ?? makeFilePlace(path, within === undefined ? {} : { within });

/** A file as a place. Without `bounds` it is a person's own, which is often a link into a dotfiles repository. */
const makeFilePlace = (path: string, bounds: Bounds): TextPlace => ({
  read: () => readText(path, 'host', bounds),
  write(text) {
    ensureFolder(dirname(path), 0o777, bounds);
    sweepTemporary(dirname(path), (target) => target === basename(path));
    const file = bounds.within === undefined ? (resolveRealPath(path) ?? path) : path;
    writeAtomically(file, text, bounds);
  },
  remove: () => void remove(path),
});

/** Refuses if a text has changed since the plan: a person may take minutes to confirm. */
function assertUnchanged(changes: readonly PlannedChange[]): void {
  for (const { target, before } of changes) {
    if (resolvePlace(target).read() === before) continue;
    throw refusal('the file was changed in the meantime: nothing was written', {
      where: target.path,
      next: 'run the command again and review the change',
    });
  }
}

function putBack(target: Pick<Target, 'path' | 'place'>, before: string | undefined): void {
  const place = resolvePlace(target);
  // The error that caused the roll-back is the one to report.
  attempt(() => {
    if (before !== undefined) place.write(before);
    else if (place.read() !== undefined) place.remove();
  });
}

const readOriginal = (backup: Backup | undefined): string | undefined =>
  backup && decodeBytes(Buffer.from(backup.before ?? '', 'base64'));

const SEALED = 'install';

/** The seal proves that this user wrote the record: one that came with a clone could name any bytes as the original. */
function readBackups(record: string): Map<string, Backup> {
  const { backups, seal } = toMembers(tryReadJson(record, 'host'));
  const isOurs =
    typeof backups === 'string' && seal !== undefined && seal === computeSeal(SEALED, backups, process.env);
  return new Map((isOurs ? (JSON.parse(backups) as Backup[]) : []).map((backup) => [backup.path, backup]));
}

function writeBackups(record: string, all: ReadonlyMap<string, Backup>): void {
  ensureFolder(dirname(record), 0o700);
  for (const folder of [dirname(record), stateFolder(process.env)]) if (folder) sweepTemporary(folder);
  const backups = JSON.stringify([...all.values()]);
  const seal = computeSeal(SEALED, backups, process.env);
  writeAtomically(record, `${JSON.stringify({ backups, seal })}\n`, { mode: 0o600 });
}

function listMissingFolders(dir: string): string[] {
  const above = [...walkUpward(dir)];
  return above.slice(0, above.findIndex(exists)).reverse();
}

function removeEmptied(backup: Backup | undefined): void {
  for (const dir of [...(backup?.made ?? [])].reverse()) removeIfEmpty(dir);
}

export const getBackupFile = (dir: string, name: string): string => join(dir, 'install', `${name}.json`);

export const isUnwritten = (text: string): boolean => text.replace(/^\uFEFF/, '').trim() === '';

interface BlockMarkers {
  open: string;
  close: string;
}

/** A block between two marker lines, at the end of a person's text file. */
export function makeMarkedBlock(path: string, markers: BlockMarkers, lines: string): Target {
  const block = `${markers.open}\n${lines}${markers.close}\n`;
  return {
    path,
    add(text) {
      if (text === undefined || isUnwritten(text)) return (text ?? '') + block;

      const { encoding } = decodeLossless(text);
      if (encoding.startsWith('UTF-16')) throw refuseEncoding(basename(path), encoding, path);

      const eol = detectEol(text);
      const ours = block.replaceAll('\n', eol);
      const found = findBlock(text, path, markers);

      if (found) {
        const lead = /^\r?\n/.exec(found[0])?.[0] ?? '';
        return text.slice(0, found.index) + lead + ours + text.slice(found.index + found[0].length);
      }

      return `${text}${text.endsWith('\n') ? '' : eol}${eol}${ours}`;
    },
    remove(text) {
      const found = findBlock(text, path, markers);
      if (!found) return text;

      const before = text.slice(0, found.index);
      const after = text.slice(found.index + found[0].length);
      // A person's text before and after the block must not become one line.
      const wouldJoin = before !== '' && !before.endsWith('\n') && after !== '';
      const rest = before + (wouldJoin ? (/^\r?\n/.exec(found[0])?.[0] ?? '\n') : '') + after;

      return isUnwritten(rest) ? undefined : rest;
    },
  };
}

/** @throws ScratchpadError `refused` if one marker is missing: only a person can say where our part ends */
function findBlock(text: string, path: string, { open, close }: BlockMarkers): RegExpExecArray | undefined {
  const [from, to] = [open, close].map((marker) => marker.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // From an opening marker to the closing one that follows, without another opening one in between.
  const between = new RegExp(`(?:\\r?\\n)?${from}(?:(?!${from})[\\s\\S])*?${to}(?:\\r?\\n)?`);
  const found = between.exec(text);
  const rest = found ? text.slice(0, found.index) + text.slice(found.index + found[0].length) : text;
  const stray = [open, close].find((marker) => rest.includes(marker));

  if (stray === undefined) return found ?? undefined;

  const offset = stray === open ? text.indexOf(open) : text.lastIndexOf(close);
  throw refusal('the markers around our part do not match: nothing was changed', {
    where: `${path}:${text.slice(0, offset).split('\n').length}`,
    expected: `${open} and ${close}, once each`,
    found: `a ${stray} without the other`,
    next: 'delete that line and the rest of our part, then run the command again',
  });
}

export const makeOwnFile = (path: string, text: () => string): Target => ({
  path,
  add: text,
  remove: () => undefined,
});
