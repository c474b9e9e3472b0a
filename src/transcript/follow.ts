import { basename } from 'node:path';
import { bytesAt, type OpenFile, openFile } from '../base/fs/index.ts';
import { number, record, type Shape, text, truth } from '../base/fs/own.ts';
import { parsedObject, textAt } from '../base/text/json.ts';
import { itemsOf } from './record.ts';
import type { UpToDate } from './store.ts';

/** A place in a growing session file, at which the model was told something. */
export interface ReadPlace {
  path: string;
  /** How far the file was read. */
  size: number;
  /** Length of the conversation up to there, in estimated tokens. */
  talk: number;
  /** The host's id of the newest message or call, by which a fork of the session is known. */
  tip?: string;
  /** Whether what comes before it was complete: at the start of a window it may not be. */
  tied?: boolean;
}

/** What happened to a session since an earlier place. */
export interface Followed {
  /**
   * Whether everything up to that place is still in the conversation: false after a rewind, an unannounced compaction,
   * or if the file was replaced.
   */
  holds: boolean;
  /** After a rewind: the time of the last event that is still in the conversation, epoch milliseconds. */
  forkedAt?: number;
  /** After a rewind: whether the conversation has continued from there, with the last prompt. */
  goesOn?: boolean;
  place: ReadPlace;
}

/** Compares a session with an earlier place in it. Codex continues in a second file after a rewind. */
export function follow(
  { path = '', position, record: known, anew }: UpToDate,
  from: ReadPlace | undefined,
): Followed {
  const items = itemsOf(known);
  const tip = items.findLast(
    ({ type, id }) => type !== 'result' && type !== 'did' && !id.startsWith('@'),
  )?.id;
  const talk = Math.round(known.talk);
  const place: ReadPlace = { path, size: position?.offset ?? 0, talk, tied: true, tip };
  if (from === undefined) return { holds: true, place };
  if (from.path !== path) {
    const base = known.facts.base;
    if (base === undefined || !basename(from.path).includes(base.thread)) return { holds: true, place };
    const forkedAt = timeBefore(from.path, base.end);
    return { holds: false, place, forkedAt };
  }
  if (anew || from.size > place.size) return { holds: false, place };
  if (from.tied !== true) return { holds: true, place };
  // What was taken back before a compaction, or taken out by one, is another matter: it begins a window by itself.
  const compaction = items.findLast(({ type }) => type === 'compacted')?.at ?? -1;
  const rewinds = known.rewinds.filter(({ at, to }) => at >= from.size && to < from.size && at > compaction);
  const compacted = compaction >= from.size;
  if (rewinds.length === 0) return { holds: !(compacted && known.format === 'claude-code'), place };
  const times = rewinds.map(({ time }) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time));
  const last = Math.max(...rewinds.map(({ at }) => at));
  return {
    holds: false,
    forkedAt: times.length > 0 ? Math.min(...times) : undefined,
    goesOn: items.some(({ at }) => at >= last),
    place,
  };
}

/** Enough for the last line before a place. */
const LINE_BYTES = 256 * 1024;

/** The time of the last line that ends at a place of a file. */
function timeBefore(path: string, end: number): number | undefined {
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'transcript');
    const start = Math.max(0, end - LINE_BYTES);
    const lines = file === undefined ? '' : bytesAt(file.fd, start, end - start).toString('utf8');
    const time = Date.parse(textAt(parsedObject(lines.trimEnd().split('\n').at(-1)), 'timestamp') ?? '');
    return Number.isNaN(time) ? undefined : time;
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

/** A place from a stored file. */
export const readPlace: Shape<ReadPlace> = record(
  { path: text, size: number, talk: number },
  { tied: truth, tip: text },
);
