import { resolve } from 'node:path';
import type { ScratchpadError } from '../errors.ts';
import { claudeSessions } from './hosts/claude.ts';
import { codexSessions } from './hosts/codex.ts';
import { listedSessions } from './hosts/files.ts';
import { geminiSessions } from './hosts/gemini.ts';
import type { Candidate, Host, SessionRef } from './hosts/host.ts';
import { openClawSessions } from './hosts/openclaw.ts';
import { piSessions } from './hosts/pi.ts';
import { WorkspaceMatch } from './workspace-match.ts';

export type { SessionRef } from './hosts/host.ts';

const HOSTS: readonly Host[] = [
  listedSessions,
  openClawSessions,
  claudeSessions,
  codexSessions,
  geminiSessions,
  piSessions,
];

/** Candidates looked into between two turns of the event loop. */
const BATCH = 64;

/** Where to look for sessions. */
export interface DiscoverOptions {
  /** The workspace directory; only sessions that ran in it are given. */
  workspace: string;
  /** Read for CLAUDE_CONFIG_DIR, CODEX_HOME, OPENCLAW_STATE_DIR, GEMINI_CLI_HOME, PI_CODING_AGENT_DIR. */
  env?: NodeJS.ProcessEnv;
  home?: string;
  /** Extra session files or folders, relative to the workspace. Default `['sessions']`. */
  paths?: string[];
  /** Stop once this many of the newest are certain; default all. */
  limit?: number;
  signal?: AbortSignal;
  /** Told of a store that is there and cannot be read (locked, too new, no reader on this Node). */
  onProblem?: (problem: ScratchpadError) => void;
}

/**
 * The sessions of a workspace over all hosts on this machine, the last active one first. Sessions of other
 * projects, of timers and hooks, of subagents, and archived ones are left out.
 */
export async function discoverSessions(options: DiscoverOptions): Promise<SessionRef[]> {
  const search = {
    match: new WorkspaceMatch(options.workspace),
    env: options.env ?? process.env,
    home: options.home ?? (await import('node:os')).homedir(),
    paths: (options.paths ?? ['sessions']).map((path) => resolve(options.workspace, path)),
    onProblem: options.onProblem ?? (() => undefined),
  };
  const candidates: Candidate[] = [];
  for (const host of HOSTS) {
    options.signal?.throwIfAborted();
    candidates.push(...(await host(search)));
  }
  candidates.sort((a, b) => b.changedMs - a.changedMs);
  return confirmNewest(candidates, options.limit ?? Number.POSITIVE_INFINITY, options.signal);
}

/** Look into candidates from the newest on, until no other one can be newer than those found. */
async function confirmNewest(
  candidates: Candidate[],
  limit: number,
  signal?: AbortSignal,
): Promise<SessionRef[]> {
  const found = new Map<string, SessionRef>();
  const sorted: SessionRef[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resume) => setImmediate(resume));
    signal?.throwIfAborted();
    const last = sorted[limit - 1];
    if (last !== undefined && candidate.changedMs < Date.parse(last.lastActive)) break;
    const ref = candidate.confirm();
    if (ref === undefined) continue;
    const key = `${ref.path}\0${ref.id}`;
    if (found.has(key)) continue;
    found.set(key, ref);
    sorted.push(ref);
    if (sorted.length > limit) sorted.sort(byActivity).pop();
    else if (sorted.length === limit) sorted.sort(byActivity);
  }
  return sorted.sort(byActivity).slice(0, limit);
}

function byActivity(a: SessionRef, b: SessionRef): number {
  if (a.lastActive !== b.lastActive) return a.lastActive < b.lastActive ? 1 : -1;
  return a.path < b.path ? -1 : 1;
}
