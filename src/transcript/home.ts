import { basename, dirname, join, resolve } from 'node:path';
import type { ScratchpadError } from '../base/errors.ts';
import { DATA_DIR, exists, isInside, PAD_FILE, realPathOf, tryList } from '../base/fs/index.ts';

/** A session that discovery found. */
export interface SessionRef {
  /** The agent that wrote it: `claude-code`, `codex`, `gemini`, `openclaw`, `pi`, or a format's name. */
  host: string;
  /** The host's id; for an OpenClaw database its session key. */
  id: string;
  /** The session file, or the database that holds it. */
  path: string;
  cwd?: string;
  /** ISO 8601 in UTC. */
  lastActive: string;
}

/** The home and environment that determine where hosts keep their sessions. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  home: string;
}

/** What is needed to find a host's sessions. */
export interface Search extends Surroundings {
  match: WorkspaceMatch;
  /** Extra files and folders, absolute. */
  paths: readonly string[];
  /** Called for a session store that exists but cannot be read. */
  onProblem: (problem: ScratchpadError) => void;
}

/** A file that may be a session of the workspace; its content tells where it ran. */
export interface SessionFile {
  path: string;
  /** The host's name, if the format does not tell. */
  host?: string;
  /** Whether a session that ran there belongs to the workspace. */
  owns(cwd: string | undefined): boolean;
  /** From an index of the host; overrides the file's content. */
  id?: string;
  lastActive?: string;
  cwd?: string;
  /** In a database, that the host's own list tells all about it. */
  isListed?: true;
}

/** A part of the file system in which files of one kind are created and changed. */
export interface FilePlace {
  /** Absolute; it need not exist yet. */
  root: string;
  /**
   * Whether a folder below the root may contain such files, by the names of its path components. Never called
   * for the root.
   */
  folder(parts: readonly string[]): boolean;
  /** Whether a file is one of them, by its name and the names of its folders below the root. */
  file(name: string, parts: readonly string[]): boolean;
}

/** Where a host keeps its sessions. */
export interface Home {
  /** Candidates for a workspace, judged by names and indexes only. */
  sessions(search: Search): SessionFile[] | Promise<SessionFile[]>;
  /** Where they are created and changed: may be wider than `sessions`, never narrower. */
  places(search: Search): FilePlace[];
}

/** The files of a directory that have the name of a session. */
export function filesIn(
  directory: string,
  isSession: (name: string) => boolean,
  owns: SessionFile['owns'],
  host?: string,
): SessionFile[] {
  return tryList(directory)
    .filter(isSession)
    .map((name) => ({ path: join(directory, name), owns, host }));
}

/**
 * The home of a host that keeps a project's sessions in a folder named after its path. Two paths can have the same folder
 * name: the directory in the sessions decides.
 * @param isProject whether a folder may belong to a workspace with one of its names
 */
export const homeByFolder = (
  rootOf: (search: Surroundings) => string,
  isProject: (folder: string, workspace: string) => boolean,
  isSession: (name: string) => boolean,
): Home => {
  const isOurs = (folder: string, { match }: Search): boolean =>
    match.names.some((workspace) => isProject(folder, workspace));
  return {
    sessions(search) {
      const folders = tryList(rootOf(search)).filter((name) => isOurs(name, search));
      return folders.flatMap((folder) =>
        filesIn(join(rootOf(search), folder), isSession, (cwd) => search.match.owns(cwd)),
      );
    },
    places: (search) => [
      {
        root: rootOf(search),
        folder: (parts) => parts.length === 1 && isOurs(parts[0] ?? '', search),
        file: (name, parts) => parts.length === 1 && isSession(name),
      },
    ],
  };
};

/** A single file, wherever it is. */
export function onlyFile(path: string): FilePlace {
  const wanted = basename(path);
  return { root: dirname(path), folder: () => false, file: (name) => name === wanted };
}

/** A path that is a file or a folder of such files, or may become one. */
export function fileOrFolder(path: string, isOne: (name: string) => boolean): FilePlace[] {
  return [onlyFile(path), { root: path, folder: () => false, file: isOne }];
}

/** What makes a subdirectory a project of its own. */
const OWN_PROJECT = [PAD_FILE, DATA_DIR, '.git'];

/** A workspace, as sessions name it. */
export interface WorkspaceMatch {
  /** As given and with symbolic links resolved. */
  names: readonly string[];
  /**
   * Whether a directory is the workspace itself, by any of its names, or inside it and not a project of its
   * own.
   */
  owns(cwd: string | undefined): boolean;
}

export function workspaceMatch(workspace: string): WorkspaceMatch {
  const given = resolve(workspace);
  const real = realPathOf(given) ?? given;
  const names = [...new Set([given, real])];
  const decide = (cwd: string): boolean => {
    const own = realPathOf(cwd) ?? cwd;
    if (names.includes(cwd) || own === real) return true;
    if (!isInside(real, own) || !exists(own)) return false;
    for (let at = own; at !== real && at !== dirname(at); at = dirname(at))
      if (OWN_PROJECT.some((name) => exists(join(at, name)))) return false;
    return true;
  };
  const known = new Map<string, boolean>();
  return {
    names,
    owns(cwd) {
      if (cwd === undefined) return false;
      const owned = known.get(cwd) ?? decide(resolve(cwd));
      known.set(cwd, owned);
      return owned;
    },
  };
}
