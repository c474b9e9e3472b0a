import { basename, join } from 'node:path';
import { attempt, refusal } from '../base/errors.ts';
import {
  DATA_DIR,
  ensureFolder,
  exists,
  list,
  parseTemporaryName,
  readText,
  tryList,
  tryRemoveTree,
  tryStat,
} from '../base/fs/index.ts';
import { readOwn, record, text } from '../base/fs/json-shape.ts';
import { getString, parseObject } from '../base/text/json.ts';
import { formatFileTime } from '../base/text/strings.ts';
import type { SessionPaths } from '../session/workspace.ts';

export const ABOUT = 'session.json';
const ARCHIVE = 'archive';
/** Name of an archive folder: the session's own folder, the time, and a number to make it unique. */
const ARCHIVED = /^(.+)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-\d+)?$/;

/** @param most only those that changed last, newest first: to read each of many takes long */
export function listSessionIds(root: string, most = Number.POSITIVE_INFINITY): string[] {
  const names = listSessionFolders(root);
  const dir = join(root, DATA_DIR, 'sessions');
  const chosen = names.length <= most ? names : sortByChange(dir, names).slice(0, most);
  return chosen.map((name) => readSessionId(join(dir, name)));
}

export function listSessionFolders(root: string): string[] {
  return list(join(root, DATA_DIR, 'sessions')).filter((name) => !parseTemporaryName(name));
}

function sortByChange(dir: string, names: readonly string[]): string[] {
  const changed = (name: string): number =>
    Math.max(...['journal.jsonl', ENTRIES].map((file) => tryStat(join(dir, name, file))?.mtimeMs ?? 0));
  return names
    .map((name) => ({ name, at: changed(name) }))
    .sort((a, b) => b.at - a.at)
    .map(({ name }) => name);
}

const ENTRIES = 'entries/index.json';

/** The last change to a session's pad or its entries, ISO 8601, UTC. */
export function readLastChange({ pad, journal, dir }: SessionPaths): string {
  const times = [pad, journal, join(dir, ENTRIES)].map((path) => tryStat(path)?.mtimeMs ?? 0);
  return new Date(Math.max(...times)).toISOString();
}

/** The id of the session in a directory: the recorded one, else the directory's name. */
export function readSessionId(dir: string): string {
  const storedId = readSessionAbout(dir).session ?? readHeaderId(join(dir, 'journal.jsonl'));
  return storedId ?? basename(dir);
}

const ABOUT_SHAPE = record({}, { session: text, parent: text });

export function readSessionAbout(dir: string): { session?: string; parent?: string } {
  return readOwn(join(dir, ABOUT), 'record', ABOUT_SHAPE) ?? {};
}

function readHeaderId(journal: string): string | undefined {
  const lines = attempt(() => readText(journal, 'journal')) ?? '';
  return getString(parseObject(lines.slice(0, lines.indexOf('\n'))), 'id');
}

export function makeArchivePath({ data, dir }: SessionPaths, now: number): string {
  const parent = join(data, ARCHIVE);
  ensureFolder(parent);
  return findFreePath(join(parent, `${basename(dir)}-${formatFileTime(now)}`));
}

/**
 * The folder of the session that was last put away under this id.
 * @throws ScratchpadError `refused` if there is none
 */
export function findNewestArchive({ data, dir }: SessionPaths, session: string): string {
  const archive = join(data, ARCHIVE);
  const names = list(archive).filter((name) => parseArchiveTime(name) !== undefined);
  const newest = names
    .filter(
      (name) => readSessionId(join(archive, name)) === session || parseArchiveOwner(name) === basename(dir),
    )
    .sort((a, b) => (parseArchiveTime(a) ?? 0) - (parseArchiveTime(b) ?? 0))
    .at(-1);

  if (newest !== undefined) return join(archive, newest);

  const ids = [...new Set(names.map(parseArchiveOwner))].slice(0, 8);
  throw refusal('no archived or deleted session has that id: nothing was changed', {
    where: archive,
    expected: ids.length === 0 ? 'a session that was archived or deleted' : `one of ${ids.join(', ')}`,
    found: session,
  });
}

export const listArchivedIds = ({ data }: SessionPaths): string[] =>
  tryList(join(data, ARCHIVE))
    .filter((name) => ARCHIVED.test(name))
    .map((name) => readSessionId(join(data, ARCHIVE, name)));

/** All folders of a session that was put away, again and again perhaps. */
export function listArchives({ data, dir }: SessionPaths): string[] {
  const names = list(join(data, ARCHIVE)).filter((name) => parseArchiveOwner(name) === basename(dir));
  return names.map((name) => join(data, ARCHIVE, name));
}

/** Removes what was put away before a time, epoch milliseconds. */
export function sweepArchive({ data }: SessionPaths, before: number): void {
  const archive = join(data, ARCHIVE);
  for (const name of tryList(archive)) {
    const at = parseArchiveTime(name);
    if (at !== undefined && at < before) tryRemoveTree(join(archive, name));
  }
}

function parseArchiveTime(name: string): number | undefined {
  const [, , date, hours, minutes, seconds] = ARCHIVED.exec(name) ?? [];
  const at = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function parseArchiveOwner(archived: string): string {
  return ARCHIVED.exec(archived)?.[1] ?? archived;
}

function findFreePath(path: string): string {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    if (!exists(candidate)) return candidate;
  }
}
