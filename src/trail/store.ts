import { join } from 'node:path';
import {
  DATA_DIR,
  ensureFolder,
  tryList,
  tryReadJson,
  tryRemove,
  tryStat,
  writeAtomically,
} from '../fs/index.ts';
import type { GitPlace } from '../git/place.ts';
import { tellCommit } from '../session/commits.ts';
import { fileNameFor } from '../session/workspace.ts';
import { digest } from '../text/hash.ts';
import { isObject, numberAt, parsedObject, textAt } from '../text/json.ts';
import type { Position } from '../transcript/read-events.ts';
import { type Fold, foldFrom } from './fold.ts';

const VERSION = 1;
/** Maximum number of trails in a workspace; the oldest are dropped. */
const MOST_TRAILS = 40;

/** The stored trail of one host session. */
export interface TrailRecord {
  session: string;
  /** The session file it was read from. */
  transcript?: string;
  position?: Position;
  /** Top of the linked worktree that its paths are relative to, if it worked in one. */
  tree?: string;
  /** Set once the host has reported the end of the session. */
  ended?: true;
  /** Which work tree (`workTreeKey`) and branch the session worked on. */
  worktree: string;
  branch?: string;
  /** The session's machine, if it is another one (`shared-store/`). */
  machine?: string;
  /** Time of the last event, in epoch milliseconds. */
  updated: number;
  /** Ids of facts hidden by a person. */
  forgotten: string[];
  fold: Fold;
}

const folderOf = (root: string): string => join(root, DATA_DIR, 'trail');
const pathOf = (root: string, session: string): string =>
  join(folderOf(root), `${fileNameFor(session)}.json`);

/** A short key to compare work trees. */
export function workTreeKey(place: GitPlace | undefined): string {
  return place === undefined ? '' : digest(place.gitDir);
}

/** The stored trail of a session; undefined if there is no readable one. */
export function readTrail(root: string, session: string): TrailRecord | undefined {
  return recordFrom(tryReadJson(pathOf(root, session), 'cache'), root);
}

/** Records that the host has reported the end of a session. */
export function endTrail(root: string, session: string): void {
  const record = readTrail(root, session);
  if (record !== undefined) writeTrail(root, { ...record, ended: true }, false);
}

/** All stored trails. */
export function keptTrails(root: string): TrailRecord[] {
  const folder = folderOf(root);
  const names = tryList(folder).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => recordFrom(tryReadJson(join(folder, name), 'cache'), root) ?? []);
}

/** Creates the folder of trails, if a person has asked to store something. */
export function keepTrails(root: string): void {
  ensureFolder(folderOf(root), 0o700);
}

/**
 * Stores the trail of a session. A workspace without `.scratchpad` stores none.
 * @param durable whether it has to outlast the power
 */
export function writeTrail(root: string, record: TrailRecord, durable = true): void {
  if (tryStat(join(root, DATA_DIR)) === undefined) return;
  const folder = folderOf(root);
  ensureFolder(folder, 0o700);
  writeAtomically(pathOf(root, record.session), JSON.stringify({ version: VERSION, ...record }), {
    mode: 0o600,
    durable,
  });
  prune(folder);
  if (record.machine === undefined) tellCommit({ data: join(root, DATA_DIR), session: record.session });
}

/** A stored trail from another machine, with its paths changed to this workspace. */
export function trailFrom(json: string, root: string): TrailRecord | undefined {
  const value = parsedObject(json);
  if (value === undefined || !isObject(value.fold) || !isObject(value.fold.course)) return undefined;
  const { cwd: _, ...course } = value.fold.course;
  return recordFrom(
    { ...value, tree: undefined, fold: { ...value.fold, course: { ...course, root } } },
    root,
  );
}

/** The stored form of a trail, for `trailFrom`. */
export function trailJson(record: TrailRecord): string {
  const { transcript: _, position: __, tree: ___, ...rest } = record;
  return JSON.stringify({ version: VERSION, ...rest });
}

function recordFrom(value: unknown, root: string): TrailRecord | undefined {
  if (!isObject(value) || value.version !== VERSION) return undefined;
  const tree = textAt(value, 'tree');
  const fold = foldFrom(value.fold, tree ?? root);
  const session = textAt(value, 'session');
  const updated = numberAt(value, 'updated');
  if (fold === undefined || session === undefined || updated === undefined) return undefined;
  const transcript = textAt(value, 'transcript');
  const machine = textAt(value, 'machine');
  const branch = textAt(value, 'branch');
  const position = positionFrom(value.position);
  return {
    session,
    worktree: textAt(value, 'worktree') ?? '',
    updated,
    forgotten: textsIn(value.forgotten),
    fold,
    ...(transcript !== undefined && { transcript }),
    ...(tree !== undefined && { tree }),
    ...(value.ended === true && { ended: true }),
    ...(machine !== undefined && { machine }),
    ...(branch !== undefined && { branch }),
    ...(position !== undefined && { position }),
  };
}

function positionFrom(value: unknown): Position | undefined {
  if (!isObject(value)) return undefined;
  const offset = numberAt(value, 'offset');
  if (offset === undefined || offset < -1 || typeof value.mark !== 'string') return undefined;
  return { offset, mark: value.mark, ends: textsIn(value.ends) };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function prune(folder: string): void {
  const names = tryList(folder).filter((name) => name.endsWith('.json'));
  if (names.length <= MOST_TRAILS) return;
  const byAge = names
    .map((name) => ({ path: join(folder, name), time: tryStat(join(folder, name))?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(MOST_TRAILS)) tryRemove(path);
}
