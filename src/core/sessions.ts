import { basename, join } from 'node:path';
import { refusal } from '../base/errors.ts';
import {
  ensureFolder,
  exists,
  makeTemporaryPath,
  move,
  remove,
  removeTree,
  sweepTemporary,
  tryRemoveTree,
  withLock,
  writeAtomically,
} from '../base/fs/index.ts';
import { DAY_MS } from '../base/text/durations.ts';
import type { Optional } from '../base/text/json.ts';
import { giveEntries, type LendOptions } from '../entries/across-sessions.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { removeCopies } from '../session/copies.ts';
import { FileStore } from '../session/file-store.ts';
import { SecondCopy } from '../session/second-copy.ts';
import type { Change } from '../session/store.ts';
import { DEFAULT_PRIMARY, getSessionPaths, type SessionPaths } from '../session/workspace.ts';
import {
  findNewestArchive,
  listArchives,
  listSessionIds,
  makeArchivePath,
  readLastChange,
  readSessionFile,
  SESSION_FILE,
  sweepArchive,
} from './session-folders.ts';

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
  copyNotepad?: boolean | undefined;
  /** Names of the parent's entries to lend, read-only. */
  inherit?: readonly string[] | undefined;
}

export interface PruneOptions {
  /** Milliseconds without a change after which a session is archived; 30 days unless given. */
  olderThanMs?: number | undefined;
  dryRun?: boolean | undefined;
}

/** An archived session, and where it is now; `null` in a dry run. */
export interface PruneResult {
  session: string;
  updated: string;
  archive: string | null;
}

const IDLE_MS = 30 * DAY_MS;
const ARCHIVE_MS = 90 * DAY_MS;

export type SessionsOptions = Optional<{ primary: string; now: () => number; archiveMs: number }>;

/** The sessions of a workspace. Parent and child are independent once the child exists. */
export class Sessions {
  readonly #root: string;
  readonly #primary: string;
  readonly #now: () => number;
  readonly #archiveMs: number;

  /** @param options `archiveMs`: how long archived sessions are kept */
  constructor(root: string, options: SessionsOptions = {}) {
    this.#root = root;
    this.#primary = options.primary ?? DEFAULT_PRIMARY;
    this.#now = options.now ?? Date.now;
    this.#archiveMs = options.archiveMs ?? ARCHIVE_MS;
  }

  /** Last changed first. @param options `of`: of these alone; `limit`: at most so many, the primary one not counted */
  async list({ of, limit }: Optional<{ of: readonly string[]; limit: number }> = {}): Promise<SessionInfo[]> {
    const ids = [...new Set(of ?? [this.#primary, ...listSessionIds(this.#root, limit)])];
    const found = await Promise.all(ids.map((id) => this.#readInfo(id)));
    return found
      .filter((info): info is SessionInfo => info !== undefined)
      .sort((a, b) => (a.updated < b.updated ? 1 : -1));
  }

  /** @throws ScratchpadError `refused` if there is no such session */
  async info(session: string): Promise<SessionInfo> {
    const info = await this.#readInfo(session);
    if (info) return info;
    throw refusal('no such session', {
      found: session,
      next: {
        to: 'list sessions',
        command: 'scratchpad session list',
        call: 'new Sessions(workspace).list()',
      },
    });
  }

  /**
   * A child with all spaces and entries of its parent.
   * @throws ScratchpadError `refused` if it already exists, or the parent does not
   */
  async fork(parent: string, child: string): Promise<SessionInfo> {
    return this.#create(parent, child, 'fork', SPACE_NAMES, {});
  }

  /**
   * A child that starts empty except for the requested parts.
   * @throws ScratchpadError `refused` if it already exists, or a requested part does not
   */
  async spawn(parent: string, child: string, options: SpawnOptions = {}): Promise<SessionInfo> {
    const { copyNotepad = false, inherit = [] } = options;
    const lending = { names: inherit, lentBy: parent };
    return this.#create(parent, child, 'spawn', copyNotepad ? ['notes'] : [], lending);
  }

  /**
   * Moves a session to `.scratchpad/archive/`, where it is kept as long as the settings say; `bringBack` restores
   * it. @returns where it is now
   */
  async archive(session: string): Promise<string> {
    await this.info(session);
    const paths = this.#getPaths(session);
    const target = makeArchivePath(paths, this.#now());

    await this.#moveAway(paths, target);
    sweepArchive(paths, this.#now() - this.#archiveMs);

    return target;
  }

  /**
   * Restores the session last archived under this id, with its pad and its entries.
   * @throws ScratchpadError `refused` if a session with that id exists, or none was archived
   */
  async bringBack(session: string): Promise<SessionInfo> {
    await this.#requireNew(session);
    const paths = this.#getPaths(session);
    const archived = findNewestArchive(paths, session);

    ensureFolder(paths.sessions);
    removeTree(paths.dir);
    move(archived, paths.dir);
    const pad = join(paths.dir, basename(paths.pad));
    if (pad !== paths.pad && exists(pad) && !exists(paths.pad)) move(pad, paths.pad);

    return this.info(session);
  }

  /**
   * Archives sessions that have been idle for long, oldest first. The primary session is exempt: it belongs to the
   * workspace, not to a host's session.
   */
  async prune({ olderThanMs = IDLE_MS, dryRun = false }: PruneOptions = {}): Promise<PruneResult[]> {
    const pruned: PruneResult[] = [];
    for (const { session, updated, primary } of (await this.list()).reverse()) {
      const isIdle = Date.parse(updated) <= this.#now() - olderThanMs;
      if (primary || !isIdle) continue;
      pruned.push({ session, updated, archive: dryRun ? null : await this.archive(session) });
    }

    return pruned;
  }

  /**
   * Deletes a session with its entries. It can be restored for 90 days, unless it is deleted `forGood`, with all copies
   * of its pad. The primary one includes text that a person wrote outside the spaces, so `primary` has to say that it
   * is meant.
   * @returns the folder that it was moved to; `undefined` if it is gone for good
   * @throws ScratchpadError `refused` for the primary session without `primary`
   */
  async delete(
    session: string,
    { forGood = false, primary = false }: Optional<Record<'forGood' | 'primary', boolean>> = {},
  ): Promise<string | undefined> {
    const { primary: isPrimary, pad } = await this.info(session);
    if (isPrimary && !primary)
      throw refusal('this is the primary session: nothing was changed', {
        where: pad,
        next: {
          to: 'delete all of it, including text outside the spaces',
          command: `scratchpad session delete ${session} --yes`,
          call: `sessions.delete('${session}', { primary: true })`,
        },
      });

    if (!forGood) return this.archive(session);

    const paths = this.#getPaths(session);
    const trash = makeTemporaryPath(join(paths.data, 'deleted'));

    await this.#moveAway(paths, trash);
    removeTree(trash);
    removeCopies(paths);
    for (const archived of listArchives(paths)) removeTree(archived);
    // Remove leftovers of killed deletions.
    sweepTemporary(paths.data);

    return undefined;
  }

  async #readInfo(session: string): Promise<SessionInfo | undefined> {
    const paths = this.#getPaths(session);
    const entries = this.#openEntries(session);
    const { exists, revision } = await this.#openStore(session).read();
    const listed = await entries.list();

    if (!exists && listed.length === 0) return undefined;

    return {
      session,
      pad: paths.pad,
      primary: session === this.#primary,
      parent: readSessionFile(paths.dir).parent ?? null,
      updated: readLastChange(paths),
      revision,
      entries: listed.length,
    };
  }

  async #requireNew(session: string): Promise<void> {
    if (!(await this.#readInfo(session))) return;
    throw refusal('a session with that id exists: nothing was changed', {
      found: session,
      next: 'choose another id, or delete or archive that session first',
    });
  }

  /** Creates a child elsewhere and moves it into place when complete: a failure or a crash leaves no partial session. */
  async #create(
    parent: string,
    child: string,
    how: 'fork' | 'spawn',
    spaces: readonly SpaceName[],
    lending: LendOptions,
  ): Promise<SessionInfo> {
    await this.info(parent);
    await this.#requireNew(child);
    const { dir, sessions } = this.#getPaths(child);
    const folder = makeTemporaryPath(dir);

    ensureFolder(folder);

    try {
      const paths = getSessionPaths(this.#root, child, this.#primary, folder);
      await giveEntries(this.#openEntries(parent), new FileEntries(paths, { now: this.#now }), lending);
      const about = { session: child, parent, how, created: new Date(this.#now()).toISOString() };
      writeAtomically(join(folder, SESSION_FILE), `${JSON.stringify(about)}\n`);
      const from = await this.#openStore(parent).read();
      const options = { primary: this.#primary, now: this.#now, folder };

      await new FileStore(this.#root, child, options).change(() =>
        spaces
          .filter((space) => from.spaces[space] !== '')
          .map((space): Change => ({ space, content: from.spaces[space], op: how })),
      );
      // Checked again: somebody may have been faster. Anything else there is not a session.
      await this.#requireNew(child);
      removeTree(dir);
      move(folder, dir);
    } catch (error) {
      tryRemoveTree(folder);
      throw error;
    }

    sweepTemporary(sessions);

    return this.info(child);
  }

  async #moveAway(paths: SessionPaths, target: string): Promise<void> {
    ensureFolder(paths.dir);
    await withLock(paths.lock, () => {
      new SecondCopy(paths, this.#root, process.env).drop();
      move(paths.dir, target);
      if (exists(paths.pad)) move(paths.pad, join(target, basename(paths.pad)));
      remove(join(target, basename(paths.lock)));
    });
  }

  #getPaths(session: string): SessionPaths {
    return getSessionPaths(this.#root, session, this.#primary);
  }

  #openStore(session: string): FileStore {
    return new FileStore(this.#root, session, { primary: this.#primary, now: this.#now });
  }

  #openEntries(session: string): FileEntries {
    return new FileEntries(this.#getPaths(session), { now: this.#now });
  }
}
