import { digest } from '../text/hash.ts';
import type { EventSink, SessionEvent } from './event.ts';
import type { Link } from './format.ts';
import type { ByteSource } from './lines.ts';
import { feedLines, feedValue } from './read.ts';
import { recognise } from './recognise.ts';
import { openSource } from './source.ts';

/** How far a session was read, so that reading can continue when it has grown. */
export interface Position {
  /** The end of what was read: a byte offset, or a sequence number in a database. */
  offset: number;
  /** Digest of what precedes the offset, to detect a different file in its place. */
  mark: string;
  /** Records that the next one may continue; none if the format has no links. */
  ends: readonly string[];
}

/** A range of a session, oldest first. */
export interface Stretch {
  format: string;
  events: SessionEvent[];
  position: Position;
  /** False if the range does not continue the given position: earlier results are void. */
  continues: boolean;
  /** False if older events were left out because there is too much to read. */
  whole: boolean;
}

/** Most bytes of a session to read at once. */
const MOST_BYTES = 16 * 1024 * 1024;
const MARK_BYTES = 256;
const MOST_ENDS = 50;

/**
 * Reads the events of a session in order: from a position on, or from its start. Of a file larger than 16 MB
 * only the end is read. What was taken back later (a rewind, another branch of the tree) is left out; if that
 * concerns events before the position, everything is read again and `continues` is false.
 * @throws {ScratchpadError} like `readTranscriptFile`
 */
export async function readEvents(
  path: string,
  options: { after?: Position; session?: string; mostBytes?: number } = {},
): Promise<Stretch> {
  const source = await openSource(path);
  try {
    if (source.kind === 'database') {
      const { readOpenClawEvents } = await import('./formats/openclaw-events.ts');
      return await readOpenClawEvents(path, options);
    }
    const { after, mostBytes = MOST_BYTES } = options;
    if (after !== undefined && (await goesOn(source.bytes, after, mostBytes))) {
      const stretch = await readLines(source.bytes, path, after.offset, after.ends);
      if (stretch.continues) return stretch;
    }
    const from = await lineAfter(source.bytes, source.bytes.size - mostBytes);
    return { ...(await readLines(source.bytes, path, from, [])), continues: false };
  } finally {
    source.close();
  }
}

class EventList implements EventSink {
  readonly events: SessionEvent[] = [];
  readonly full = false;

  add(event: SessionEvent): void {
    if (event.type !== 'skip') this.events.push(event);
  }
}

async function readLines(
  source: ByteSource,
  name: string,
  from: number,
  ends: readonly string[],
): Promise<Stretch> {
  const list = new EventList();
  const found = await recognise(source, name);
  const whole = found.kind !== 'lines' || from === 0;
  let end = source.size;
  let link: Link = { ends: [] };
  if (found.kind === 'value') {
    const reader = feedValue(found.value, list);
    link = { ...reader.link?.(), ends: [], changesBefore: true };
  } else if (found.kind === 'lines') {
    const reader = found.format.open(list);
    end = await feedLines(source, reader, list, { from });
    if (from === 0) for (const record of found.start.records) reader.head?.(record);
    reader.finish?.();
    link = reader.link?.() ?? link;
  } else end = 0;
  const format =
    found.kind === 'empty'
      ? 'messages'
      : found.kind === 'value'
        ? found.value.format.name
        : found.format.name;
  const known = link.follows === undefined || ends.includes(link.follows);
  return {
    format,
    events: list.events.reverse(),
    position: {
      offset: end,
      mark: await markAt(source, end),
      ends: (link.complete === true ? link.ends : [...link.ends, ...ends]).slice(0, MOST_ENDS),
    },
    continues: link.changesBefore !== true && known,
    whole,
  };
}

async function goesOn(source: ByteSource, { offset, mark }: Position, mostBytes: number): Promise<boolean> {
  if (offset > source.size || source.size - offset > mostBytes) return false;
  return (await markAt(source, offset)) === mark;
}

async function markAt(source: ByteSource, offset: number): Promise<string> {
  const bytes = Buffer.alloc(Math.min(MARK_BYTES, offset));
  await source.read(bytes, offset - bytes.length);
  return digest(bytes.toString('latin1'));
}

/** The start of the first line at or after an offset. */
async function lineAfter(source: ByteSource, offset: number): Promise<number> {
  if (offset <= 0) return 0;
  const bytes = Buffer.alloc(64 * 1024);
  for (let at = offset; at < source.size; at += bytes.length) {
    const count = await source.read(bytes, at);
    if (count === 0) break;
    const feed = bytes.subarray(0, count).indexOf(10);
    if (feed !== -1) return at + feed + 1;
  }
  return source.size;
}
