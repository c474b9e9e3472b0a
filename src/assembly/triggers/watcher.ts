import { basename, dirname, join, resolve, sep } from 'node:path';
import { FSWatcher } from 'chokidar';
import { failed, hasCode, messageOf, type ScratchpadError } from '../../base/errors.ts';
import { exists, lookAtDisk, PAD_FILE, realPathOf } from '../../base/fs/index.ts';
import { membersOf, textAt } from '../../base/text/json.ts';
import type { Config } from '../../config/config.ts';
import { configFiles } from '../../config/load.ts';
import { memoryPaths } from '../../memory/places.ts';
import { type FilePlace, fileOrFolder, onlyFile, sessionPlaces } from '../../transcript/discover.ts';

export interface WatcherOptions {
  onChange: (kind: Kind) => void;
  /** Called when the system refuses to watch something; the rest is still watched. */
  onProblem: (error: unknown) => void;
  /** Polls at this interval, in milliseconds: the system reports nothing for network drives. */
  pollMs?: number;
}

/** Polling interval in milliseconds where the system has no more watches. */
const POLL_MS = 5000;
const NO_MORE_WATCHES = ['ENOSPC', 'EMFILE', 'ENFILE'];

/** Folders are created and removed in bursts; how long to wait, in milliseconds. */
const SETTLE_MS = 100;

/**
 * Watches places with chokidar; one that does not exist yet is waited for at the nearest folder above it. When the
 * system has no more watches to give, the files are polled. Of what goes and comes back at once chokidar may keep a
 * watch that is dead, so then everything is watched anew.
 */
export class PlacesWatcher {
  readonly #options: WatcherOptions;
  #places: readonly Watched[] = [];
  #watcher: FSWatcher | undefined;
  #opening: Promise<void> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  #pollMs: number | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs;
  }

  /** Watches these places from now on; a change before it resolves may be missed. */
  watch(places: readonly Watched[]): Promise<void> {
    clearTimeout(this.#soon);
    this.#places = places;
    this.#opening = this.#opening.then(() => this.#open());
    return this.#opening;
  }

  async #open(): Promise<void> {
    await this.#watcher?.close();
    const places = this.#places;
    const pollMs = this.#pollMs;
    let isReady = false;
    const watcher = new FSWatcher({
      ignoreInitial: true,
      atomic: false,
      usePolling: this.#pollMs !== undefined,
      interval: this.#pollMs,
      binaryInterval: this.#pollMs,
      ignored: (path, stats) =>
        (stats?.isSymbolicLink() && leadsBack(path)) ||
        !(this.covers(path) || (!stats?.isFile() && mayHold(places, path))),
    });
    this.#watcher = watcher;
    const told = (path: string): void => {
      for (const kind of new Set([kindOf(places, path), ...kindsIn(places, path)]))
        if (kind !== undefined) this.#options.onChange(kind);
    };
    const gone = new Set<string>();
    const again = (path: string): void => {
      if (!mayHold(places, path) && !this.covers(path)) return;
      gone.add(path);
      clearTimeout(this.#soon);
      this.#soon = setTimeout(() => void this.watch(places).then(() => gone.forEach(told)), SETTLE_MS);
    };
    watcher.on('all', (event, path) => {
      told(path);
      if (event === 'unlinkDir') again(path);
    });
    // A folder that goes and comes back in one go is told of by its own watch, or that of the one above, alone.
    watcher.on('raw', (event, name, details) => {
      if (event !== 'rename') return;
      const above = textAt(membersOf(details), 'watchedPath') ?? '';
      const path = join(above, name ?? '');
      if (path in watcher.getWatched()) again(path);
      else if (name === null || name === basename(above)) again(above);
    });
    const roots = new Set(places.map(({ root }) => nearestFolder(root)));
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      watcher.on('error', (error) => {
        if (!hasCode(error, ...NO_MORE_WATCHES)) return this.#options.onProblem(error);
        if (this.#pollMs === undefined) {
          this.#pollMs = POLL_MS;
          this.#options.onProblem(exhausted(messageOf(error)));
          if (isReady) void this.watch(places);
        }
        resolve();
      });
      watcher.add([...roots]);
    });
    isReady = true;
    if (this.#pollMs !== pollMs) return this.#open();
    // The first looks at the files, which later ones are compared with, stand in line before these.
    if (watcher.options.usePolling)
      for (let k = 0; k < 2; k += 1)
        await Promise.allSettled(Array.from({ length: 16 }, () => lookAtDisk('.')));
  }

  /** Whether a file at this path is watched. */
  covers(path: string): boolean {
    return kindOf(this.#places, path) !== undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#soon);
    await this.#opening;
    clearTimeout(this.#soon);
    await this.#watcher?.close();
  }
}

function exhausted(found: string): ScratchpadError {
  return failed(`the files are polled every ${POLL_MS / 1000} s instead of watched`, {
    expected: 'one system watch per folder and file',
    found,
    next: 'allow more of them: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024',
  });
}

function nearestFolder(path: string): string {
  let at = path;
  while (!exists(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** Whether a link leads to a folder that it lies in. */
function leadsBack(link: string): boolean {
  const real = realPathOf(link);
  for (let at = dirname(link); dirname(at) !== at; at = dirname(at)) if (realPathOf(at) === real) return true;
  return false;
}

/** What was changed. */
export type Kind = 'transcript' | 'memory' | 'config';

/** A place, and what is in it. */
export interface Watched extends FilePlace {
  kind: Kind;
}

export interface WatchedOptions {
  root: string;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** Limits it to this transcript. */
  transcript?: string;
  /** The most recent session, which may be in a place where new ones are not created. */
  active?: string;
}

const EVERGREEN = /^(?:MEMORY|USER)\.md$/i;

/**
 * All sources of the state block. Our own output - SCRATCHPAD.md and `.scratchpad/` except for its config
 * file - is not included, or each run would cause the next.
 */
export function watchedPlaces({ root, config, env, transcript, active }: WatchedOptions): Watched[] {
  const { user, workspace } = configFiles(root, env);
  const isMemory = (name: string): boolean => /\.md$/i.test(name) && name !== PAD_FILE;
  const memory: FilePlace[] = [
    { root, folder: () => false, file: (name) => EVERGREEN.test(name) },
    tree(resolve(root, 'memory'), isMemory),
    ...memoryPaths(config.memory, root, env).flatMap((path) => {
      const named = resolve(root, path);
      return [onlyFile(named), tree(named, isMemory)];
    }),
  ];
  const transcripts =
    transcript === undefined
      ? [
          ...sessionPlaces({ workspace: root, env, paths: config.transcript.paths }),
          ...(active === undefined ? [] : [onlyFile(active)]),
        ]
      : fileOrFolder(transcript, () => false);
  const files = [workspace, ...(user === undefined ? [] : [user])];
  return [
    ...transcripts.map((place) => ({ ...place, kind: 'transcript' as const })),
    ...memory.map((place) => ({ ...place, kind: 'memory' as const })),
    ...files.map((path) => ({ ...onlyFile(path), kind: 'config' as const })),
  ];
}

/** Whether anything watched may be at a folder's path, or below it. */
export function mayHold(places: readonly Watched[], path: string): boolean {
  return places.some((place) => {
    const parts = partsBelow(place.root, path);
    if (parts === undefined) return partsBelow(path, place.root) !== undefined;
    return parts.every((_, k) => place.folder(parts.slice(0, k + 1)));
  });
}

/** The kinds of files that may be in a folder or below it. */
export function kindsIn(places: readonly Watched[], folder: string): Set<Kind> {
  return new Set(places.filter((place) => mayHold([place], folder)).map(({ kind }) => kind));
}

/** The kind of a file; `undefined` if it is not watched. */
export function kindOf(places: readonly Watched[], path: string): Kind | undefined {
  const name = basename(path);
  const found = places.find((place) => {
    const parts = partsBelow(place.root, dirname(path));
    return parts?.every((_, k) => place.folder(parts.slice(0, k + 1))) === true && place.file(name, parts);
  });
  return found?.kind;
}

/** The path components from a folder to a path in it; none for the folder itself, `undefined` outside. */
function partsBelow(folder: string, path: string): string[] | undefined {
  if (path === folder) return [];
  const from = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(from) ? path.slice(from.length).split(sep) : undefined;
}

function tree(root: string, file: (name: string) => boolean): FilePlace {
  const isHidden = (name: string | undefined): boolean =>
    name === 'node_modules' || name?.startsWith('.') === true;
  return {
    root,
    folder: (parts) => !isHidden(parts.at(-1)),
    file: (name) => !name.startsWith('.') && file(name),
  };
}
