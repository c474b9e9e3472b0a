import { basename } from 'node:path';
import { openFile, readBytesFrom } from '../base/fs/index.ts';
import { number, record, type Shape, text, truth } from '../base/fs/json-shape.ts';
import { getString, parseObject } from '../base/text/json.ts';
import { listItems } from './record.ts';
import type { RecordUpdate } from './store.ts';

/** A place in a growing session file at which the model was told something. */
export interface ReadingPlace {
  path: string;
  size: number;
  /** Length of the conversation up to there, in estimated tokens. */
  talk: number;
  /** The host's id of the newest message or call, by which a fork of the session is known. */
  tip?: string;
  /** The file was complete up to there; at the start of a window it may not be. */
  tied?: boolean;
}

export const readPlace: Shape<ReadingPlace> = record(
  { path: text, size: number, talk: number },
  { tied: truth, tip: text },
);

export interface ConversationChange {
  /**
   * Whether everything up to that place is still in the conversation: false after a rewind, an unannounced compaction,
   * or if the file was replaced.
   */
  isIntact: boolean;
  /** After a rewind: the time of the last event that is still in the conversation, epoch milliseconds. */
  rewoundTo?: number;
  /** After a rewind: whether the conversation has continued from there, with the last prompt. */
  hasContinued?: boolean;
  place: ReadingPlace;
}

/** Compares a session with an earlier place in it. */
export function findChange(
  { path = '', position, record: session, anew }: RecordUpdate,
  earlier: ReadingPlace | undefined,
): ConversationChange {
  const items = listItems(session);
  const tip = items.findLast(
    ({ type, id }) => type !== 'result' && type !== 'did' && !id.startsWith('@'),
  )?.id;
  const place = { path, size: position?.offset ?? 0, talk: Math.round(session.talkTokens), tied: true, tip };

  if (earlier === undefined) return { isIntact: true, place };

  if (earlier.path !== path) {
    // After a rewind Codex continues in a second file.
    const { base } = session.facts;
    const isRewound =
      base !== undefined && basename(earlier.path).includes(base.thread) && base.end < earlier.size;
    if (!isRewound) return { isIntact: true, place };
    return { isIntact: false, rewoundTo: readTimeBefore(earlier.path, base.end), place };
  }

  if (anew || earlier.size > place.size) return { isIntact: false, place };
  if (earlier.tied !== true) return { isIntact: true, place };

  // A rewind before a compaction does not count, because the compaction begins a window by itself.
  const compaction = items.findLast(({ type }) => type === 'compacted')?.at ?? -1;
  const rewinds = session.rewinds.filter(
    ({ at, to }) => at >= earlier.size && to < earlier.size && at > compaction,
  );
  const isCompacted = compaction >= earlier.size;

  if (rewinds.length === 0) return { isIntact: !(isCompacted && session.format === 'claude-code'), place };

  const times = rewinds.map(({ time }) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time));
  const last = Math.max(...rewinds.map(({ at }) => at));
  const rewoundTo = times.length > 0 ? Math.min(...times) : undefined;

  return { isIntact: false, rewoundTo, hasContinued: items.some(({ at }) => at >= last), place };
}

const LINE_BYTES = 256 * 1024;

/** The time of the last row that ends at a byte offset, epoch milliseconds. */
function readTimeBefore(path: string, end: number): number | undefined {
  const file = openFile(path, 'transcript');
  const start = Math.max(0, end - LINE_BYTES);
  const lines = file === undefined ? '' : readBytesFrom(file.fd, start, end - start).toString('utf8');

  file?.close();
  const time = Date.parse(getString(parseObject(lines.trimEnd().split('\n').at(-1)), 'timestamp') ?? '');

  return Number.isNaN(time) ? undefined : time;
}
