import { basename, dirname, join } from 'node:path';
import type { ScratchpadError } from '../errors.ts';
import { tryList } from '../fs/index.ts';
import type { WorkspaceMatch } from './workspace-match.ts';

/** A session that discovery found. */
export interface SessionRef {
  /** Which agent wrote it: `claude-code`, `codex`, `gemini`, `openclaw`, `pi`, or a format's name. */
  host: string;
  /** The host's id; for an OpenClaw database its session key. */
  id: string;
  /** The session file, or the database that holds it. */
  path: string;
  cwd?: string;
  /** ISO 8601 in UTC. */
  lastActive: string;
}

/** Whose home and settings say where the hosts keep their sessions. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  home: string;
}

/** What a host needs to find its sessions. */
export interface Search extends Surroundings {
  match: WorkspaceMatch;
  /** Extra files and folders, absolute. */
  paths: readonly string[];
  /** Told of a store that is there and cannot be read. */
  onProblem: (problem: ScratchpadError) => void;
}

/** A file that may be a session of the workspace: its own lines tell where it ran. */
export interface SessionFile {
  path: string;
  /** What to call the host, where the format does not say it. */
  host?: string;
  /** Whether a session that ran there belongs to the workspace. */
  owns(cwd: string | undefined): boolean;
  /** Told by an index of the host, in place of what the file says. */
  id?: string;
  lastActive?: string;
}

/** A session as a host's database lists it. */
export interface ListedSession {
  ref: SessionRef;
  owns(cwd: string | undefined): boolean;
}

/** A part of the file system in which files of one kind appear and change. */
export interface Place {
  /** Absolute; it need not exist yet. */
  root: string;
  /** Whether a folder below the root may hold such files, by the names that lead to it. Never asked for the root. */
  folder(parts: readonly string[]): boolean;
  /** Whether it is such a file, by its name and the names of the folders below the root that lead to it. */
  file(name: string, parts: readonly string[]): boolean;
}

/** Where a host keeps its sessions. */
export interface Home {
  /** Those that may be of a workspace. Looked into only as far as names and indexes tell. */
  sessions(search: Search): (SessionFile | ListedSession)[] | Promise<(SessionFile | ListedSession)[]>;
  /** Where they appear and change: wide enough, never narrower than `sessions`. */
  places(search: Search): Place[];
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
    .map((name) => ({ path: join(directory, name), owns, ...(host !== undefined && { host }) }));
}

/** One file, wherever it lies. */
export function onlyFile(path: string): Place {
  const wanted = basename(path);
  return { root: dirname(path), folder: () => false, file: (name) => name === wanted };
}

/** A path that is a file or a folder of such files, or will be one of them some day. */
export function fileOrFolder(path: string, isOne: (name: string) => boolean): Place[] {
  return [onlyFile(path), { root: path, folder: () => false, file: isOne }];
}
