import { misuse, type ScratchpadError } from '../base/errors.ts';
import { isObject, type JsonObject, jsonText, membersOf } from '../base/text/json.ts';
import type { Format } from './format.ts';
import { FORMATS, messagesFormat } from './formats/index.ts';
import { type ByteSource, lineAfter, linesFrom, parseLine } from './source.ts';

/** The format of most of the records, of several the first that was met; undefined if none is recognized. */
export function detectFormat(records: readonly JsonObject[]): Format | undefined {
  const counts = new Map<Format, number>();
  for (const record of records) {
    const format = FORMATS.find((candidate) => candidate.recognises(record));
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The error for input of an unknown format. */
export function unknownFormat(name: string, firstLine: string): ScratchpadError {
  const known = FORMATS.map((format) => format.title);
  return misuse('this is not a transcript in a known format', {
    where: name,
    expected: `one of: ${known.join('; ')}`,
    found: firstLine === '' ? 'no text' : firstLine,
    next: 'give a session file of one of these hosts, or messages as a JSON array of {"role", "content"}',
  });
}

/** How much of the start is read for the format and the first message. */
const START_BYTES = 256 * 1024;
const START_RECORDS = 64;
/** A single JSON value has to be parsed at once; larger ones are refused. */
const MAX_WHOLE = 32 * 1024 * 1024;
/** Most bytes to parse in search of a record that identifies the format. */
const MOST_BYTES = 32 * 1024 * 1024;

/** A source that is a single JSON value: an array of messages, or an object that contains one. */
export interface WholeValue {
  format: Format;
  /** The object around the messages. */
  outer: JsonObject;
  records: JsonObject[];
  /** Entries that are not objects. */
  odd: number;
}

/** What a source is: still unknown, one value, or lines, with the first records. */
type Recognised =
  | { kind: 'empty' }
  | { kind: 'value'; value: WholeValue }
  | { kind: 'lines'; format: Format; records: readonly JsonObject[] };

/**
 * Recognizes a source by its content.
 * @param name its name in an error
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export async function recognise(source: ByteSource, name: string): Promise<Recognised> {
  const whole = source.size <= START_BYTES;
  const bytes = await bytesAt(source, 0, Math.min(START_BYTES, source.size));
  const text = bytes.toString().replace(/^\uFEFF?\s*/, '');
  if (text === '' && whole) return { kind: 'empty' };
  const value = await wholeValue(source, text);
  if (value !== undefined) return { kind: 'value', value: openValue(value, name) };
  const records = sample(bytes, whole, START_RECORDS).filter(isObject);
  let format = detectFormat(records);
  if (format === undefined && !whole) format = detectFormat(await sampleFromEnd(source));
  if (format === undefined) throw notRead(source, text, name);
  return { kind: 'lines', format, records };
}

/**
 * The whole source as one JSON value, if it is one: an array, an object over several lines, or one with
 * messages. Tried before lines, because lines inside such a value can be records by themselves.
 */
async function wholeValue(source: ByteSource, text: string): Promise<unknown> {
  if (!opensValue(text) || source.size > MAX_WHOLE) return undefined;
  const [firstLine = ''] = text.split('\n', 1);
  const first = text[0] === '{' ? parseLine(Buffer.from(firstLine)) : undefined;
  // A complete first line is the first of several, or the only one.
  if (first !== undefined)
    return isObject(first) && Array.isArray(first.messages) && !text.trim().includes('\n')
      ? first
      : undefined;
  const value = parseLine(await bytesAt(source, 0, source.size));
  return Array.isArray(value) || (isObject(value) && Array.isArray(value.messages)) ? value : undefined;
}

function openValue(value: unknown, name: string): WholeValue {
  const list = Array.isArray(value) ? value : isObject(value) ? value.messages : undefined;
  if (!Array.isArray(list)) throw unknownFormat(name, jsonText(value).slice(0, 400));
  const records = list.filter(isObject);
  const outer = membersOf(value);
  const format = detectFormat([outer, ...records.slice(0, START_RECORDS), ...records.slice(-START_RECORDS)]);
  if (format === undefined && list.length > 0) throw unknownFormat(name, jsonText(list[0]).slice(0, 400));
  return { format: format ?? messagesFormat, outer, records, odd: list.length - records.length };
}

function notRead(source: ByteSource, text: string, name: string): ScratchpadError {
  const [firstLine = ''] = text.slice(0, 2048).split('\n', 1);
  if (source.size <= MAX_WHOLE || !opensValue(text)) return unknownFormat(name, firstLine);
  return misuse('A transcript in one JSON value is too large to be read', {
    where: name,
    expected: `at most ${MAX_WHOLE / 1024 / 1024} MB, or one message a line`,
    found: `${Math.round(source.size / 1024 / 1024)} MB that begin with ${firstLine.slice(0, 100)}`,
    next: 'write one message a line (JSONL): such files are read from their end, whatever their size',
  });
}

/** The values of the first lines. @param isWhole whether the last line is complete */
export function sample(bytes: Buffer, isWhole: boolean, most: number): unknown[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length && lines.length < most; ) {
    const feed = bytes.indexOf(10, from);
    if (feed === -1 && !isWhole) break;
    const end = feed === -1 ? bytes.length : feed;
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines.map(parseLine).filter((value) => value !== undefined);
}

/** Some of the last records of a source whose start was not conclusive, for example because of a very long first line. */
async function sampleFromEnd(source: ByteSource): Promise<JsonObject[]> {
  for (const reach of [START_BYTES, MOST_BYTES]) {
    const records: JsonObject[] = [];
    for await (const lines of linesFrom(source, await lineAfter(source, source.size - reach)))
      records.push(...lines.map(({ bytes }) => bytes && parseLine(bytes)).filter(isObject));
    if (records.length > 0) return records.slice(-START_RECORDS);
  }
  return [];
}

const opensValue = (text: string): boolean => text.startsWith('[') || text.startsWith('{');

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
