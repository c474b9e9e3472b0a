import { join } from 'node:path';
import {
  ensureFolder,
  exists,
  move,
  readText,
  sweepTemporary,
  tryStat,
  withLock,
  writeAtomically,
} from '../../base/fs/index.ts';
import { membersOf } from '../../base/text/json.ts';
import { eventOf, type FeedbackEvent, inOrder } from './remarks.ts';

interface FeedbackFile {
  /** Oldest first. */
  events: readonly FeedbackEvent[];
  /** For each person, the ISO 8601 time up to which their feedback is forgotten. */
  forgotten: Readonly<Record<string, string>>;
}

const EVERYBODY = '*';
/** More than anybody says in the weeks in which a remark counts. */
const MOST_EVENTS = 500;

const NOTHING: FeedbackFile = { events: [], forgotten: {} };

/** Reads the feedback in a workspace's data directory; empty if it cannot be read. */
export function readFeedback(data: string): FeedbackFile {
  return readWhole(data) ?? NOTHING;
}

/**
 * Changes the stored feedback: under a lock, flushed, atomically, readable by this user only. An unreadable
 * file is set aside first.
 * @param waitMs how long to wait for another process
 * @returns where a damaged file was moved, if there was one
 * @throws ScratchpadError `environment` if it cannot be written
 */
export async function changeFeedback(
  data: string,
  change: (now: FeedbackFile) => FeedbackFile,
  waitMs?: number,
): Promise<{ kept: FeedbackFile; damaged?: string }> {
  const path = join(data, FEEDBACK_FILE);
  return withLock(
    join(data, 'feedback.lock'),
    (lock) => {
      if (lock.tookOver) sweepTemporary(data, (target) => target === FEEDBACK_FILE);
      const before = readWhole(data);
      const damaged = before === undefined && exists(path) ? setAside(data) : undefined;
      const { events, forgotten } = change(before ?? NOTHING);
      const kept = { events: newest(events), forgotten };
      lock.check();
      writeAtomically(path, `${JSON.stringify({ scratchpad: 1, ...kept }, null, 1)}\n`, { mode: 0o600 });
      return { kept, damaged };
    },
    waitMs,
  );
}

/** Adds remarks that are not stored yet. */
export function withEvents(file: FeedbackFile, more: readonly FeedbackEvent[]): FeedbackFile {
  const isThere = ({ mark, at }: FeedbackEvent): boolean =>
    mark !== undefined && file.events.some((event) => event.mark === mark && event.at === at);
  return { ...file, events: [...file.events, ...more.filter((event) => !isThere(event))] };
}

/** Removes the feedback of one person, or of everybody; what they said until `at` stays forgotten. */
export function withoutEvents(file: FeedbackFile, person: string | undefined, at: string): FeedbackFile {
  if (person === undefined) return { events: [], forgotten: { [EVERYBODY]: at } };
  return {
    events: file.events.filter((event) => event.person !== person),
    forgotten: { ...file.forgotten, [keyOf(person)]: at },
  };
}

/** Epoch milliseconds up to which a person's feedback is forgotten. */
export function forgottenUntil({ forgotten }: FeedbackFile, person: string): number {
  const times = [forgotten[EVERYBODY], forgotten[keyOf(person)]].map((at) => Date.parse(at ?? ''));
  return Math.max(...times.map((time) => (Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time)));
}

/** Safe as an object key: a person may be called `*` or `__proto__`. */
function keyOf(person: string): string {
  return `=${person}`;
}

function newest(events: readonly FeedbackEvent[]): FeedbackEvent[] {
  return inOrder(events).slice(-MOST_EVENTS);
}

function readWhole(data: string): FeedbackFile | undefined {
  try {
    const text = readText(join(data, FEEDBACK_FILE), 'record');
    if (text === undefined) return NOTHING;
    const { events, forgotten } = membersOf(JSON.parse(text));
    if (!Array.isArray(events)) return undefined;
    return { events: newest(events.flatMap(eventOf)), forgotten: timesOf(forgotten) };
  } catch {
    return undefined;
  }
}

function timesOf(value: unknown): Record<string, string> {
  const times = Object.entries(membersOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(times);
}

function setAside(data: string): string {
  const dir = join(data, 'recovered');
  const kept = join(dir, `${new Date().toISOString().replace(/[:.]/g, '-')}-${FEEDBACK_FILE}`);
  ensureFolder(dir);
  move(join(data, FEEDBACK_FILE), kept);
  return kept;
}

const FEEDBACK_FILE = 'feedback.json';

/**
 * Whether feedback was added or forgotten since a time (ISO 8601), so that a state block from then is out of
 * date.
 */
export function feedbackSince(data: string, time: string | undefined): boolean {
  const changed = tryStat(join(data, FEEDBACK_FILE))?.mtimeMs;
  return changed !== undefined && changed > Date.parse(time ?? '');
}
