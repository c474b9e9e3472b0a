import type { GitPlace } from '../git/place.ts';
import type { SessionRef } from '../transcript/home.ts';
import type { Fold } from './fold.ts';
import { keptTrails, type TrailRecord, workTreeKey } from './store.ts';

/** Older trails and instructions are irrelevant to a new session. */
export const OLDEST_MS = 14 * 86_400_000;
/** How many sessions are read to find the last ones here. */
const TRIES = 6;
/** How many sessions before the last one may have left something open. */
const MOST = 3;

/** A session with so few calls has not done the work of the one before. */
const FEW_CALLS = 15;

/** A session before this one, as far as it is known. */
interface Candidate {
  id: string;
  transcript: string | undefined;
  /** When it was last active, epoch milliseconds. */
  at: number;
  record?: TrailRecord;
}

export interface LastSessions {
  root: string;
  here: GitPlace | undefined;
  branch: string | undefined;
  /** Ids and session file of the new session itself. */
  not: ReadonlySet<string>;
  now: number;
  /** The hosts' sessions here, as found on the disk. */
  found: readonly Pick<SessionRef, 'id' | 'path' | 'lastActive'>[];
  /** The record of a session with the new lines of its file. */
  refresh(id: string, transcript: string): Promise<TrailRecord | undefined>;
}

/**
 * The last sessions of this work tree and branch, newest first, as far as they left something: one that only talked
 * hides no earlier one. Sessions that no hook has recorded count as well.
 */
export async function lastRecords(where: LastSessions): Promise<TrailRecord[]> {
  const { here, branch, now } = where;
  const worktree = workTreeKey(here);
  const isHere = (record: TrailRecord): boolean => record.worktree === worktree && record.branch === branch;
  // What a session has done since its record may have been here.
  const likely = candidates(where).filter(
    ({ record, at }) => record === undefined || isHere(record) || at > record.updated,
  );
  const records: TrailRecord[] = [];
  let talked: TrailRecord | undefined;
  for (const { id, transcript, record: kept } of likely.slice(0, TRIES)) {
    // A long session file that nobody has read yet is worth its time only for the last session.
    if (records.length > 0 && kept === undefined) continue;
    const record = transcript === undefined ? kept : await where.refresh(id, transcript);
    if (record === undefined || record.fold.course.turn === 0) continue;
    if (!isHere(record) || record.updated < now - OLDEST_MS) continue;
    if (record.fold.course.calls === 0) talked ??= record;
    else if (records.push(record) === MOST) break;
  }
  return records.length === 0 && talked !== undefined ? [talked] : records;
}

function candidates({ root, not, found }: LastSessions): Candidate[] {
  const all = new Map<string, Candidate>();
  for (const record of keptTrails(root))
    all.set(record.session, {
      id: record.session,
      transcript: record.transcript,
      at: record.updated,
      record,
    });
  for (const { id, path, lastActive } of found) {
    const known = all.get(id) ?? [...all.values()].find(({ transcript }) => transcript === path);
    const at = Math.max(known?.at ?? 0, Date.parse(lastActive) || 0);
    if (known === undefined) all.set(id, { id, transcript: path, at });
    else known.at = at;
  }
  return [...all.values()]
    .filter(({ id, transcript }) => !not.has(id) && (transcript === undefined || !not.has(transcript)))
    .sort((a, b) => b.at - a.at);
}

/**
 * The last session, with what earlier ones left open and it did not touch: files, standing instructions, and checks,
 * failures, tasks and a plan where it has none of its own.
 *
 * @param checked whether git is asked afterwards which files have been committed
 */
export function withEarlier(last: Fold, earlier: readonly Fold[], checked: boolean): Fold {
  if (earlier.length === 0) return last;
  const { course } = last;
  const states = structuredClone(last.states);
  for (const fold of earlier) {
    const { states: old, course: then } = fold;
    // Ages are counted in calls and turns: those of the earlier session come before all of the last one.
    const before = <Used extends { last: number }>(used: Used): Used => ({
      ...used,
      last: used.last - then.calls - 1,
    });
    const paths = new Set(states.file.map(({ path }) => path));
    states.file = [...old.file.filter(({ path }) => !paths.has(path)).map(before), ...states.file];
    const texts = new Set(states.command.map(({ text }) => text));
    states.command = [...old.command.filter(({ text }) => !texts.has(text)).map(before), ...states.command];
    if (checked || last.states.commit.length === 0) {
      const edited = new Set(states.edited.files.map(({ path }) => path));
      states.edited.files = [
        ...old.edited.files.filter(({ path }) => !edited.has(path)),
        ...states.edited.files,
      ];
    }
    const said = new Set(states.instruction.map(({ text }) => text));
    states.instruction = [...old.instruction.filter(({ text }) => !said.has(text)), ...states.instruction];
    if (states.check.last === undefined) {
      states.check = old.check;
      states.failing = old.failing;
    }
    // A longer session may have done them without a list.
    const isShort = course.calls <= FEW_CALLS;
    if (isShort && states.task.list.length === 0)
      states.task = { ...old.task, turn: old.task.turn - then.turn, calls: old.task.calls - then.calls };
    if (isShort && states.plan.plan === undefined) states.plan = old.plan;
  }
  return { course, states };
}
