import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ScratchpadError } from '../../errors.ts';
import { isoUtc } from '../../text/iso-time.ts';
import { later, peek } from '../peek.ts';
import type { WorkspaceMatch } from '../workspace-match.ts';

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
export interface Home {
  env: NodeJS.ProcessEnv;
  home: string;
}

/** What a host needs to find its sessions. */
export interface Search extends Home {
  match: WorkspaceMatch;
  /** Extra files and folders, absolute. */
  paths: readonly string[];
  /** Told of a store that is there and cannot be read. */
  onProblem: (problem: ScratchpadError) => void;
}

/** A session that may belong to the workspace; looked into only when it can matter. */
export interface Candidate {
  /** No activity is later than this, in milliseconds since the epoch. */
  changedMs: number;
  confirm(): SessionRef | undefined;
}

/** Finds the sessions of one host. */
export type Host = (search: Search) => Candidate[] | Promise<Candidate[]>;

/** Names in a directory; none when it is not there. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** A candidate for a session file whose own lines tell where it ran; undefined when it is no file. */
export function fileCandidate(
  host: string,
  path: string,
  belongs: (cwd: string | undefined) => boolean,
): Candidate | undefined {
  const changedMs = fileTime(path);
  if (changedMs === undefined) return undefined;
  return {
    changedMs,
    confirm() {
      const seen = peek(path, belongs);
      if (seen === undefined || seen.format === undefined || seen.subagent) return undefined;
      const ref: SessionRef = {
        host: host === '' ? seen.format : host,
        id: seen.id ?? basename(path).replace(/\.[a-z]+$/, ''),
        path,
        // A clock that was wrong while the file was written must not make it the newest for ever.
        lastActive: earlier(seen.lastActive, isoUtc(changedMs)),
      };
      if (seen.cwd !== undefined) ref.cwd = seen.cwd;
      return ref;
    },
  };
}

function earlier(told: string | undefined, changed: string): string {
  return told === undefined || later(told, changed) === told ? changed : told;
}

/** Time of the last change of a file in milliseconds, undefined when it is no file. */
export function fileTime(path: string): number | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.mtimeMs : undefined;
  } catch {
    return undefined;
  }
}

/** Candidates for the session files in a directory. */
export function filesIn(
  host: string,
  directory: string,
  isSession: (name: string) => boolean,
  belongs: (cwd: string | undefined) => boolean,
): Candidate[] {
  return namesIn(directory)
    .filter(isSession)
    .map((name) => fileCandidate(host, join(directory, name), belongs))
    .filter((candidate) => candidate !== undefined);
}
