import type { GitPlace } from '../git/place.ts';
import type { SessionRef } from '../transcript/home.ts';
import type { Fold } from './fold.ts';
import { type Instruction, outlasts } from './kinds/instructions.ts';
import { keptTrails, type TrailRecord, workTreeKey } from './store.ts';

/** Older trails and instructions are irrelevant to a new session. */
export const OLDEST_MS = 14 * 86_400_000;
/** How many sessions are read to find the last ones here. */
const TRIES = 6;
/** How many sessions before the last one may have left something open. */
const MOST = 3;

/** A session with so few calls has not done the work of the one before. */
const FEW_CALLS = 15;

/** A session without an end may still be running for so long after its last event. */
const MAY_RUN_MS = 15 * 60_000;

/** Whether the host has not reported a session's end, a moment after its last event. */
export function mayRun(
  { ended, updated }: { ended?: boolean; updated?: number | undefined },
  now: number,
): boolean {
  return ended !== true && updated !== undefined && now - updated < MAY_RUN_MS;
}

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
  /** The new session's first event, epoch milliseconds, if it has one: a session that went on after it is not before it. */
  began?: number;
  /** The hosts' sessions here, as found on the disk. */
  found: readonly Pick<SessionRef, 'id' | 'path' | 'lastActive'>[];
  /** The record of a session with the new lines of its file. */
  refresh(id: string, transcript: string): Promise<TrailRecord | undefined>;
}

/** The last sessions, newest first. */
export interface Before {
  /** Those that left something, or the last one that only talked. */
  records: TrailRecord[];
  /** All of them, for what the person said in them. */
  spoken: TrailRecord[];
}

/**
 * The last sessions of this work tree and branch, as far as they left something: one that only talked hides no earlier
 * one. Sessions that no hook has recorded count as well.
 */
export async function lastRecords(where: LastSessions): Promise<Before> {
  const { here, branch, now, began = Number.POSITIVE_INFINITY } = where;
  const worktree = workTreeKey(here);
  const isHere = (record: TrailRecord): boolean => record.worktree === worktree && record.branch === branch;
  // What a session has done since its record may have been here.
  const likely = candidates(where).filter(
    ({ record, at }) => record === undefined || isHere(record) || at > record.updated,
  );
  const records: TrailRecord[] = [];
  const spoken: TrailRecord[] = [];
  for (const { id, transcript, record: kept } of likely.slice(0, TRIES)) {
    // A long session file that nobody has read yet is worth its time only for the last session.
    if (records.length > 0 && kept === undefined) continue;
    const record = transcript === undefined ? kept : await where.refresh(id, transcript);
    if (record === undefined || record.fold.course.turn === 0) continue;
    if (!isHere(record) || record.updated < now - OLDEST_MS || record.updated > began) continue;
    spoken.push(record);
    if (record.fold.course.calls > 0 && records.push(record) === MOST) break;
  }
  return { records: records.length === 0 ? spoken.slice(0, 1) : records, spoken };
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
 * The last session, with what earlier ones left open and it did not touch: files, instructions, and checks, failures,
 * tasks and a plan where it has none of its own.
 *
 * @param checked whether git is asked afterwards which files have been committed
 */
export function withEarlier({ records, spoken }: Before, checked: boolean): Fold | undefined {
  const [last, ...earlier] = records.map(({ fold }) => fold);
  if (last === undefined) return undefined;
  const { course } = last;
  const states = { ...structuredClone(last.states), instruction: instructionsOf(spoken) };
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

/** What the person said in the last sessions, the newest last: back to one that had itself begun with what was before. */
function instructionsOf(spoken: readonly TrailRecord[]): Instruction[] {
  const said = new Map<string, Instruction>();
  for (const { fold } of spoken) {
    for (const instruction of fold.states.instruction.toReversed())
      if (!said.has(instruction.text)) said.set(instruction.text, instruction);
    if (fold.course.inherits) break;
  }
  return [...said.values()].reverse();
}

/**
 * Lets a session begin with what the ones before it left that matters beyond its first prompt: instructions that still
 * hold, and files that nobody has committed.
 *
 * @param files whether the edited files are those of this work tree, and nobody is working on them
 */
export function inherit(fold: Fold, before: Fold, session: string, now: number, files: boolean): void {
  const { states, course } = fold;
  course.inherits = true;
  states.instruction = before.states.instruction
    .filter((instruction) => outlasts(instruction, now))
    .map((instruction) => ({ session, ...instruction, turn: 0, calls: 0, windows: 0 }));
  if (files && before.course.root === course.root)
    states.edited.files = before.states.edited.files.map((file) => ({ session, ...file }));
}
