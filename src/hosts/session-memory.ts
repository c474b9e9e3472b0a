import { join } from 'node:path';
import { attempt, hasCode } from '../base/errors.ts';
import {
  acquireLock,
  ensureFolder,
  type HeldLock,
  isProcessGone,
  type ProcessId,
  readLockLabel,
  stateFolder,
  tryList,
  tryReadText,
  tryRemove,
  tryRemoveTree,
  tryStat,
  withLock,
  writeAtomically,
  writeNew,
} from '../base/fs/index.ts';
import {
  list,
  number,
  readOwn,
  record,
  type Shape,
  text,
  truth,
  type ValueOf,
  writeCache,
} from '../base/fs/json-shape.ts';
import { DAY_MS } from '../base/text/durations.ts';
import { toMembers } from '../base/text/json.ts';
import { digestText } from '../base/text/strings.ts';
import { readSealed, writeSealed } from '../base/trust/seal.ts';
import { readLedger } from '../ledger/ledger.ts';
import { createHintState, readHints, type Window } from '../ledger/window.ts';
import { getChildrenFolder, getRecordPath, HOST_SESSIONS } from '../session/actor.ts';
import { encodeFileName } from '../session/workspace.ts';
import { type ReadingPlace, readPlace } from '../transcript/conversation-change.ts';

/**
 * The state that hooks keep for one host session between events: one small file per session in `.scratchpad/hosts/`,
 * always replaced as a whole. A damaged file, or that of another version or session, is ignored.
 */
export interface SessionMemory extends Window {
  place?: ReadingPlace | undefined;
  /** Time of the last prompt, epoch milliseconds; removed once an event has looked at what the host wrote after it. */
  promptedAt?: number | undefined;
  /** Our text in the host's system part. */
  standing?: { text: string } | undefined;
  /** Id of the compaction whose lost messages were told. */
  summaryOf?: string | undefined;
  /** Whether there was a newer compaction, whose summary cannot be read yet. */
  awaitsSummary?: boolean | undefined;
  /** Whether the messages that a summary lacks were told before the host's file had the summary. */
  toldAhead?: boolean | undefined;
  /** The session whose messages were told because this one has made its plan its own. */
  planFrom?: string | undefined;
  /** The journal as it was when the takers of plans were last read from it. */
  plansReadAt?: string | undefined;
  /** When the host reported the end of the session, epoch milliseconds; removed when it goes on. */
  ended?: number | undefined;
  /** The host's process, with which the session ends. */
  process?: ProcessId | undefined;
  /** The sessions whose window this one holds, the nearest first; empty until the first of them is found. */
  forkedFrom?: string[] | undefined;
  /** Whether the session is a subagent's, with a notepad of its own. */
  ownPad?: boolean | undefined;
}

/** The result of a hook, for `status` and `doctor`. It contains no words of people. */
const RUN = record({ at: text, host: text, event: text, outcome: text, ms: number }, { session: text });

const VERSION = 1;
const RETENTION_MS = 30 * DAY_MS;
const LOCK_WAIT_MS = 300;

/** The stored state of a session, or a new one. @param data the workspace's `.scratchpad` */
export const recall = (data: string, session: string): SessionMemory =>
  readMemory(getRecordPath(data, session), session)?.memory ?? { hints: createHintState() };

/**
 * Writes the changes of an event. To be called after the answer: a line that was said but not recorded is repeated, but one
 * that was recorded and not said would be lost.
 * @param stored the memory as it was read, as JSON
 */
export async function saveChanges(
  data: string,
  session: string,
  stored: string,
  memory: SessionMemory,
  waitMs: number,
): Promise<void> {
  if (JSON.stringify(memory) !== stored)
    await remember(data, session, (newest) => mergeChanges(newest, stored, memory), waitMs);
}

/** Puts the fields that this event has changed onto those that other events of the session have written meanwhile. */
function mergeChanges(newest: SessionMemory, stored: string, memory: SessionMemory): SessionMemory {
  const before = JSON.parse(stored) as SessionMemory;
  const names = [...Object.keys(before), ...Object.keys(memory)] as (keyof SessionMemory)[];
  const changed = names.filter((name) => JSON.stringify(memory[name]) !== JSON.stringify(before[name]));
  return { ...newest, ...Object.fromEntries(changed.map((name) => [name, memory[name]])) };
}

/** @param session the session that the file must belong to; default: any */
function readMemory(file: string, session?: string): { session: string; memory: SessionMemory } | undefined {
  const members = toMembers(readSealed(file, HOST_SESSIONS));
  if (members.version !== VERSION || typeof members.session !== 'string') return undefined;
  if (session !== undefined && members.session !== session) return undefined;
  return { session: members.session, memory: { hints: createHintState(), ...SHAPE(members) } };
}

const SHAPE: Shape<Partial<SessionMemory>> = record(
  {},
  {
    hints: readHints,
    ledger: readLedger,
    place: readPlace,
    promptedAt: number,
    standing: record({ text }),
    handed: list(text),
    summaryOf: text,
    awaitsSummary: truth,
    planFrom: text,
    plansReadAt: text,
    toldAhead: truth,
    ended: number,
    process: record({ pid: number, start: text, host: text }),
    forkedFrom: list(text),
    ownPad: truth,
  },
);

/**
 * Replaces the state by what `change` makes of the newest: two processes may answer events of one session at once.
 * @throws ScratchpadError `environment` if it cannot be written
 */
export async function remember(
  data: string,
  session: string,
  change: (newest: SessionMemory) => SessionMemory,
  waitMs = LOCK_WAIT_MS,
): Promise<void> {
  ensureFolder(join(data, 'hosts'));
  const file = getRecordPath(data, session);
  await withLock(
    `${file}.lock`,
    () => {
      const content = { version: VERSION, session, ...change(recall(data, session)) };
      writeSealed(file, HOST_SESSIONS, content, { durable: false });
    },
    waitMs,
  );
}

/** Marks a subagent, so that commands find its notepad and its tools use it. */
export const rememberOwnPad = (data: string, child: string): Promise<void> =>
  remember(data, child, (newest) => ({ ...newest, ownPad: true }));

/**
 * Waits for the turn of an event. The events of a session are answered one after another, by whichever process, so that each
 * answer knows what the model was told by the one before; a host may report an event twice.
 * @param event identifies the event: the same for one that reaches us twice
 * @returns the lock to release after the turn; `'same'` if another process still answers the same event after `waitMs`;
 * `undefined` if it answers another one, or no lock can be taken, since an answer twice is better than none
 */
export async function takeTurn(
  data: string,
  session: string,
  event: string,
  waitMs: number,
): Promise<HeldLock | 'same' | undefined> {
  const file = `${getRecordPath(data, session)}.turn`;
  try {
    ensureFolder(join(data, 'hosts'));
    return await acquireLock(file, waitMs, event);
  } catch {
    // A lock that an agent has left here must not silence this event for ever.
    return isRecent(file, CLAIMED_MS) && attempt(() => readLockLabel(file)) === event ? 'same' : undefined;
  }
}

/** After this time a lock or a claim is abandoned: a host ends its hooks sooner. */
const CLAIMED_MS = 60_000;

/** Whether a file was written in the last `forMs`, or lies that far ahead: the clock may have been set back. */
const isRecent = (path: string, forMs: number): boolean =>
  Math.abs(Date.now() - (tryStat(path)?.mtimeMs ?? 0)) <= forMs;

/**
 * Claims the answer to an event that may reach two processes, neither of which knows the other's answer: a prompt while a
 * server starts, the start of a subagent, a compaction that two settings report.
 *
 * @param event identifies it; the claim ends after `forMs`, since the event may come again
 * @returns true if nobody else has claimed it, or no claim can be written: better twice than not at all
 */
export function claimEvent(
  env: NodeJS.ProcessEnv,
  session: string | undefined,
  event: string,
  forMs = CLAIMED_MS,
): boolean {
  const state = stateFolder(env);
  if (state === undefined || session === undefined) return true;

  const folder = join(state, 'claims');
  const claim = join(folder, digestText(`${session}\0${event}`));
  try {
    ensureFolder(folder, 0o700);
    for (const path of tryList(folder).map((name) => join(folder, name)))
      if (!isRecent(path, path === claim ? forMs : CLAIMED_MS)) tryRemove(path);
    writeNew(claim, '');
    return true;
  } catch (error) {
    // A claim that cannot be removed, such as a folder that an agent has left there, ends all the same.
    return !hasCode(error, 'EEXIST') || !isRecent(claim, forMs);
  }
}

/** The stored states of a workspace's sessions, the newest first; `at` is when each was written. */
export function listMemories(data: string): { session: string; at: number; memory: SessionMemory }[] {
  const dir = join(data, 'hosts');
  return tryList(dir)
    .flatMap((name) => {
      const file = join(dir, name);
      const stored = readMemory(file);
      return stored === undefined ? [] : [{ ...stored, at: tryStat(file)?.mtimeMs ?? 0 }];
    })
    .sort((a, b) => b.at - a.at);
}

/** Removes the files of sessions that nobody has resumed for a month. */
export function sweepRemembered(data: string, now: number): void {
  const dir = join(data, 'hosts');
  for (const name of tryList(dir)) {
    const stats = tryStat(join(dir, name));
    if (stats && now - stats.mtimeMs > RETENTION_MS) tryRemoveTree(join(dir, name));
    // Left by a killed process that waited for a lock or a turn.
    const pid = /\.(?:lock|turn)\.(?:over-)?(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && isProcessGone(Number(pid))) tryRemove(join(dir, name));
  }
}

const MOST_CHILDREN = 20;

/** Remembers a subagent in a file of its own: six that start at once wait for no lock. */
export function rememberChild(data: string, session: string, child: string): void {
  const folder = getChildrenFolder(data, session);
  ensureFolder(folder);
  writeAtomically(join(folder, encodeFileName(child)), child, { durable: false });
}

export function listChildren(data: string, session: string): string[] {
  const folder = getChildrenFolder(data, session);
  return tryList(folder)
    .map((name) => join(folder, name))
    .sort((a, b) => (tryStat(a)?.mtimeMs ?? 0) - (tryStat(b)?.mtimeMs ?? 0))
    .slice(-MOST_CHILDREN)
    .flatMap((file) => tryReadText(file, 'lock') ?? []);
}

const OUTCOME_LENGTH = 400;
const getRunsFile = (data: string): string => join(data, 'hooks.json');

/** The last runs of hooks here. `lastPrompt` is Claude Code's, by its hooks or by our mod. */
const HOOK_RECORD = record({}, { last: RUN, lastFailure: RUN, lastPrompt: RUN });
export type HookRecord = ValueOf<typeof HOOK_RECORD>;

export const readRecord = (data: string): HookRecord =>
  readOwn(getRunsFile(data), 'record', HOOK_RECORD) ?? {};

/** Records a run; a failure to do so is ignored, since nobody could be told. */
export function recordRun(data: string, run: ValueOf<typeof RUN>, failed: boolean): void {
  const last = { ...run, outcome: run.outcome.slice(0, OUTCOME_LENGTH) };
  const before = readRecord(data);
  const isPrompt = run.host === 'claude-code' && /^(?:prompt|UserPromptSubmit)$/.test(run.event);

  writeCache(getRunsFile(data), {
    last,
    lastFailure: failed ? last : before.lastFailure,
    lastPrompt: isPrompt ? last : before.lastPrompt,
  });
}
