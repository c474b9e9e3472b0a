import { basename, dirname, resolve, sep } from 'node:path';
import { homeOf, PAD_FILE } from '../../base/fs/index.ts';
import type { Config } from '../../config/config.ts';
import { configFiles } from '../../config/load.ts';
import { memoryPaths } from '../../memory/places.ts';
import { sessionPlaces } from '../../transcript/discover.ts';
import { type FilePlace, fileOrFolder, onlyFile, WorkspaceMatch } from '../../transcript/home.ts';

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
          ...sessionPlaces({
            match: new WorkspaceMatch(root),
            env,
            home: homeOf(env),
            paths: config.transcript.paths.map((path) => resolve(root, path)),
            onProblem: () => undefined,
          }),
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
