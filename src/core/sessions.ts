import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FileEntries } from '../entries/file-entries.ts';
import { giveEntries } from '../entries/lend.ts';
import { ScratchpadError } from '../errors.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { FileStore } from '../session/file-store.ts';
import { draftFile, ioError } from '../session/files.ts';
import { withLock } from '../session/lock.ts';
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
const IDLE_MS = 30 * 86_400_000;

/** The sessions of a workspace. Parent and child are independent once a child is made. */
export class Sessions {
  readonly #root: string;
  readonly #primary: string;
  readonly #now: () => number;

  constructor(root: string, options: { primary?: string; now?: () => number } = {}) {
    this.#root = root;
    this.#primary = options.primary ?? DEFAULT_PRIMARY;
    this.#now = options.now ?? Date.now;
  }

  /** Last changed first. */
  async list(): Promise<SessionInfo[]> {
    const dir = join(this.#root, DATA_DIR, 'sessions');
    const ids = existsSync(dir) ? readdirSync(dir).map((name) => idOf(join(dir, name))) : [];
    const found = await Promise.all([...new Set([this.#primary, ...ids])].map((id) => this.#info(id)));
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
    await this.info(parent);
    await this.#mustBeNew(child);
    await giveEntries(this.#entries(parent), this.#entries(child));
    return this.#create(parent, child, 'fork', SPACE_NAMES);
  }

  /** A child that starts empty but for what is asked for. @throws ScratchpadError `refused` when it is there already, or what it should get is not */
  async spawn(parent: string, child: string, options: SpawnOptions = {}): Promise<SessionInfo> {
    const { copyNotepad = false, inherit = [] } = options;
    await this.info(parent);
    await this.#mustBeNew(child);
    await giveEntries(this.#entries(parent), this.#entries(child), { names: inherit, lentBy: parent });
    return this.#create(parent, child, 'spawn', copyNotepad ? ['notes'] : []);
  }

  /** Puts a session away under `.scratchpad/archive/`. @returns where it is now */
  async archive(session: string): Promise<string> {
    await this.info(session);
    const paths = this.#paths(session);
    const target = this.#archivePath(paths);
    await this.#moveAway(paths, target);
    return target;
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
    return pruned;
  }

  /** Deletes a session with its entries. The pad is gone for good. */
  async delete(session: string): Promise<void> {
    await this.info(session);
    const paths = this.#paths(session);
    const gone = freePath(join(paths.data, `.deleted-${process.pid}`));
    await this.#moveAway(paths, gone);
    rmSync(gone, { recursive: true, force: true });
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
    if (!(await this.#store(session).read()).exists) return;
    throw new ScratchpadError('refused', 'there is a session of that id: nothing was changed', {
      found: session,
      next: 'choose another id, or delete or archive that session first',
    });
  }

  /** The pad comes last: without it there is no session yet, and a command that was killed can be repeated. */
  async #create(
    parent: string,
    child: string,
    how: string,
    spaces: readonly SpaceName[],
  ): Promise<SessionInfo> {
    const from = await this.#store(parent).read();
    const store = this.#store(child);
    await store.change(() =>
      spaces
        .filter((space) => from.spaces[space] !== '')
        .map((space): Change => ({ kind: 'space', space, content: from.spaces[space], op: how })),
    );
    const about = { session: child, parent, how, created: new Date(this.#now()).toISOString() };
    draftFile(join(store.paths.dir, ABOUT), `${JSON.stringify(about)}\n`).commit();
    return this.info(child);
  }

  #archivePath({ data, dir }: SessionPaths): string {
    const stamp = new Date(this.#now()).toISOString().slice(0, 19).replace(/:/g, '-');
    const parent = join(data, 'archive');
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    return freePath(join(parent, `${basename(dir)}-${stamp}`));
  }

  /** @returns false when `still` says no under the lock: nothing is moved then */
  async #moveAway(paths: SessionPaths, target: string, still: () => boolean = () => true): Promise<boolean> {
    mkdirSync(paths.dir, { recursive: true, mode: 0o700 });
    return withLock(paths.lock, () => {
      if (!still()) return false;
      try {
        renameSync(paths.dir, target);
        if (existsSync(paths.pad)) renameSync(paths.pad, join(target, basename(paths.pad)));
        rmSync(join(target, basename(paths.lock)), { force: true });
      } catch (error) {
        throw ioError(error, 'cannot move', paths.dir);
      }
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
    return new FileEntries(this.#root, this.#paths(session), this.#now);
  }
}

/** The last change of a session's pad or its entries, ISO 8601, UTC. */
function changedAt({ pad, journal, dir }: SessionPaths): string {
  const times = [pad, journal, join(dir, 'entries/index.json')].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return new Date(Math.max(...times)).toISOString();
}

/** The id that a session's directory stands for: what it says of itself, else its name. */
function idOf(dir: string): string {
  const said = aboutOf(dir).session ?? headerId(join(dir, 'journal.jsonl'));
  return said ?? basename(dir);
}

function aboutOf(dir: string): { session?: string; parent?: string } {
  try {
    const { session, parent } = JSON.parse(readFileSync(join(dir, ABOUT), 'utf8')) as Record<string, unknown>;
    return {
      ...(typeof session === 'string' ? { session } : {}),
      ...(typeof parent === 'string' ? { parent } : {}),
    };
  } catch {
    return {};
  }
}

function headerId(journal: string): string | undefined {
  try {
    const text = readFileSync(journal, 'utf8');
    const { id } = JSON.parse(text.slice(0, text.indexOf('\n'))) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

function freePath(path: string): string {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    if (!existsSync(candidate)) return candidate;
  }
}
