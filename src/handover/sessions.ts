import { join, sep } from 'node:path';
import { getMessage } from '../base/errors.ts';
import { DATA_DIR, tryStat } from '../base/fs/index.ts';
import { findGitPlace, listFormerNames } from '../base/git/place.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { quoteName } from '../base/text/strings.ts';
import { getChat, hasSessionEnded, isOfOtherChat } from '../session/actor.ts';
import { discoverSessions } from '../transcript/discover.ts';
import { listItems } from '../transcript/record.ts';
import {
  getLastActivity,
  makeWorkTreeKey,
  type RecordUpdate,
  readStoredSession,
  readStoredSessions,
  type StoredSession,
  storeSession,
  type UpdateOptions,
  updateRecord,
} from '../transcript/store.ts';
import { isTurnOver } from './state.ts';

export interface HandoverOptions extends Omit<UpdateOptions, 'session' | 'path'> {
  session?: string | undefined;
  transcript?: string | undefined;
  /** Epoch milliseconds. */
  now: number;
  config: { transcript: { paths: string[] } };
  env?: NodeJS.ProcessEnv | undefined;
  /** The host shows its model branch, `git status` and the last commits at a start. */
  showsGit?: boolean | undefined;
  /** When the notes were changed last, epoch milliseconds. */
  notedAt?: (() => Promise<number>) | undefined;
  /** Who had a plan, and who made it its own, the oldest first. */
  planTakers?: (() => Promise<[giver: string, taker: string][]>) | undefined;
  /** The session that asks is itself run by a script, and goes on with the work of scripts. */
  scripted?: boolean | undefined;
  onProblem: (problem: string) => void;
}

const OLDEST_MS = 14 * DAY_MS;
/** Many, because scripted and empty sessions may lie between. */
const LISTED = 24;
const TRIES = 6;
/** A session whose file grew so recently, and that has no end, may be running. */
const RUNNING_MS = 2 * 60_000;

export async function ownSession(options: HandoverOptions): Promise<RecordUpdate | undefined> {
  const { root, transcript, session } = options;
  if (transcript !== undefined) return read(options, session ?? transcript, transcript, options.cwd);

  if (session !== undefined) {
    const stored = readStoredSession(root, session);
    // Each conversation of a chat has a file of its own.
    const isSettled =
      stored?.path !== undefined && (isDatabase(stored.path) || getChat(session) === undefined);
    const sessions = isSettled ? [] : await discoverWorkspaceSessions(options);
    const found = sessions.find(({ id, chat }) => id === session || chat === session)?.path;
    // The next one has no file before its first answer.
    if (found === undefined && stored?.path !== undefined && !isSettled) return undefined;

    const path = found ?? stored?.path;
    if (path !== undefined) return read(options, session, path, options.cwd);
    return stored && { ...stored, anew: false };
  }

  const [newest] = await discoverWorkspaceSessions(options, 1);

  return newest && read(options, newest.id, newest.path, undefined);
}

const read = (
  options: HandoverOptions,
  session: string,
  path: string,
  cwd: string | undefined,
): Promise<RecordUpdate | undefined> => updateRecord({ ...options, session, path, cwd }, options.onProblem);

/** The sessions before one, newest first, and the one whose work a prompt may go on with. */
export interface PreviousSessions {
  last: StoredSession | undefined;
  title: string;
  /** A branch of its own is checked out, and that session was on another one. */
  isElsewhere: boolean;
  all: StoredSession[];
  /** Those that scripts began, beside a person's: work goes on with one only if the prompt names it. */
  ofScripts: StoredSession[];
}

export const LAST = 'The last session here';
const TALKED = 'The last session that did work here';

const SHARED_BRANCH = /^(?:main|master|trunk|dev(?:elop(?:ment)?)?)$/;

/**
 * The sessions of this work tree before one, of any branch: those that a person spoke in, and those of scripts if no other
 * did any work. A branch for one piece of work names its own last session; anywhere else it is the last one at all.
 */
export async function findPreviousSessions(
  options: HandoverOptions,
  own: StoredSession | undefined,
): Promise<PreviousSessions> {
  const { root, now } = options;
  const here = findGitPlace(options.cwd ?? root);
  const paths = [own?.path, options.transcript].filter((path) => path !== undefined && !isDatabase(path));
  const isNewInChat = own === undefined && getChat(options.session) !== undefined;
  const not = new Set([own?.session, isNewInChat ? undefined : options.session, ...paths]);
  const began = Date.parse(own?.record.began ?? '') || Number.POSITIVE_INFINITY;
  const isSameWorkTree = (stored: StoredSession): boolean => stored.worktree === makeWorkTreeKey(here);
  const branch = here?.branch;
  const isOwnBranch = here !== undefined && branch !== undefined && !SHARED_BRANCH.test(branch);
  const names = new Set(isOwnBranch ? [branch, ...listFormerNames(here)] : []);
  const isOfBranch = (stored: StoredSession): boolean => names.has(stored.branch ?? '');
  const all: StoredSession[] = [];
  const ofScripts: StoredSession[] = [];

  const candidates = await listCandidates(options, not);
  const takers = new Set(candidates.flatMap(({ kept }) => kept?.takenBy ?? []));

  for (const { id, path, chat, kept, at } of candidates) {
    if (now - at > OLDEST_MS) break;
    if (isOfOtherChat(chat ?? id, options.session)) continue;
    // The last one on this branch may be older than many on others, and words are handed on along a chain of any length.
    const isLinked = kept?.takenBy !== undefined || takers.has(id);
    if (all.length >= TRIES && !isLinked && (!kept || !isOfBranch(kept) || all.some(isOfBranch))) continue;
    // What a session has done since its record may have been here.
    if (kept !== undefined && !isSameWorkTree(kept) && at <= getLastActivity(kept)) continue;
    // A long file that nobody has read yet is worth its time only for the last session.
    if (all.some(hasWorked) && kept === undefined) continue;

    const stored =
      path === undefined ? kept : await read({ ...options, midTurn: false }, id, path, undefined);
    if (stored === undefined || !isSameWorkTree(stored) || !has(stored, 'person', 'plan')) continue;
    // A half-read session would look unfinished.
    if ('behind' in stored && stored.behind === true) continue;

    const active = getActivityTime(stored);
    const isOfScript = stored.record.facts.scripted === true && options.scripted !== true;
    if (active >= now - OLDEST_MS && active <= began) (isOfScript ? ofScripts : all).push(stored);
  }

  if (!all.some(hasWorked)) {
    all.push(...ofScripts.splice(0));
    all.sort((a, b) => getActivityTime(b) - getActivityTime(a));
  }

  const ofBranch = all.filter(isOfBranch);
  const last = ofBranch.find(hasWorked) ?? ofBranch.find(hasNoted) ?? all.find(hasWorked) ?? all[0];
  const since = last === undefined ? [] : all.slice(0, all.indexOf(last));
  const didWork = since.some(hasWorked) ? `The last session on ${quoteName(branch ?? '')}` : TALKED;
  const title = since.length > 0 ? didWork : LAST;

  const isElsewhere = last?.branch !== undefined && names.size > 0 && !names.has(last.branch);

  return { last, title, isElsewhere, all, ofScripts };
}

const has = ({ record }: StoredSession, ...types: string[]): boolean =>
  listItems(record).some(({ type }) => types.includes(type));

/** Fewer calls only looked something up. */
const LOOKING_CALLS = 5;

/** Whether a session changed something, ended in the middle, or looked into something at length. */
export function hasWorked(stored: StoredSession): boolean {
  const calls = listItems(stored.record).filter(({ type }) => type === 'call').length;
  return has(stored, 'did') || calls >= LOOKING_CALLS || (calls > 0 && !isTurnOver(stored));
}

/** Its notes may hold what the person asked for. */
const hasNoted = ({ record }: StoredSession): boolean =>
  /"(?:set|append)_notes"|scratchpad notes? (?:add|set)\b/.test(JSON.stringify(record.entries));

/** A record whose messages have no times, or that was stored before there were any, says no time; its file does. */
export const getActivityTime = (stored: StoredSession): number =>
  getLastActivity(stored) || (stored.path === undefined ? 0 : (tryStat(stored.path)?.mtimeMs ?? 0));

/** A session and those that took over its words, one from the other. */
export function listTakers(first: StoredSession | undefined, all: readonly StoredSession[]): StoredSession[] {
  if (first === undefined) return [];
  const others = all.filter((one) => one !== first);
  const taker = others.find(({ session }) => session === first.takenBy);
  return [first, ...listTakers(taker, others)];
}

/**
 * Hands the messages of a session, and of those that went on with it, to the one that made its plan its own.
 * @returns the session whose plan the one that asks has made its own
 */
export async function linkPlanTakers(options: HandoverOptions): Promise<string | undefined> {
  const { root, session: own } = options;
  const takers = (await options.planTakers?.()) ?? [];

  for (const [giver, taker] of takers) {
    const all = readStoredSessions(root);
    const chain = listTakers(
      all.find(({ session }) => session === giver),
      all,
    );
    const end = chain.at(-1);
    const isLinked = chain.some(({ session, takenBy }) => session === taker || takenBy === taker);
    if (end !== undefined && !isLinked && !isOfOtherChat(giver, taker))
      storeSession(root, { ...end, takenBy: taker });
  }

  return takers.findLast(([, taker]) => taker === own)?.[0];
}

interface Candidate {
  id: string;
  path: string | undefined;
  chat?: string | undefined;
  at: number;
  kept?: StoredSession;
}

async function listCandidates(
  options: HandoverOptions,
  not: ReadonlySet<string | undefined>,
): Promise<Candidate[]> {
  const all = new Map<string, Candidate>();
  for (const stored of readStoredSessions(options.root))
    all.set(stored.session, {
      id: stored.session,
      path: stored.path,
      at: getActivityTime(stored),
      kept: stored,
    });

  for (const { id, path, chat, lastActive: time } of await discoverWorkspaceSessions(options, LISTED)) {
    const listed = all.get(id) ?? [...all.values()].find((one) => one.path === path && !isDatabase(path));
    const at = Math.max(listed?.at ?? 0, Date.parse(time) || 0);
    if (listed === undefined) all.set(id, { id, path, chat, at });
    else Object.assign(listed, { at, chat });
  }

  return [...all.values()]
    .filter(({ id, path }) => !not.has(id) && (path === undefined || !not.has(path)))
    .sort((a, b) => b.at - a.at);
}

async function discoverWorkspaceSessions(
  { root, cwd, env, config, onProblem }: HandoverOptions,
  limit?: number,
): ReturnType<typeof discoverSessions> {
  // Hosts file a session under the directory that it started in.
  const here = findGitPlace(cwd ?? root);
  const inside = here === undefined || here.top === root || here.top.startsWith(`${root}${sep}`);
  const places = here?.linked === undefined || inside ? [root] : [here.top, root];

  try {
    const found = await Promise.all(
      places.map((workspace) =>
        discoverSessions({
          workspace,
          env: env ?? process.env,
          paths: config.transcript.paths,
          limit,
          onProblem: (problem) => onProblem(problem.message),
        }),
      ),
    );

    return found.flat();
  } catch (error) {
    onProblem(`sessions cannot be listed: ${getMessage(error)}`);
    return [];
  }
}

/** A database has the sessions of an agent; any other file is one session's own. */
const isDatabase = (path: string): boolean => /\.(?:sqlite|db)$/.test(path);

/**
 * Whether a session may still be at work: a turn of it is open, it has just done something, and its process is not known to
 * be gone.
 */
export function mayRun(stored: StoredSession, now: number, root: string): boolean {
  const { ended, path, session } = stored;
  if (ended === true || path === undefined || isTurnOver(stored)) return false;

  const last = getActivityTime(stored);
  return Math.abs(now - last) < RUNNING_MS && !hasSessionEnded(join(root, DATA_DIR), session, now, last);
}
