import { dirname } from 'node:path';
import { FSWatcher } from 'chokidar';
import { hasCode, messageOf, ScratchpadError } from '../../base/errors.ts';
import { exists, realPathOf } from '../../base/fs/index.ts';
import { type Kind, kindOf, kindsIn, mayHold, type Watched } from './watched.ts';

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

/**
 * Watches places with chokidar; one that does not exist yet is waited for at the nearest folder above it. When the
 * system has no more watches to give, the files are polled.
 */
export class PlacesWatcher {
  readonly #options: WatcherOptions;
  #places: readonly Watched[] = [];
  #watcher: FSWatcher | undefined;
  #pollMs: number | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs;
  }

  /** Watches these places from now on; a change before it resolves may be missed. */
  async watch(places: readonly Watched[]): Promise<void> {
    await this.close();
    this.#places = places;
    const watcher = new FSWatcher({
      ignoreInitial: true,
      usePolling: this.#pollMs !== undefined,
      interval: this.#pollMs,
      binaryInterval: this.#pollMs,
      ignored: (path, stats) =>
        (stats?.isSymbolicLink() && leadsBack(path)) ||
        !(this.covers(path) || (!stats?.isFile() && mayHold(places, path))),
    });
    this.#watcher = watcher;
    watcher.on('all', (event, path) => {
      const kinds = event.endsWith('Dir') ? kindsIn(places, path) : [kindOf(places, path)];
      for (const kind of kinds) if (kind !== undefined) this.#options.onChange(kind);
    });
    const roots = new Set(places.map(({ root }) => nearestFolder(root)));
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      watcher.on('error', (error) => {
        if (!hasCode(error, ...NO_MORE_WATCHES) || this.#pollMs !== undefined) {
          this.#options.onProblem(error);
          return;
        }
        this.#pollMs = POLL_MS;
        this.#options.onProblem(exhausted(messageOf(error)));
        resolve(this.watch(places));
      });
      watcher.add([...roots]);
    });
  }

  /** Whether a file at this path is watched. */
  covers(path: string): boolean {
    return kindOf(this.#places, path) !== undefined;
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
  }
}

function exhausted(found: string): ScratchpadError {
  return new ScratchpadError(
    'environment',
    `the files are polled every ${POLL_MS / 1000} s instead of watched`,
    {
      expected: 'one system watch per folder and file',
      found,
      next: 'allow more of them: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024',
    },
  );
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
