import { ScratchpadError } from '../errors.ts';
import { isObject, type JsonObject, numberAt } from '../text/json.ts';
import { Collector } from './collector.ts';
import type { EventSink } from './event.ts';
import type { Format, FormatReader } from './format.ts';
import { messagesFormat } from './formats/index.ts';
import { type ByteSource, type Line, linesFromEnd, MAX_LINE, memorySource, parseLine } from './lines.ts';
import { further, recognise, type WholeValue } from './recognise.ts';
import { openSource } from './source.ts';
import type { ReadOptions, Transcript } from './types.ts';

export type {
  Compaction,
  CustomEntry,
  Message,
  ReadOptions,
  SessionFacts,
  Skipped,
  Transcript,
} from './types.ts';

/**
 * Reads the last messages of a session file of any known host. The format is recognized by the content; the
 * file is read from its end, only as far as the window needs. An incomplete last line is left for the next
 * time.
 * @throws {ScratchpadError} `usage` for a missing file, a directory or an unknown format, `environment` if
 * the file cannot be read
 */
export async function readTranscriptFile(path: string, options: ReadOptions = {}): Promise<Transcript> {
  checkOptions(options);
  const source = await openSource(path);
  try {
    if (source.kind === 'database') {
      const { readOpenClawDatabase } = await import('./formats/openclaw-sqlite.ts');
      return await readOpenClawDatabase(path, options);
    }
    return await readSource(source.bytes, options, path);
  } finally {
    source.close();
  }
}

/**
 * Reads messages from text: a JSON array, an object with `messages`, or lines of any known format.
 * @param name the text's name in an error, such as `standard input`
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export async function readTranscriptText(
  text: string,
  options: ReadOptions = {},
  name = 'standard input',
): Promise<Transcript> {
  checkOptions(options);
  return readSource(memorySource(Buffer.from(text, 'utf8')), options, name);
}

function checkOptions(options: ReadOptions): void {
  for (const [name, value] of [
    ['limit', options.limit],
    ['maxAgeMs', options.maxAgeMs],
  ] as const) {
    if (value === undefined || value > 0) continue;
    throw new ScratchpadError('usage', `The ${name} of a transcript window must be above 0`, {
      found: String(value),
    });
  }
}

/** A window also counts as full after this many bytes if it contains words of the person, */
const ENOUGH_BYTES = 4 * 1024 * 1024;
/** and after this many bytes in any case. */
const MOST_BYTES = 32 * 1024 * 1024;

async function readSource(source: ByteSource, options: ReadOptions, name: string): Promise<Transcript> {
  const out = new Collector(options);
  const found = await recognise(source, name);
  if (found.kind === 'empty') return out.finish(messagesFormat.name);
  if (found.kind === 'value') {
    feedValue(found.value, out);
    return out.finish(found.value.format.name);
  }
  const { format } = found;
  let { start } = found;
  const reader = format.open(out);
  const enough = (parsed: number): boolean =>
    out.limit !== Number.POSITIVE_INFINITY &&
    (parsed > MOST_BYTES || (parsed > ENOUGH_BYTES && out.humans > 0));
  await feedLines(source, reader, out, { enough });
  if (!format.independent) start = await further(source, start);
  for (const record of start.records) reader.head?.(record);
  reader.finish?.();
  // The first message of a session often still tells what it is about, long after it has left the window.
  if (out.full) {
    out.learn('opening', openingOf(format, start.records));
    if (out.facts.opening === undefined) {
      const more = await further(source, start);
      if (more !== start) out.learn('opening', openingOf(format, more.records));
    }
  }
  return out.finish(format.name);
}

/** The person's first words at the start of a session; a bare command does not count. */
function openingOf(format: Format, records: readonly JsonObject[]): string | undefined {
  const start = new Collector({ limit: Number.POSITIVE_INFINITY });
  const reader = format.open(start);
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index];
    if (record !== undefined) reader.take(record, index);
  }
  reader.finish?.();
  return start
    .finish(format.name)
    .messages.find(({ role, content }) => role === 'user' && /\S\s+\S/.test(content))?.content;
}

/** The range of lines to read. */
export interface Reach {
  /** Byte offset at which to begin, inclusive. Default: the start of the source. */
  from?: number;
  /** Whether this many bytes of parsed lines are enough. */
  enough?(parsed: number): boolean;
}

/**
 * Passes lines to the reader until the sink is full, the conversation begins, or the source does.
 * @returns the offset after the last complete line
 */
export async function feedLines(
  source: ByteSource,
  reader: FormatReader,
  out: EventSink,
  reach: Reach = {},
): Promise<number> {
  const { from = 0 } = reach;
  const state = { parsed: 0, counted: source.size + 1, end: from };
  for (let until: number | undefined = source.size; until !== undefined; ) {
    for await (const lines of linesFromEnd(source, until, from)) {
      if (feedBatch(lines, reader, out, state, reach.enough)) break;
    }
    // The missing record may be before this range: the caller then asks the reader.
    until = out.full || from > 0 ? undefined : reader.again?.();
  }
  return state.end;
}

function feedBatch(
  lines: readonly Line[],
  reader: FormatReader,
  out: EventSink,
  state: { parsed: number; counted: number; end: number },
  enough: Reach['enough'],
): boolean {
  for (const line of lines) {
    const firstTime = line.at < state.counted;
    state.counted = Math.min(state.counted, line.at);
    const { bytes } = line;
    if (line.ended) state.end = Math.max(state.end, line.at + line.length + 1);
    if (bytes === undefined) {
      if (firstTime) out.add({ type: 'skip', reason: `line over ${MAX_LINE / 1024 / 1024} MB` });
      continue;
    }
    if (reader.wants !== undefined && !reader.wants(bytes)) continue;
    state.parsed += bytes.length;
    const value = parseLine(bytes);
    if (!isObject(value)) {
      if (firstTime) out.add({ type: 'skip', reason: line.ended ? 'broken line' : 'unfinished last line' });
      continue;
    }
    state.end = Math.max(state.end, line.at + line.length);
    if (reader.take(value, line.at) === 'stop' || out.full || enough?.(state.parsed) === true) return true;
  }
  return false;
}

/** Passes the records of a value to the sink, newest first. */
export function feedValue({ format, outer, records, odd }: WholeValue, out: EventSink): FormatReader {
  const reader = format.open(out);
  const utcOffsetHours = numberAt(outer, 'utcOffsetHours');
  if (utcOffsetHours !== undefined) out.add({ type: 'facts', utcOffsetHours });
  reader.head?.(outer);
  if (odd > 0) out.add({ type: 'skip', reason: 'entry that is not an object', count: odd });
  for (const [index, record] of [...records.entries()].reverse()) {
    if (out.full || reader.take(record, index) === 'stop') break;
  }
  reader.finish?.();
  return reader;
}
