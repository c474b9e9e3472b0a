import { join } from 'node:path';
import {
  ensureFolder,
  exists,
  move,
  sweepTemporary,
  tryReadJson,
  tryStat,
  withLock,
  writeAtomically,
} from '../../base/fs/index.ts';
import { listAt, membersOf, textAt } from '../../base/text/json.ts';
import { eventOf, type FeedbackEvent, inOrder } from './remarks.ts';

interface FeedbackFile {
  /** Oldest first. */
  events: readonly FeedbackEvent[];
  /** The ISO 8601 time up to which feedback is forgotten: that of `*`, everybody. Earlier versions had persons, as `=name`. */
  forgotten: Readonly<Record<string, string>>;
}

const FILE = 'feedback.json';
/** More than anybody says in the weeks in which a remark counts. */
const MOST_EVENTS = 500;

/** Reads the feedback in a workspace's data directory, as far as it can be read. */
export function readFeedback(data: string): FeedbackFile {
  const found = membersOf(tryReadJson(join(data, FILE), 'record'));
  const times = membersOf(found.forgotten);
  const forgotten = Object.keys(times).flatMap((key) => {
    const at = textAt(times, key);
    return at === undefined ? [] : [[key, at]];
  });
  return {
    events: newest(listAt(found, 'events').flatMap(eventOf)),
    forgotten: Object.fromEntries(forgotten),
  };
}

/**
 * Changes the stored feedback: under a lock, flushed, atomically, readable by this user only. An unreadable file is
 * set aside first.
 * @param waitMs how long to wait for another process
 * @returns where a damaged file was moved, if there was one
 * @throws ScratchpadError `environment` if it cannot be written
 */
export async function changeFeedback(
  data: string,
  change: (now: FeedbackFile) => FeedbackFile,
  waitMs?: number,
): Promise<{ kept: FeedbackFile; damaged?: string | undefined }> {
  const path = join(data, FILE);
  return withLock(
    join(data, 'feedback.lock'),
    (lock) => {
      if (lock.tookOver) sweepTemporary(data, (target) => target === FILE);
      const isSound = !exists(path) || Array.isArray(membersOf(tryReadJson(path, 'record')).events);
      const { events, forgotten } = change(readFeedback(data));
      const damaged = isSound ? undefined : setAside(data);
      const kept = { events: newest(events), forgotten };
      lock.check();
      writeAtomically(path, `${JSON.stringify({ scratchpad: 1, ...kept }, null, 1)}\n`, { mode: 0o600 });
      return { kept, damaged };
    },
    waitMs,
  );
}

/** Adds remarks; those noticed in a transcript, only if they are not stored yet. */
export function withEvents(file: FeedbackFile, more: readonly FeedbackEvent[]): FeedbackFile {
  const isThere = ({ source, at, person }: FeedbackEvent): boolean =>
    source === 'noticed' && file.events.some((event) => event.at === at && event.person === person);
  return { ...file, events: [...file.events, ...more.filter((event) => !isThere(event))] };
}

/** Without the feedback of everybody; what they said until `at` stays forgotten. */
export const allForgotten = (at: string): FeedbackFile => ({ events: [], forgotten: { '*': at } });

/** Epoch milliseconds up to which a person's feedback is forgotten. */
export function forgottenUntil({ forgotten }: FeedbackFile, person: string): number {
  const times = [forgotten['*'], forgotten[`=${person}`]].map((at) => Date.parse(at ?? ''));
  return Math.max(...times.map((time) => (Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time)));
}

/** Whether feedback was added or forgotten since a time (ISO 8601), so that a state block from then is outdated. */
export function feedbackSince(data: string, time: string | undefined): boolean {
  const changed = tryStat(join(data, FILE))?.mtimeMs;
  return changed !== undefined && changed > Date.parse(time ?? '');
}

function newest(events: readonly FeedbackEvent[]): FeedbackEvent[] {
  return inOrder(events).slice(-MOST_EVENTS);
}

function setAside(data: string): string {
  const folder = join(data, 'recovered');
  const kept = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}-${FILE}`);
  ensureFolder(folder);
  move(join(data, FILE), kept);
  return kept;
}
