import { ScratchpadError } from '../errors.ts';
import { Collector } from './collector.ts';
import { detectFormat, unknownFormat } from './detect.ts';
import type { Format, FormatReader } from './format.ts';
import { messagesFormat } from './formats/messages.ts';
import { isObject, type JsonObject, jsonText, numberAt } from './json.ts';
import { type ByteSource, type Line, linesFromEnd, MAX_LINE, parseLine } from './lines.ts';
import type { Transcript } from './types.ts';

/** How much of the start is looked at to recognise the format and what opened the session. */
interface Reach {
  bytes: number;
  records: number;
}

/** Nearly always enough, */
const NEAR: Reach = { bytes: 64 * 1024, records: 8 };
/** and the most. */
const FAR: Reach = { bytes: 256 * 1024, records: 64 };
/** One JSON value over the whole file has to be parsed at once; larger ones are refused. */
const MAX_WHOLE = 32 * 1024 * 1024;
/** A window is also full after this many bytes of parsed lines if it has words of the human by then, */
const ENOUGH_BYTES = 4 * 1024 * 1024;
/** and after this many in any case. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Read a source in whatever known format it is, into the collector. */
export async function readRecords(
  source: ByteSource,
  out: Collector,
  name: string,
  signal?: AbortSignal,
): Promise<Transcript> {
  let start = await startOf(source, NEAR);
  // A line that is longer than that tells nothing.
  if (!start.text.includes('\n')) start = await further(source, start);
  if (start.text === '' && start.whole) return out.finish(messagesFormat.name);
  const value = await wholeValue(source, start.text);
  if (value !== undefined) return readWhole(value, out, name);
  let format = detectFormat(start.records);
  if (format === undefined) {
    start = await further(source, start);
    format = detectFormat(start.records);
  }
  if (format === undefined && !start.whole) format = detectFormat(await sampleFromEnd(source));
  if (format === undefined) throw notRead(source, start.text, name);
  const reader = format.open(out);
  await feedLines(source, reader, out, signal);
  if (!format.independent) start = await further(source, start);
  for (const record of start.records) reader.head?.(record);
  reader.finish?.();
  // What a session was begun for is often still what it is about, long after the words have left the window.
  if (out.full) {
    out.learn('opening', openingOf(format, start.records));
    if (out.facts.opening === undefined) {
      const more = await further(source, start);
      if (more !== start) out.learn('opening', openingOf(format, more.records));
    }
  }
  return out.finish(format.name);
}

interface Start {
  /** Without a byte order mark and leading blanks. */
  text: string;
  records: readonly JsonObject[];
  /** Whether there is no more. */
  whole: boolean;
  /** Whether a farther reach would tell no more. */
  furthest: boolean;
}

/** Read again where the near reach is not enough, which is seldom. */
async function further(source: ByteSource, start: Start): Promise<Start> {
  return start.furthest ? start : startOf(source, FAR);
}

async function startOf(source: ByteSource, reach: Reach): Promise<Start> {
  const whole = source.size <= reach.bytes;
  const bytes = await bytesAt(source, 0, Math.min(reach.bytes, source.size));
  const text = bytes.toString();
  const records = sample(bytes, whole, reach.records);
  return {
    text: (text.startsWith('\uFEFF') ? text.slice(1) : text).trimStart(),
    records,
    whole,
    furthest: reach === FAR || (whole && records.length < reach.records),
  };
}

/** The first words of the human among the records that a session begins with; a bare command is none. */
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

/**
 * The value that the whole source is, when it is one: an array, an object over several lines, or one that
 * holds messages. Tried before the lines are, because lines inside such a value can be records by themselves.
 */
async function wholeValue(source: ByteSource, text: string): Promise<unknown> {
  if (!opensValue(text) || source.size > MAX_WHOLE) return undefined;
  const [firstLine = ''] = text.split('\n', 1);
  const first = text[0] === '{' ? parseLine(Buffer.from(firstLine)) : undefined;
  // A line that is complete is the first of several, or the only one.
  if (first !== undefined)
    return isObject(first) && Array.isArray(first.messages) && isOnlyLine(text) ? first : undefined;
  const value = parseLine(await bytesAt(source, 0, source.size));
  return Array.isArray(value) || (isObject(value) && Array.isArray(value.messages)) ? value : undefined;
}

/** Lines into the reader until the window is full, the conversation begins, or the file does. */
async function feedLines(
  source: ByteSource,
  reader: FormatReader,
  out: Collector,
  signal?: AbortSignal,
): Promise<void> {
  const state = { parsed: 0, counted: source.size + 1 };
  for (let from: number | undefined = source.size; from !== undefined; ) {
    for await (const lines of linesFromEnd(source, from)) {
      signal?.throwIfAborted();
      if (feedBatch(lines, reader, out, state)) break;
    }
    from = out.full ? undefined : reader.again?.();
  }
}

function feedBatch(
  lines: readonly Line[],
  reader: FormatReader,
  out: Collector,
  state: { parsed: number; counted: number },
): boolean {
  for (const line of lines) {
    const firstTime = line.at < state.counted;
    state.counted = Math.min(state.counted, line.at);
    if (line.bytes === undefined) {
      if (firstTime) out.skip(`line over ${MAX_LINE / 1024 / 1024} MB`);
      continue;
    }
    if (reader.wants !== undefined && !reader.wants(line.bytes)) continue;
    state.parsed += line.bytes.length;
    const value = parseLine(line.bytes);
    if (!isObject(value)) {
      if (firstTime) out.skip(line.ended ? 'broken line' : 'unfinished last line');
      continue;
    }
    if (reader.take(value, line.at) === 'stop' || out.full || enough(out, state.parsed)) return true;
  }
  return false;
}

function enough(out: Collector, parsed: number): boolean {
  if (out.limit === Number.POSITIVE_INFINITY) return false;
  return parsed > MOST_BYTES || (parsed > ENOUGH_BYTES && out.humans > 0);
}

/** A value that is the whole file: an array of messages, or an object that holds one. */
function readWhole(value: unknown, out: Collector, name: string): Transcript {
  const list = Array.isArray(value) ? value : isObject(value) ? value.messages : undefined;
  if (!Array.isArray(list)) throw unknownFormat(name, jsonText(value).slice(0, 400));
  const records = list.filter(isObject);
  const outer = isObject(value) ? value : {};
  const format = detectFormat([outer, ...records.slice(0, FAR.records), ...records.slice(-FAR.records)]);
  if (format === undefined && list.length > 0) throw unknownFormat(name, jsonText(list[0]).slice(0, 400));
  const reader = (format ?? messagesFormat).open(out);
  out.learn('utcOffsetHours', numberAt(outer, 'utcOffsetHours'));
  reader.head?.(outer);
  if (list.length > records.length) out.skip('entry that is not an object', list.length - records.length);
  for (let index = records.length - 1; index >= 0 && !out.full; index--) {
    const record = records[index];
    if (record !== undefined && reader.take(record, index) === 'stop') break;
  }
  reader.finish?.();
  return out.finish((format ?? messagesFormat).name);
}

function notRead(source: ByteSource, text: string, name: string): ScratchpadError {
  const [firstLine = ''] = text.slice(0, 2048).split('\n', 1);
  if (source.size <= MAX_WHOLE || !opensValue(text)) return unknownFormat(name, firstLine);
  return new ScratchpadError('usage', 'A transcript in one JSON value is too large to be read', {
    where: name,
    expected: `at most ${MAX_WHOLE / 1024 / 1024} MB, or one message a line`,
    found: `${Math.round(source.size / 1024 / 1024)} MB that begin with ${firstLine.slice(0, 100)}`,
    next: 'write one message a line (JSONL): such files are read from their end, whatever their size',
  });
}

/** The records among the lines of a sample. */
function sample(bytes: Buffer, complete: boolean, most: number): JsonObject[] {
  const records: JsonObject[] = [];
  let from = 0;
  while (from < bytes.length && records.length < most) {
    const feed = bytes.indexOf(10, from);
    if (feed === -1 && !complete) break;
    const end = feed === -1 ? bytes.length : feed;
    const value = parseLine(bytes.subarray(from, end));
    if (isObject(value)) records.push(value);
    from = end + 1;
  }
  return records;
}

/** The last records of a source whose start told nothing, for example because its first line is very long. */
async function sampleFromEnd(source: ByteSource): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  let parsed = 0;
  for await (const lines of linesFromEnd(source)) {
    for (const { bytes } of lines) {
      const value = bytes === undefined ? undefined : parseLine(bytes);
      if (isObject(value)) records.push(value);
      parsed += bytes?.length ?? MAX_LINE;
      if (records.length >= FAR.records || parsed > MOST_BYTES) return records;
    }
  }
  return records;
}

function opensValue(text: string): boolean {
  return text.startsWith('[') || text.startsWith('{');
}

function isOnlyLine(text: string): boolean {
  return !text.trim().includes('\n');
}

async function bytesAt(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const count = await source.read(bytes.subarray(filled), from + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
