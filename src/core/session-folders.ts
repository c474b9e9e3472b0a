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

export const SESSION_FILE = 'session.json';
const ARCHIVE = 'archive';
/** Name of an archive folder: the session's own folder, the time, and a number to make it unique. */
const ARCHIVE_NAME = /^(.+)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-\d+)?$/;

/** @param most only those that changed last, newest first: to read each of many takes long */
export function listSessionIds(root: string, most = Number.POSITIVE_INFINITY): string[] {
  const names = listSessionFolders(root);
  const dir = join(root, DATA_DIR, 'sessions');
  const chosen = names.length <= most ? names : sortByChange(dir, names).slice(0, most);
  return chosen.map((name) => readSessionId(join(dir, name)));
}

export const listSessionFolders = (root: string): string[] =>
  list(join(root, DATA_DIR, 'sessions')).filter((name) => !parseTemporaryName(name));

const sortByChange = (dir: string, names: readonly string[]): string[] =>
  names
    .map((name) => ({
      name,
      ms: getNewestTime([join(dir, name, 'journal.jsonl'), join(dir, name, ENTRIES)]),
    }))
    .sort((a, b) => b.ms - a.ms)
    .map(({ name }) => name);

const ENTRIES = 'entries/index.json';

/** The last change to a session's pad or its entries, ISO 8601, UTC. */
export const readLastChange = ({ pad, journal, dir }: SessionPaths): string =>
  new Date(getNewestTime([pad, journal, join(dir, ENTRIES)])).toISOString();

const getNewestTime = (paths: readonly string[]): number =>
  Math.max(...paths.map((path) => tryStat(path)?.mtimeMs ?? 0));

/** The id of the session in a directory: the recorded one, else the directory's name. */
export const readSessionId = (dir: string): string =>
  readSessionFile(dir).session ?? readHeaderId(join(dir, 'journal.jsonl')) ?? basename(dir);

const SESSION_SHAPE = record({}, { session: text, parent: text });

export const readSessionFile = (dir: string): { session?: string; parent?: string } =>
  readOwn(join(dir, SESSION_FILE), 'record', SESSION_SHAPE) ?? {};

function readHeaderId(journal: string): string | undefined {
  const lines = attempt(() => readText(journal, 'journal')) ?? '';
  return getString(parseObject(lines.slice(0, lines.indexOf('\n'))), 'id');
}

export function makeArchivePath({ data, dir }: SessionPaths, now: number): string {
  const parent = join(data, ARCHIVE);
  ensureFolder(parent);
  return findFreePath(join(parent, `${basename(dir)}-${formatFileTime(now)}`));
}

/** The folder of the session that was last put away under this id. @throws ScratchpadError `refused` if there is none */
export function findNewestArchive({ data, dir }: SessionPaths, session: string): string {
  const archive = join(data, ARCHIVE);
  const names = list(archive)
    .filter((name) => parseArchiveTime(name) !== undefined)
    .sort((a, b) => (parseArchiveTime(a) ?? 0) - (parseArchiveTime(b) ?? 0));
  const newest = names.findLast(
    (name) => readSessionId(join(archive, name)) === session || parseArchiveOwner(name) === basename(dir),
  );

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
    .filter((name) => ARCHIVE_NAME.test(name))
    .map((name) => readSessionId(join(data, ARCHIVE, name)));

/** All archived folders of a session. */
export function listArchives({ data, dir }: SessionPaths): string[] {
  const names = list(join(data, ARCHIVE)).filter((name) => parseArchiveOwner(name) === basename(dir));
  return names.map((name) => join(data, ARCHIVE, name));
}

/** Removes what was put away before a time, epoch milliseconds. */
export function sweepArchive({ data }: SessionPaths, before: number): void {
  const archive = join(data, ARCHIVE);
  for (const name of tryList(archive)) {
    const archivedAt = parseArchiveTime(name);
    if (archivedAt !== undefined && archivedAt < before) tryRemoveTree(join(archive, name));
  }
}

function parseArchiveTime(name: string): number | undefined {
  const [, , date, hours, minutes, seconds] = ARCHIVE_NAME.exec(name) ?? [];
  const time = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** The folder name of the session in an archive folder. */
const parseArchiveOwner = (name: string): string => ARCHIVE_NAME.exec(name)?.[1] ?? name;

function findFreePath(path: string): string {
  let candidate = path;
  for (let number = 2; exists(candidate); number += 1) candidate = `${path}-${number}`;
  return candidate;
}
