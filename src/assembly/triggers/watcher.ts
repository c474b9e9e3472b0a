import { basename, dirname, join, resolve, sep } from 'node:path';
import { FSWatcher } from 'chokidar';
import { hasCode } from '../../base/errors.ts';
import { exists, PAD_FILE, resolveRealPath, tryList, tryStat, walkUpward } from '../../base/fs/index.ts';
import { expandHome } from '../../config/command.ts';
import { listConfigFiles } from '../../config/load.ts';
import type { Pad } from '../../core/context.ts';
import { listMemoryPaths } from '../../memory/places.ts';
import { TASK_FILE } from '../../stages/tasks.ts';
import {
  type FilePlace,
  listFilePlaces,
  listSessionPlaces,
  makeFilePlace,
} from '../../transcript/discover.ts';

interface WatcherOptions {
  onChange: (kind: Kind) => void;
  /** Called when the system refuses to watch something; the rest is still watched. */
  onProblem: (error: unknown) => void;
  /** Polls at this interval, in milliseconds: the system reports nothing for network drives. */
  pollMs?: number;
}

/** How long to wait for more changes: folders are created and removed in bursts. */
const SETTLE_MS = 100;

/**
 * Watches places with chokidar; for a missing one it watches the nearest folder above. After a folder was removed it
 * watches all places anew. chokidar reports nothing of a folder that is replaced in one step.
 */
export class PlacesWatcher {
  readonly #options: WatcherOptions;
  #watcher: FSWatcher | undefined;
  #opening: Promise<void> = Promise.resolve();
  #restart: NodeJS.Timeout | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** Watches these places from now on; a change before it resolves may be missed. */
  watch(places: readonly WatchedPlace[]): Promise<void> {
    clearTimeout(this.#restart);
    this.#opening = this.#opening.then(() => this.#open(places));
    return this.#opening;
  }

  async #open(places: readonly WatchedPlace[]): Promise<void> {
    await this.#watcher?.close();
    const { onChange, onProblem, pollMs } = this.#options;
    const watcher = new FSWatcher({
      ignoreInitial: true,
      atomic: false,
      usePolling: pollMs !== undefined,
      interval: pollMs,
      binaryInterval: pollMs,
      ignored: (path, stats) =>
        (stats?.isSymbolicLink() && isLoop(path)) ||
        !(findKinds(places, path, false).size > 0 || (!stats?.isFile() && mayHold(places, path))),
    });

    this.#watcher = watcher;
    const removed = new Set<string>();
    const handleChange = (path: string): void => findKinds(places, path).forEach(onChange);

    watcher.on('all', (event, path) => {
      handleChange(path);
      if (event !== 'unlinkDir') return;

      removed.add(path);
      clearTimeout(this.#restart);
      this.#restart = setTimeout(
        () => void this.watch(places).then(() => removed.forEach(handleChange)),
        SETTLE_MS,
      );
    });
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      watcher.on('error', (error) => {
        onProblem(error);
        if (hasCode(error, 'ENOSPC', 'EMFILE', 'ENFILE')) resolve();
      });
      watcher.add([...new Set(places.map(({ root }) => findNearestFolder(root)))]);
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#restart);
    await this.#opening;
    clearTimeout(this.#restart);
    await this.#watcher?.close();
  }
}

const findNearestFolder = (path: string): string => [...walkUpward(path)].find(exists) ?? path;

function isLoop(link: string): boolean {
  const real = resolveRealPath(link);
  return [...walkUpward(dirname(link))].some((folder) => resolveRealPath(folder) === real);
}

export type Kind = 'transcript' | 'memory' | 'calendar' | 'config' | 'plan';

interface WatchedPlace extends FilePlace {
  kind: Kind;
}

const EVERGREEN = /^(?:MEMORY|USER)\.md$/i;

/**
 * All sources of the state block but the plan. Our own output, which is SCRATCHPAD.md and all in `.scratchpad/` but the
 * config file, is left out, or each run would cause the next.
 * @param transcript the only transcript to watch
 * @param active the most recent session, which may be in a place where new ones are not created
 */
export function listWatchedPlaces(
  { root, config, env }: Pick<Pad, 'root' | 'config' | 'env'>,
  transcript?: string,
  active?: string,
): WatchedPlace[] {
  const { user, workspace } = listConfigFiles(root, env);
  const isMemory = (name: string): boolean => /\.md$/i.test(name) && name !== PAD_FILE;
  const memory: FilePlace[] = [
    { root, folder: () => false, file: (name) => EVERGREEN.test(name) || TASK_FILE.test(name) },
    makeTreePlace(resolve(root, 'memory'), isMemory),
    ...listMemoryPaths(config.memory, root, env)
      .map((path) => resolve(root, path))
      .flatMap((path) => [makeFilePlace(path), makeTreePlace(path, isMemory)]),
  ];

  const calendars = config.alerts.calendars
    .map((name) => resolve(root, expandHome(name, env)))
    .flatMap((path) => listFilePlaces(path, (name) => /\.ics$/i.test(name)));

  const transcripts =
    transcript === undefined
      ? [
          ...listSessionPlaces({ workspace: root, env, paths: config.transcript.paths }),
          ...(active === undefined ? [] : [makeFilePlace(active)]),
        ]
      : listFilePlaces(transcript, () => false);

  const files = [workspace, ...(user === undefined ? [] : [user])];

  return [
    ...transcripts.map((place) => ({ ...place, kind: 'transcript' as const })),
    ...memory.map((place) => ({ ...place, kind: 'memory' as const })),
    ...calendars.map((place) => ({ ...place, kind: 'calendar' as const })),
    ...files.map((path) => ({ ...makeFilePlace(path), kind: 'config' as const })),
  ];
}

/** Whether a file in one of these places is newer than a time, in epoch milliseconds: written, or moved there. */
export function hasNewerFile(places: readonly FilePlace[], since: number): boolean {
  const hasNewer = (place: FilePlace, folder: string, parts: readonly string[]): boolean =>
    tryList(folder).some((name) => {
      const path = join(folder, name);
      const pathParts = [...parts, name];
      if (place.file(name, parts) && (tryStat(path)?.ctimeMs ?? 0) > since) return true;

      const isFolder = place.folder(pathParts) && tryStat(path)?.isDirectory();
      return isFolder && !isLoop(path) && hasNewer(place, path, pathParts);
    });

  return places.some((place) => hasNewer(place, place.root, []));
}

const mayHold = (places: readonly WatchedPlace[], path: string): boolean =>
  places.some((place) => {
    const parts = splitRelative(place.root, path);
    return parts === undefined ? splitRelative(path, place.root) !== undefined : isWatched(place, parts);
  });

/** The kinds of a file; with `asFolder` also the kinds of the files that a folder with this path may hold. */
export function findKinds(places: readonly WatchedPlace[], path: string, asFolder = true): Set<Kind> {
  const found = places.filter((place) => {
    const parts = splitRelative(place.root, dirname(path));
    const isFile = parts !== undefined && isWatched(place, parts) && place.file(basename(path), parts);
    return isFile || (asFolder && mayHold([place], path));
  });

  return new Set(found.map(({ kind }) => kind));
}

const isWatched = (place: WatchedPlace, folders: readonly string[]): boolean =>
  folders.every((_, k) => place.folder(folders.slice(0, k + 1)));

/** The path components from a folder to a path in it; none for the folder itself, `undefined` outside. */
function splitRelative(folder: string, path: string): string[] | undefined {
  if (path === folder) return [];
  const from = folder.endsWith(sep) ? folder : folder + sep;
  return path.startsWith(from) ? path.slice(from.length).split(sep) : undefined;
}

function makeTreePlace(root: string, file: (name: string) => boolean): FilePlace {
  const isHidden = (name: string | undefined): boolean =>
    name === 'node_modules' || name?.startsWith('.') === true;
  return {
    root,
    folder: (parts) => !isHidden(parts.at(-1)),
    file: (name) => !name.startsWith('.') && file(name),
  };
}
