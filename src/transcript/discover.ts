import { basename, join, relative, resolve, sep } from 'node:path';
import type { ScratchpadError } from '../base/errors.ts';
import {
  bytesAt,
  homeOf,
  isInside,
  isOwn,
  type OpenFile,
  openFile,
  realPathOf,
  tryStat,
} from '../base/fs/index.ts';
import { isObject, type JsonObject } from '../base/text/json.ts';
import { untrustedFiles } from '../base/trust/provenance.ts';
import type { About } from './format.ts';
import { FORMATS } from './formats/index.ts';
import {
  type FilePlace,
  fileOrFolder,
  filesIn,
  type ListedSession,
  type Search,
  type SessionFile,
  type SessionRef,
  WorkspaceMatch,
} from './home.ts';
import { detectFormat, sample } from './recognise.ts';
import { parseLine } from './source.ts';

export type { SessionRef } from './home.ts';

/** A session that may belong to the workspace; it is opened only if it can matter. */
interface Candidate {
  /** Upper limit of its last activity, in epoch milliseconds. */
  changedMs: number;
  confirm(): SessionRef | undefined;
}

/** Candidates to examine between two turns of the event loop. */
const BATCH = 64;

/** Where to look for sessions. */
export interface DiscoverOptions {
  /** The workspace directory; only sessions that ran in it are returned. */
  workspace: string;
  /** Used for CLAUDE_CONFIG_DIR, CODEX_HOME, OPENCLAW_STATE_DIR, GEMINI_CLI_HOME, PI_CODING_AGENT_DIR. */
  env?: NodeJS.ProcessEnv;
  home?: string;
  /** Extra session files or folders, relative to the workspace. Default `['sessions']`. */
  paths?: string[];
  /** Stop when this many of the newest are certain; default: all. */
  limit?: number;
  /** Called for a session store that exists but cannot be read (locked, too new, no reader in this Node). */
  onProblem?: (problem: ScratchpadError) => void;
}

/**
 * The sessions of a workspace, of all hosts on this machine, most recently active first. Sessions of other
 * projects, timers, hooks and subagents are left out, and archived ones.
 */
export async function discoverSessions(options: DiscoverOptions): Promise<SessionRef[]> {
  const search = {
    match: new WorkspaceMatch(options.workspace),
    env: options.env ?? process.env,
    home: options.home ?? homeOf(options.env ?? process.env),
    paths: (options.paths ?? ['sessions']).map((path) => resolve(options.workspace, path)),
    onProblem: options.onProblem ?? (() => undefined),
  };
  const strangers = strangersIn(options.workspace, search.paths, search.env);
  const found: (SessionFile | ListedSession)[] = search.paths
    .flatMap(listedFiles)
    .filter(({ path }) => !strangers(path));
  for (const { home } of FORMATS) {
    if (home !== undefined) found.push(...(await home.sessions(search)));
  }
  const candidates = found.flatMap((one) => ('ref' in one ? [listed(one)] : fileCandidate(one)));
  candidates.sort((a, b) => b.changedMs - a.changedMs);
  return confirmNewest(candidates, options.limit ?? Number.POSITIVE_INFINITY);
}

/**
 * Finds files in the workspace that are not the person's own sessions: files that git tracks came with a
 * clone, and would count as what the person said last; links that lead outside may have come with an archive.
 */
function strangersIn(
  workspace: string,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): (path: string) => boolean {
  const root = resolve(workspace);
  const inside = paths.filter((path) => isInside(root, path) && tryStat(path) !== undefined);
  if (inside.length === 0) return () => false;
  const names = inside.map((path) => relative(root, path).split(sep).join('/'));
  const wanted = names.map((name, k) => (tryStat(inside[k] ?? '')?.isDirectory() ? `${name}/` : name));
  const tracked = new Set(untrustedFiles(root, wanted, env).map((name) => join(root, name)));
  const real = realPathOf(root) ?? root;
  const leadsOut = (path: string): boolean => !isInside(real, realPathOf(path) ?? path);
  return (path) => tracked.has(path) || (isInside(root, path) && (!isOwn(path, env) || leadsOut(path)));
}

/** Files and folders that the config names: their sessions belong to the workspace, wherever they ran. */
function listedFiles(path: string): SessionFile[] {
  const owns = (): boolean => true;
  if (tryStat(path)?.isDirectory() !== true) return [{ path, owns }];
  return filesIn(path, (name) => /\.jsonl?$/.test(name) && name !== 'sessions.json', owns);
}

function listed({ ref, owns }: ListedSession): Candidate {
  return { changedMs: Date.parse(ref.lastActive), confirm: () => (owns(ref.cwd) ? ref : undefined) };
}

function fileCandidate({ path, host, owns, id, lastActive }: SessionFile): Candidate[] {
  const stats = tryStat(path);
  if (stats?.isFile() !== true) return [];
  return [
    {
      changedMs: lastActive === undefined ? stats.mtimeMs : Date.parse(lastActive),
      confirm() {
        const seen = peek(path, owns);
        if (seen?.format === undefined || seen.subagent) return undefined;
        return {
          host: host ?? seen.format,
          id: id ?? seen.id ?? basename(path).replace(/\.[a-z]+$/, ''),
          path,
          // A wrong clock at the time of writing must not make a session the newest forever.
          lastActive: lastActive ?? earlier(seen.lastActive, new Date(stats.mtimeMs).toISOString()),
          cwd: seen.cwd,
        };
      },
    },
  ];
}

function earlier(told: string | undefined, changed: string): string {
  return told === undefined || later(told, changed) === told ? changed : told;
}

/** Examines candidates from the newest on, until no other can be newer than those found. */
async function confirmNewest(candidates: Candidate[], limit: number): Promise<SessionRef[]> {
  const found = new Map<string, SessionRef>();
  const sorted: SessionRef[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (index % BATCH === BATCH - 1) await new Promise((resume) => setImmediate(resume));
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

/** Where the sessions of a workspace are created and changed, for all hosts. */
export function sessionPlaces(search: Search): FilePlace[] {
  return [
    ...search.paths.flatMap((path) => fileOrFolder(path, (name) => /\.jsonl?$/.test(name))),
    ...FORMATS.flatMap(({ home }) => home?.places(search) ?? []),
  ];
}

/** Bytes to read at each end; the second attempt is for hosts whose first line contains long instructions. */
const ENDS = [32 * 1024, 1024 * 1024];
/** Most records to examine at each end. */
const HEAD_RECORDS = 40;
const TAIL_RECORDS = 8;

/** What both ends of a session file say about it. */
interface Peek {
  /** Name of the format, undefined when none is recognised. */
  format: string | undefined;
  id: string | undefined;
  cwd: string | undefined;
  /** Newest timestamp near the end, ISO 8601 in UTC. */
  lastActive: string | undefined;
  /** True for the session of a subagent. */
  subagent: boolean;
}

/**
 * Reads the start of a session file and, if it ran in a wanted directory, its end.
 * @param belongs called with the directory as soon as it is known
 * @returns undefined if it ran elsewhere, cannot be read or has no records
 */
function peek(path: string, belongs: (cwd: string | undefined) => boolean): Peek | undefined {
  // Synchronous: a machine has thousands of sessions, and a round trip through the thread pool costs more
  // than reading a few kilobytes.
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'transcript');
    if (!file) return undefined;
    const { size } = file.stats;
    for (const length of ENDS) {
      const head = recordsOf(bytesAt(file.fd, 0, Math.min(length, size)), size <= length);
      const cwd = head.map(aboutOf).find((about) => about.cwd !== undefined)?.cwd;
      if (cwd !== undefined && !belongs(cwd)) return undefined;
      const from = Math.max(0, size - length);
      const lines = bytesAt(file.fd, from, size - from)
        .toString()
        .trimEnd()
        .split('\n')
        .slice(-TAIL_RECORDS);
      const tail = lines.flatMap((line) => within(parseLine(Buffer.from(line))));
      if (head.length + tail.length === 0) continue;
      const found = describe(head, tail.length === 0 ? head : tail);
      return belongs(found.cwd) ? found : undefined;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

function describe(head: JsonObject[], tail: JsonObject[]): Peek {
  const start = head.map(aboutOf);
  const end = tail.map(aboutOf);
  const all = [...start, ...end];
  return {
    format: detectFormat([...head, ...tail])?.name,
    id: all.find(({ session }) => session !== undefined)?.session,
    cwd: all.find((about) => about.cwd !== undefined)?.cwd,
    lastActive: end.map(({ time }) => time).reduce(later, undefined),
    subagent:
      start.some(({ subagent }) => subagent === 'session') ||
      (start.length > 0 && start.every(({ subagent }) => subagent === 'record')),
  };
}

/** What a record says about its session, by the format that recognizes it. */
function aboutOf(record: JsonObject): About {
  return FORMATS.find((format) => format.recognises(record))?.about?.(record) ?? {};
}

/** The later of two ISO times in UTC. */
function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

/** The first records of a file; of one JSON value those in it. */
function recordsOf(bytes: Buffer, isWhole: boolean): JsonObject[] {
  const records = sample(bytes, isWhole, HEAD_RECORDS).flatMap(within);
  return records.length > 0 ? records : within(parseLine(bytes));
}

/** An object, and the messages in it. */
function within(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  if (!isObject(value)) return [];
  return [value, ...(Array.isArray(value.messages) ? value.messages.filter(isObject) : [])];
}
