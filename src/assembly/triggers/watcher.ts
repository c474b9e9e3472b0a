import { basename, dirname, join, resolve, sep } from 'node:path';
import { FSWatcher } from 'chokidar';
import { failed, hasCode, messageOf, type ScratchpadError } from '../../base/errors.ts';
import { exists, lookAtDisk, realPathOf, type Stats } from '../../base/fs/index.ts';
import { type Kind, kindOf, kindsIn, mayHold, type Watched } from './watched.ts';

export interface WatcherOptions {
  onChange: (kind: Kind, path: string) => void;
  /** Called when the system refuses to watch something; the rest is still watched. */
  onProblem: (error: unknown) => void;
  /**
   * Polls every file at this interval, in milliseconds, instead of asking the system, which reports nothing
   * for network drives.
   */
  pollMs?: number;
}

/** Polling interval in milliseconds where the system reports nothing, or has no more watches. */
const POLL_MS = 5000;

/** Folders are created and removed in bursts; how long to wait, in milliseconds. */
const SETTLE_MS = 100;

/** Error codes for having no more watches or open files. */
const NO_MORE_WATCHES = ['ENOSPC', 'EMFILE', 'ENFILE'];

/**
 * Watches places with chokidar; one that does not exist yet is waited for at the nearest folder
 * above it. Only folders are handed to the system, one watch each, since a folder tells of its
 * files: a watch for each of ten thousand files costs 130 MB. When the system has no more watches
 * to give, the files are looked at instead.
 *
 * chokidar compares names: of a folder that goes and comes back at once it keeps the watch that
 * is dead, and what comes into a folder between its reading and its watching it does not see. So
 * after folders have come or gone, dead watches are let go and another chokidar reads everything,
 * until two readings agree. It shares the watches that live with the one before, so that nothing
 * is missed in between.
 */
export class PlacesWatcher {
  #places: readonly Watched[];
  readonly #options: WatcherOptions;
  #pollMs: number | undefined;
  /** More than one while everything is read again, the last is the newest; and what lets each go on before it is ready. */
  readonly #open = new Map<FSWatcher, () => void>();
  /** Folders whose watches were let go since everything was read. */
  #gone = new Set<string>();
  #reading: Promise<void> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  readonly #problems = new Set<string>();
  #closed = false;

  private constructor(places: readonly Watched[], options: WatcherOptions) {
    this.#places = places;
    this.#options = options;
    this.#pollMs = options.pollMs;
  }

  /** Resolves when nothing that changes from now on is missed. */
  static async open(places: readonly Watched[], options: WatcherOptions): Promise<PlacesWatcher> {
    const watcher = new PlacesWatcher(places, options);
    await watcher.#readAgain();
    return watcher;
  }

  /** Watches other places from now on; nothing is missed in between. */
  async move(places: readonly Watched[]): Promise<void> {
    this.#places = places;
    await this.#readAgain();
  }

  /** Whether a file at this path is watched. */
  covers(path: string): boolean {
    return kindOf(this.#places, path) !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#soon);
    for (const enough of this.#open.values()) enough();
    await this.#closeAll([...this.#open.keys()]);
  }

  #readSoon(): void {
    if (!this.#closed) this.#soon ??= setTimeout(() => void this.#readAgain(), SETTLE_MS);
  }

  #readAgain(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const before = [...this.#open.keys()];
    const known = new Set(before.flatMap(pathsOf).filter((path) => !isBelow(this.#gone, path)));
    this.#gone = new Set();
    const pollMs = this.#pollMs;
    const watcher = await this.#start();
    await this.#closeAll(before);
    if (this.#closed) return;
    if (this.#pollMs !== pollMs) return this.#read();
    const found = new Set(pathsOf(watcher));
    const other = [...known].filter((path) => !found.has(path));
    for (const path of found) if (!known.has(path)) other.push(path);
    for (const path of other) {
      this.#tellFile(path);
      const places = this.#places.filter(({ root }) => isBelow([root], path));
      this.#tellFolder(places, path);
    }
    if (other.length > 0) this.#readSoon();
  }

  /** Another chokidar; resolves when it has read everything, or is closed. */
  async #start(): Promise<FSWatcher> {
    const interval = this.#pollMs ?? POLL_MS;
    const watcher = new FSWatcher({
      ignoreInitial: true,
      atomic: false,
      usePolling: this.#pollMs !== undefined,
      interval,
      binaryInterval: interval,
      ignored: (path, stats) => {
        // Asked of the watcher: CHOKIDAR_USEPOLLING has the last word.
        if (stats?.isFile()) return !watcher.options.usePolling || !this.covers(path);
        if (stats?.isSymbolicLink() && leadsBack(path)) return true;
        return !mayHold(this.#places, path) && !this.covers(path);
      },
    });
    const ready = new Promise<void>((resolve) => {
      this.#open.set(watcher, resolve);
      watcher.once('ready', resolve);
    });
    watcher.on('error', (error) => this.#failed(error, watcher));
    watcher.on('raw', (event, name, details) => this.#noticed(event, name, details as Details));
    watcher.on('all', (event, path) => {
      if (!event.endsWith('Dir')) return this.#tellFile(path);
      this.#tellFolder(this.#places, path);
      this.#readSoon();
    });
    watcher.add([...new Set(this.#places.map(({ root }) => nearestFolder(root)))]);
    await ready;
    // The first looks at the files, which later ones are compared with, stand in line before these. Several at a
    // time, since they are served by several threads.
    if (watcher.options.usePolling)
      for (let k = 0; k < 2; k += 1)
        await Promise.allSettled(Array.from({ length: 16 }, () => lookAtDisk('.')));
    return watcher;
  }

  /** What the system tells of a folder comes in words of its own. */
  #noticed(event: string, name: string | null, { watchedPath, curr, prev }: Details): void {
    const path = resolve(watchedPath ?? '', name ?? '');
    this.#tellFile(path);
    // A folder that is looked at is read anew only when its time goes forward.
    if (curr !== undefined && prev !== undefined) {
      if (curr.isDirectory() && curr.mtimeMs <= prev.mtimeMs) this.#readSoon();
    } else if (event === 'rename' && watchedPath !== undefined) {
      // A name that came or went. A folder that goes tells its own.
      if (this.#isWatched(path)) this.#letGo(path);
      else if (name === null || name === basename(watchedPath)) this.#letGo(watchedPath);
    }
  }

  #isWatched(folder: string): boolean {
    return [...this.#open.keys()].some((watcher) => folder in watcher.getWatched());
  }

  #letGo(folder: string): void {
    this.#gone.add(folder);
    for (const watcher of this.#open.keys())
      watcher.unwatch(Object.keys(watcher.getWatched()).filter((path) => isBelow([folder], path)));
    this.#tellFolder(this.#places, folder);
    this.#readSoon();
  }

  #tellFile(path: string): void {
    const kind = kindOf(this.#places, path);
    if (kind !== undefined) this.#options.onChange(kind, path);
  }

  /** Tells that a folder came or went, with files in it perhaps. */
  #tellFolder(places: readonly Watched[], path: string): void {
    for (const kind of kindsIn(places, path)) this.#options.onChange(kind, path);
  }

  #failed(error: unknown, watcher: FSWatcher): void {
    const message = messageOf(error);
    const isExhausted = hasCode(error, ...NO_MORE_WATCHES);
    // It may have given up reading. One that came after it has not.
    if (isExhausted) this.#open.get(watcher)?.();
    if (isExhausted && !watcher.options.usePolling) {
      if (this.#pollMs !== undefined) return;
      this.#pollMs = POLL_MS;
      this.#options.onProblem(exhausted(message));
      this.#readSoon();
    } else if (!this.#problems.has(message)) {
      // Each reading meets it again.
      this.#problems.add(message);
      this.#options.onProblem(error);
    }
  }

  async #closeAll(watchers: readonly FSWatcher[]): Promise<void> {
    for (const watcher of watchers) this.#open.delete(watcher);
    await Promise.all(watchers.map((watcher) => watcher.close()));
  }
}

/** What chokidar says with a raw event: where the system watches, or what it saw when it looked. */
interface Details {
  watchedPath?: string;
  curr?: Stats;
  prev?: Stats;
}

function exhausted(found: string): ScratchpadError {
  return failed(`the files are polled every ${POLL_MS / 1000} s instead of watched`, {
    expected: 'one system watch per folder',
    found,
    next: 'allow more of them: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024',
  });
}

function pathsOf(watcher: FSWatcher): string[] {
  return Object.entries(watcher.getWatched()).flatMap(([folder, names]) => [
    folder,
    ...names.map((name) => join(folder, name)),
  ]);
}

function isBelow(folders: Iterable<string>, path: string): boolean {
  for (const folder of folders) if (path === folder || path.startsWith(folder + sep)) return true;
  return false;
}

/** Whether a link leads to a folder that it lies in. */
function leadsBack(link: string): boolean {
  const real = realPathOf(link);
  for (let at = dirname(link); dirname(at) !== at; at = dirname(at)) if (realPathOf(at) === real) return true;
  return false;
}

function nearestFolder(path: string): string {
  let at = path;
  while (!exists(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
