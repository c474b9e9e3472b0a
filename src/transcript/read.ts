import { misuse, type ScratchpadError } from '../base/errors.ts';
import { digest } from '../base/text/hash.ts';
import { isObject, type JsonObject, jsonText, membersOf, numberAt } from '../base/text/json.ts';
import type { Format } from './event.ts';
import { Fold } from './fold.ts';
import { FORMATS, messagesFormat } from './formats/index.ts';
import { assignGiven, newRecord, type SessionRecord } from './record.ts';
import {
  BLOCK,
  type ByteSource,
  lineAfter,
  linesFrom,
  MAX_LINE,
  memorySource,
  parseLine,
  withSource,
} from './source.ts';
import type { ReadOptions, Transcript } from './types.ts';
import { DEFAULT_LIMIT, firstWords, windowOf } from './window.ts';

export type {
  Compaction,
  CustomEntry,
  Message,
  ReadOptions,
  SessionFacts,
  Skipped,
  Transcript,
} from './types.ts';

/** How far a session was read, so that reading can continue when it has grown. */
export interface Position {
  /** The end of what was read: a byte offset, or a sequence number in a database. */
  offset: number;
  /** Digest of what precedes the offset, to detect a different file in its place. */
  mark: string;
}

/** A session's record, and how far it was read. */
export interface Reading {
  record: SessionRecord;
  position: Position;
  /** Whether it continues the record that was given; otherwise everything was read anew. */
  continues: boolean;
  /** Time ran out before its end: the next reading goes on from there. */
  behind?: boolean;
}

export interface SessionOptions {
  root: string;
  /** In a database the session to read (key or id). */
  session?: string | undefined;
  /** An earlier reading, to continue. Its record is changed. */
  after?: { record: SessionRecord; position: Position } | undefined;
  limit?: number;
  /** `Date.now()` at which to stop, with what has been read by then. */
  until?: number | undefined;
  /** Most bytes to read; of more, only the end is read, and `unread` says how much that leaves out. */
  mostBytes?: number;
}

/** Most bytes of a session to read at once. */
const MOST_BYTES = 16 * 1024 * 1024;
const MARK_BYTES = 256;
/** Bytes to read before other work gets a turn. */
const TURN_BYTES = 2 * 1024 * 1024;

/**
 * Reads a session forward: from where an earlier reading stopped, or from its start. The format is recognized by the
 * content. A last line that is still being written is left for the next time.
 * @throws {ScratchpadError} `usage` for a missing file, a directory or an unknown format, `environment` if
 * the file cannot be read
 */
export async function readSession(path: string, options: SessionOptions): Promise<Reading> {
  return withSource(path, async (bytes) => {
    if (bytes !== undefined) return readBytes(bytes, path, options);
    const { readOpenClawSession } = await import('./formats/openclaw-sqlite.ts');
    return readOpenClawSession(path, options);
  });
}

/** The last messages of a session file of any known host; throws as `readSession` does. */
export async function readTranscriptFile(path: string, options: ReadOptions = {}): Promise<Transcript> {
  const { record } = await readSession(path, { session: options.session, ...reach(options) });
  return windowOf(record, options);
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
  return windowOf(await recordOfText(text, name, reach(options)), options);
}

/** The record of a session that is passed as text. */
export async function recordOfText(
  text: string,
  name: string,
  options: SessionOptions,
): Promise<SessionRecord> {
  return (await readBytes(memorySource(Buffer.from(text, 'utf8')), name, options)).record;
}

/** All messages are read from the whole file. */
function reach({ limit = DEFAULT_LIMIT, maxAgeMs = 1 }: ReadOptions): SessionOptions {
  for (const [name, value] of Object.entries({ limit, maxAgeMs }))
    if (!(value > 0))
      throw misuse(`The ${name} of a transcript window must be above 0`, { found: String(value) });
  return { root: '/', limit, mostBytes: limit === Number.POSITIVE_INFINITY ? limit : undefined };
}

async function readBytes(source: ByteSource, name: string, options: SessionOptions): Promise<Reading> {
  const { after, root, limit = DEFAULT_LIMIT, mostBytes = MOST_BYTES } = options;
  const lines = async (format: Format, record: SessionRecord, from: number): Promise<Reading> => {
    const fold = new Fold(record, root, limit);
    const { end, behind } = await foldLines(source, format, fold, from, options.until);
    fold.slim();
    return { record, position: positionAt(source, end), continues: record === after?.record, behind };
  };
  const known = FORMATS.find((format) => format.name === after?.record.format);
  if (after !== undefined && known !== undefined && goesOn(source, after.position, mostBytes))
    return lines(known, after.record, after.position.offset);
  const found = recognise(source, name);
  const record = newRecord(found.format);
  if (found.kind === 'lines') {
    record.unread = lineAfter(source, source.size - mostBytes);
    if (record.unread > 0) learnStart(record, found.format, found.records, root);
    return lines(found.format, record, record.unread);
  }
  if (found.kind === 'value') foldValue(found, new Fold(record, root, limit));
  // In an empty file nothing tells the format of what follows.
  const position = found.kind === 'empty' ? { offset: 0, mark: '' } : positionAt(source, source.size);
  return { record, position, continues: false };
}

/** What the first records say of the session: where it ran, and the person's first words. */
function learnStart(
  record: SessionRecord,
  format: Format,
  records: readonly JsonObject[],
  root: string,
): void {
  const start = newRecord(format);
  const fold = new Fold(start, root, Number.POSITIVE_INFINITY);
  for (const [index, first] of records.entries()) fold.take(format.events(first, index), index);
  const { session, branch, model, cwd } = start.facts;
  assignGiven(record.facts, { session, branch, model, cwd });
  record.opening = firstWords(windowOf(start, { limit: Number.POSITIVE_INFINITY }).messages);
  record.began = start.began;
}

/** @returns the offset after the last complete line that was read, and whether time ran out there */
async function foldLines(
  source: ByteSource,
  format: Format,
  fold: Fold,
  from: number,
  until = Number.POSITIVE_INFINITY,
): Promise<{ end: number; behind: boolean }> {
  const skip = (reason: string): void => fold.take([{ type: 'skip', reason }], from);
  let end = from;
  let looked = from;
  let turn = from;
  for (const { at, bytes, ended, end: next } of linesFrom(source, from)) {
    if (at - looked >= BLOCK) {
      if (Date.now() > until) return { end, behind: true };
      looked = at;
    }
    if (at - turn >= TURN_BYTES) {
      turn = at;
      await new Promise((resume) => setImmediate(resume));
    }
    const value = bytes && parseLine(bytes);
    if (bytes === undefined) skip(`line over ${MAX_LINE / 1024 / 1024} MB`);
    else if (isObject(value)) fold.take(format.events(value, at), at);
    else skip(ended ? 'broken line' : 'unfinished last line');
    if (ended || isObject(value)) end = next;
  }
  return { end, behind: false };
}

/** The records of a single JSON value. */
function foldValue({ format, outer, records, odd }: WholeValue, fold: Fold): void {
  fold.take([{ type: 'facts', utcOffsetHours: numberAt(outer, 'utcOffsetHours') }], 0);
  if (odd > 0) fold.take([{ type: 'skip', reason: 'entry that is not an object', count: odd }], 0);
  // The object around the messages is a record of its own in some formats; its messages come one by one.
  const { messages: _, ...around } = outer;
  const said = format.recognises(around) ? format.events(around, 0) : [];
  fold.take(
    said.filter(({ type }) => type === 'facts' || type === 'title'),
    0,
  );
  for (const [index, record] of records.entries()) fold.take(format.events(record, index), index);
}

function goesOn(source: ByteSource, position: Position, mostBytes: number): boolean {
  const { offset, mark } = position;
  const isNear = offset <= source.size && source.size - offset <= mostBytes;
  return isNear && positionAt(source, offset).mark === mark;
}

const positionAt = (source: ByteSource, offset: number): Position => ({
  offset,
  mark: digest(source.read(Math.max(0, offset - MARK_BYTES), offset).toString('latin1')),
});

/** The format of most of the records, of several the first that was met; undefined if none is recognized. */
export function detectFormat(records: readonly JsonObject[]): Format | undefined {
  const counts = new Map<Format, number>();
  for (const record of records) {
    const format = FORMATS.find((candidate) => candidate.recognises(record));
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** How much of the start is read for the format and the first message, if it has a record. */
const START_BYTES = 256 * 1024;
const START_RECORDS = 64;
/** A single JSON value has to be parsed at once; larger ones are refused. */
const MAX_WHOLE = 32 * 1024 * 1024;

/** A source that is a single JSON value: an array of messages, or an object that contains one. */
interface WholeValue {
  kind: 'value';
  format: Format;
  /** The object around the messages. */
  outer: JsonObject;
  records: JsonObject[];
  /** Entries that are not objects. */
  odd: number;
}

/** What a source is: still without content, one value, or lines, with the first records. */
type Recognised =
  | { kind: 'empty'; format: Format }
  | WholeValue
  | { kind: 'lines'; format: Format; records: readonly JsonObject[] };

/**
 * Recognizes a source by its content.
 * @param name its name in an error
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export function recognise(source: ByteSource, name: string): Recognised {
  const text = source
    .read(0, START_BYTES)
    .toString()
    .replace(/^\uFEFF?\s*/, '');
  if (text === '' && source.size <= START_BYTES) return { kind: 'empty', format: messagesFormat };
  const value = wholeValue(source, text);
  if (value !== undefined) return openValue(value, name);
  const records = firstRecords(source);
  const format = detectFormat(records);
  if (format === undefined) throw unknownFormat(name, text.slice(0, 2048).split('\n', 1)[0] ?? '');
  return { kind: 'lines', format, records };
}

/** As much of the start as it takes for a record, and what is near it. */
export function firstRecords(source: ByteSource): JsonObject[] {
  const records: JsonObject[] = [];
  // The end of an endless line is not looked for.
  for (const { bytes, end } of linesFrom({ ...source, size: Math.min(source.size, MAX_WHOLE) }, 0)) {
    const value = bytes && parseLine(bytes);
    if (isObject(value)) records.push(value);
    if (records.length >= START_RECORDS || (records.length > 0 && end > START_BYTES)) break;
  }
  return records;
}

/**
 * The whole source as one JSON value, if it is one: an array, an object over several lines, or one with
 * messages. Tried before lines, because lines inside such a value can be records by themselves.
 */
function wholeValue(source: ByteSource, text: string): unknown {
  if (!/^[[{]/.test(text) || source.size > MAX_WHOLE) return undefined;
  const [firstLine = ''] = text.split('\n', 1);
  const first = text.startsWith('{') ? parseLine(Buffer.from(firstLine)) : undefined;
  // A complete first line is the first of several, or the only one.
  if (first !== undefined && text.trim().includes('\n')) return undefined;
  const value = first ?? parseLine(source.read(0, source.size));
  const isList = Array.isArray(value) && first === undefined;
  return isList || (isObject(value) && Array.isArray(value.messages)) ? value : undefined;
}

function openValue(value: unknown, name: string): WholeValue {
  const outer = membersOf(value);
  const list: unknown[] = Array.isArray(value) ? value : (outer.messages as unknown[]);
  const records = list.filter(isObject);
  const format = detectFormat([outer, ...records.slice(0, START_RECORDS), ...records.slice(-START_RECORDS)]);
  if (format === undefined && list.length > 0) throw unknownFormat(name, jsonText(list[0]).slice(0, 400));
  return {
    kind: 'value',
    format: format ?? messagesFormat,
    outer,
    records,
    odd: list.length - records.length,
  };
}

/** The error for input of an unknown format. */
export function unknownFormat(name: string, firstLine: string): ScratchpadError {
  const known = FORMATS.map((format) => format.title);
  return misuse('this is not a transcript in a known format', {
    where: name,
    expected: `one of: ${known.join('; ')}`,
    found: firstLine === '' ? 'no text' : firstLine,
    next: 'give a session file of one of these hosts, or messages {"role", "content"}: one a line (JSONL), or a JSON array of at most 32 MB',
  });
}
