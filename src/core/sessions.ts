import { basename, join } from 'node:path';
import { FileEntries } from '../entries/file-entries.ts';
import { giveEntries, type LendOptions } from '../entries/lend.ts';
import { ScratchpadError } from '../errors.ts';
import {
  ensureFolder,
  exists,
  list,
  move,
  readText,
  remove,
  removeTree,
  sweepTemporary,
  temporaryOf,
  temporaryPath,
  tryList,
  tryReadJson,
  tryRemoveTree,
  tryStat,
  withLock,
  writeAtomically,
} from '../fs/index.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { removeCopies } from '../session/copies.ts';
import { FileStore } from '../session/file-store.ts';
import type { Change } from '../session/store.ts';
import { DATA_DIR, DEFAULT_PRIMARY, type SessionPaths, sessionPaths } from '../session/workspace.ts';

/** A session of a workspace, as `session list` shows it. */
export interface SessionInfo {
  session: string;
  /** Path of its SCRATCHPAD.md. */
  pad: string;
  primary: boolean;
  /** The session that it was forked or spawned from, `null` for none. */
  parent: string | null;
  /** ISO 8601, UTC: the last change of its pad or its entries. */
  updated: string;
  revision: number;
  entries: number;
}

export interface SpawnOptions {
  /** Copy the parent's notes. */
  copyNotepad?: boolean;
  /** Names of the parent's entries to lend, read-only. */
  inherit?: readonly string[];
}

export interface PruneOptions {
  /** Milliseconds without a change after which a session is put away; 30 days unless given. */
  olderThanMs?: number;
  /** Only say which. */
  dryRun?: boolean;
}

/** A session that was put away, and where it is now; `null` in a dry run. */
export interface Pruned {
  session: string;
  updated: string;
  archive: string | null;
}

const ABOUT = 'session.json';
const ARCHIVE = 'archive';
/** How a folder of the archive is called: the session's own folder, when it was put away, and a number for another. */
const ARCHIVED = /^(.+)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-\d+)?$/;
const IDLE_MS = 30 * 86_400_000;
/** How long what was put away is kept, unless the settings say otherwise. */
export const ARCHIVE_MS = 90 * 86_400_000;

/** The sessions of a workspace. Parent and child are independent once a child is made. */
export class Sessions {
  readonly #root: string;
  readonly #primary: string;
  readonly #now: () => number;
  readonly #archiveMs: number;

  /** @param options `archiveMs`: how long what was put away is kept */
  constructor(root: string, options: { primary?: string; now?: () => number; archiveMs?: number } = {}) {
    this.#root = root;
    this.#primary = options.primary ?? DEFAULT_PRIMARY;
    this.#now = options.now ?? Date.now;
    this.#archiveMs = options.archiveMs ?? ARCHIVE_MS;
  }

  /** Last changed first. */
  async list(): Promise<SessionInfo[]> {
    const ids = [...new Set([this.#primary, ...sessionIds(this.#root)])];
    const found = await Promise.all(ids.map((id) => this.#info(id)));
    return found
      .filter((info): info is SessionInfo => info !== undefined)
      .sort((a, b) => (a.updated < b.updated ? 1 : -1));
  }

  /** @throws ScratchpadError `refused` when there is no such session */
  async info(session: string): Promise<SessionInfo> {
    const info = await this.#info(session);
    if (info) return info;
    throw new ScratchpadError('refused', 'there is no such session', {
      found: session,
      next: 'see what there is with: scratchpad session list',
    });
  }

  /** A child with all spaces and entries of its parent. @throws ScratchpadError `refused` when it is there already, or the parent is not */
  async fork(parent: string, child: string): Promise<SessionInfo> {
    return this.#create(parent, child, 'fork', SPACE_NAMES, {});
  }

  /** A child that starts empty but for what is asked for. @throws ScratchpadError `refused` when it is there already, or what it should get is not */
  async spawn(parent: string, child: string, options: SpawnOptions = {}): Promise<SessionInfo> {
    const { copyNotepad = false, inherit = [] } = options;
    const lent = { names: inherit, lentBy: parent };
    return this.#create(parent, child, 'spawn', copyNotepad ? ['notes'] : [], lent);
  }

  /**
   * Puts a session away under `.scratchpad/archive/`, where it is kept for so long as the settings say; `bringBack`
   * takes it from there. @returns where it is now
   */
  async archive(session: string): Promise<string> {
    await this.info(session);
    const paths = this.#paths(session);
    const target = this.#archivePath(paths);
    await this.#moveAway(paths, target);
    this.#sweepArchive(paths);
    return target;
  }

  /**
   * Takes a session back that was put away last under this id, with its pad and its entries.
   * @throws ScratchpadError `refused` when there is a session of that id, or none was put away
   */
  async bringBack(session: string): Promise<SessionInfo> {
    await this.#mustBeNew(session);
    const paths = this.#paths(session);
    const archive = join(paths.data, ARCHIVE);
    const names = list(archive).filter((name) => archivedAt(name) !== undefined);
    const newest = names
      .filter((name) => idOf(join(archive, name)) === session || ownerOf(name) === basename(paths.dir))
      .sort((a, b) => (archivedAt(a) ?? 0) - (archivedAt(b) ?? 0))
      .at(-1);
    if (newest === undefined) {
      const ids = [...new Set(names.map(ownerOf))].slice(0, 8);
      throw new ScratchpadError('refused', 'no session of that id was put away: nothing was changed', {
        where: archive,
        expected: ids.length === 0 ? 'a session that was archived or deleted' : `one of ${ids.join(', ')}`,
        found: session,
      });
    }
    ensureFolder(paths.sessions);
    removeTree(paths.dir);
    move(join(archive, newest), paths.dir);
    const pad = join(paths.dir, basename(paths.pad));
    if (pad !== paths.pad && exists(pad) && !exists(paths.pad)) move(pad, paths.pad);
    return this.info(session);
  }

  /**
   * Archives the sessions that nobody has changed for long, oldest first. The primary session is never one of them:
   * it belongs to the workspace, not to a host's session.
   */
  async prune({ olderThanMs = IDLE_MS, dryRun = false }: PruneOptions = {}): Promise<Pruned[]> {
    const idle = (updated: string): boolean => Date.parse(updated) <= this.#now() - olderThanMs;
    const pruned: Pruned[] = [];
    for (const { session, updated, primary } of (await this.list()).reverse()) {
      if (primary || !idle(updated)) continue;
      if (dryRun) {
        pruned.push({ session, updated, archive: null });
        continue;
      }
      const paths = this.#paths(session);
      const target = this.#archivePath(paths);
      // Looked at again under the lock: somebody may have come back to it.
      const gone = await this.#moveAway(paths, target, () => idle(changedAt(paths)));
      if (gone) pruned.push({ session, updated, archive: target });
    }
    if (!dryRun) this.#sweepArchive(this.#paths(this.#primary));
    return pruned;
  }

  /** Removes a session with its entries, and every copy of its pad that was kept besides: nothing brings it back. */
  async delete(session: string): Promise<void> {
    await this.info(session);
    const paths = this.#paths(session);
    const gone = temporaryPath(join(paths.data, 'deleted'));
    await this.#moveAway(paths, gone);
    removeTree(gone);
    removeCopies(paths);
    const archive = join(paths.data, ARCHIVE);
    for (const name of list(archive))
      if (ownerOf(name) === basename(paths.dir)) removeTree(join(archive, name));
    // What deletions that were killed have left.
    sweepTemporary(paths.data);
  }

  async #info(session: string): Promise<SessionInfo | undefined> {
    const paths = this.#paths(session);
    const entries = this.#entries(session);
    const { exists, revision } = await this.#store(session).read();
    const listed = await entries.list();
    if (!exists && listed.length === 0) return undefined;
    return {
      session,
      pad: paths.pad,
      primary: session === this.#primary,
      parent: aboutOf(paths.dir).parent ?? null,
      updated: changedAt(paths),
      revision,
      entries: listed.length,
    };
  }

  async #mustBeNew(session: string): Promise<void> {
    if (!(await this.#info(session))) return;
    throw new ScratchpadError('refused', 'there is a session of that id: nothing was changed', {
      found: session,
      next: 'choose another id, or delete or archive that session first',
    });
  }

  /** Makes a child beside its place and moves it there when it is whole: a failure or a crash leaves no half of it. */
  async #create(
    parent: string,
    child: string,
    how: string,
    spaces: readonly SpaceName[],
    given: LendOptions,
  ): Promise<SessionInfo> {
    await this.info(parent);
    await this.#mustBeNew(child);
    const { dir, sessions } = this.#paths(child);
    const folder = temporaryPath(dir);
    ensureFolder(folder);
    try {
      const paths = sessionPaths(this.#root, child, this.#primary, folder);
      await giveEntries(this.#entries(parent), new FileEntries(paths, this.#now), given);
      const about = { session: child, parent, how, created: new Date(this.#now()).toISOString() };
      writeAtomically(join(folder, ABOUT), `${JSON.stringify(about)}\n`);
      const from = await this.#store(parent).read();
      const options = { primary: this.#primary, now: this.#now, folder };
      await new FileStore(this.#root, child, options).change(() =>
        spaces
          .filter((space) => from.spaces[space] !== '')
          .map((space): Change => ({ kind: 'space', space, content: from.spaces[space], op: how })),
      );
      // Looked at again: somebody may have been quicker. What stands there otherwise is no session.
      await this.#mustBeNew(child);
      removeTree(dir);
      move(folder, dir);
    } catch (error) {
      tryRemoveTree(folder);
      throw error;
    }
    sweepTemporary(sessions);
    return this.info(child);
  }

  #archivePath({ data, dir }: SessionPaths): string {
    const stamp = new Date(this.#now()).toISOString().slice(0, 19).replace(/:/g, '-');
    const parent = join(data, ARCHIVE);
    ensureFolder(parent);
    return freePath(join(parent, `${basename(dir)}-${stamp}`));
  }

  /** Removes what was put away longer ago than it is kept. */
  #sweepArchive({ data }: SessionPaths): void {
    const archive = join(data, ARCHIVE);
    for (const name of tryList(archive)) {
      const at = archivedAt(name);
      if (at !== undefined && at < this.#now() - this.#archiveMs) tryRemoveTree(join(archive, name));
    }
  }

  /** @returns false when `still` says no under the lock: nothing is moved then */
  async #moveAway(paths: SessionPaths, target: string, still: () => boolean = () => true): Promise<boolean> {
    ensureFolder(paths.dir);
    return withLock(paths.lock, () => {
      if (!still()) return false;
      move(paths.dir, target);
      if (exists(paths.pad)) move(paths.pad, join(target, basename(paths.pad)));
      remove(join(target, basename(paths.lock)));
      return true;
    });
  }

  #paths(session: string): SessionPaths {
    return sessionPaths(this.#root, session, this.#primary);
  }

  #store(session: string): FileStore {
    return new FileStore(this.#root, session, { primary: this.#primary, now: this.#now });
  }

  #entries(session: string): FileEntries {
    return new FileEntries(this.#paths(session), this.#now);
  }
}

/** The ids of the sessions that have a directory in a workspace. */
export function sessionIds(root: string): string[] {
  const dir = join(root, DATA_DIR, 'sessions');
  return list(dir).flatMap((name) => (temporaryOf(name) ? [] : [idOf(join(dir, name))]));
}

/** The last change of a session's pad or its entries, ISO 8601, UTC. */
function changedAt({ pad, journal, dir }: SessionPaths): string {
  const times = [pad, journal, join(dir, 'entries/index.json')].map((path) => tryStat(path)?.mtimeMs ?? 0);
  return new Date(Math.max(...times)).toISOString();
}

/** The id that a session's directory stands for: what it says of itself, else its name. */
function idOf(dir: string): string {
  const said = aboutOf(dir).session ?? headerId(join(dir, 'journal.jsonl'));
  return said ?? basename(dir);
}

function aboutOf(dir: string): { session?: string; parent?: string } {
  const { session, parent } = (tryReadJson(join(dir, ABOUT), 'record') ?? {}) as Record<string, unknown>;
  return {
    ...(typeof session === 'string' ? { session } : {}),
    ...(typeof parent === 'string' ? { parent } : {}),
  };
}

function headerId(journal: string): string | undefined {
  try {
    const text = readText(journal, 'journal') ?? '';
    const { id } = JSON.parse(text.slice(0, text.indexOf('\n'))) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

function archivedAt(name: string): number | undefined {
  const [, , date, hours, minutes, seconds] = ARCHIVED.exec(name) ?? [];
  const at = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function ownerOf(archived: string): string {
  return ARCHIVED.exec(archived)?.[1] ?? archived;
}

function freePath(path: string): string {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    if (!exists(candidate)) return candidate;
  }
}
