import { misuse } from '../base/errors.ts';
import { digest } from '../base/text/hash.ts';
import { isObject, type JsonObject, numberAt } from '../base/text/json.ts';
import type { SessionEvent } from './event.ts';
import { Fold } from './fold.ts';
import type { Format } from './format.ts';
import { FORMATS, messagesFormat } from './formats/index.ts';
import { recognise, type WholeValue } from './recognise.ts';
import { assignGiven, newRecord, type SessionRecord } from './record.ts';
import {
  type ByteSource,
  lineAfter,
  linesFrom,
  MAX_LINE,
  memorySource,
  openSource,
  parseLine,
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
  /** The workspace: paths inside it are named relative to it. */
  root: string;
  /** In a database the session to read (key or id). */
  session?: string | undefined;
  /** An earlier reading, to continue. Its record is changed. */
  after?: { record: SessionRecord; position: Position } | undefined;
  /** Messages that are wanted with their tool calls. */
  limit?: number;
  /** `Date.now()` at which to stop, with what has been read by then. */
  until?: number | undefined;
  /** Most bytes to read; of more, only the end is read, and `unread` says how much that leaves out. */
  mostBytes?: number;
}

/** Most bytes of a session to read at once. */
const MOST_BYTES = 16 * 1024 * 1024;
const MARK_BYTES = 256;

/**
 * Reads a session forward: from where an earlier reading stopped, or from its start. The format is recognized by the
 * content. A last line that is still being written is left for the next time.
 * @throws {ScratchpadError} `usage` for a missing file, a directory or an unknown format, `environment` if
 * the file cannot be read
 */
export async function readSession(path: string, options: SessionOptions): Promise<Reading> {
  const source = await openSource(path);
  try {
    if (source.kind === 'database') {
      const { readOpenClawSession } = await import('./formats/openclaw-sqlite.ts');
      return await readOpenClawSession(path, options);
    }
    return await readBytes(source.bytes, path, options);
  } finally {
    source.close();
  }
}

/** The last messages of a session file of any known host; throws as `readSession` does. */
export async function readTranscriptFile(path: string, options: ReadOptions = {}): Promise<Transcript> {
  checkOptions(options);
  const { record } = await readSession(path, { root: '/', session: options.session, ...reach(options) });
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
  checkOptions(options);
  return windowOf(await recordOfText(text, name, { root: '/', ...reach(options) }), options);
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
function reach({ limit = DEFAULT_LIMIT }: ReadOptions): Pick<SessionOptions, 'limit' | 'mostBytes'> {
  return limit === Number.POSITIVE_INFINITY ? { limit, mostBytes: limit } : { limit };
}

function checkOptions(options: ReadOptions): void {
  for (const [name, value] of [
    ['limit', options.limit],
    ['maxAgeMs', options.maxAgeMs],
  ] as const) {
    if (value === undefined || value > 0) continue;
    throw misuse(`The ${name} of a transcript window must be above 0`, { found: String(value) });
  }
}

async function readBytes(source: ByteSource, name: string, options: SessionOptions): Promise<Reading> {
  const { after, root, limit = DEFAULT_LIMIT, mostBytes = MOST_BYTES, until } = options;
  const lines = async (format: Format, record: SessionRecord, from: number): Promise<Reading> => {
    const fold = new Fold(record, root, limit);
    const { end, behind } = await foldLines(source, format, fold, from, until);
    fold.slim();
    const position = { offset: end, mark: await markAt(source, end) };
    return { record, position, continues: record === after?.record, behind };
  };
  const known = FORMATS.find((format) => format.name === after?.record.format);
  if (after !== undefined && known !== undefined && (await goesOn(source, after.position, mostBytes)))
    return lines(known, after.record, after.position.offset);
  const found = await recognise(source, name);
  if (found.kind === 'empty')
    return { record: newRecord(messagesFormat), position: { offset: 0, mark: '' }, continues: false };
  if (found.kind === 'value') {
    const record = newRecord(found.value.format);
    foldValue(found.value, new Fold(record, root, limit));
    const position = { offset: source.size, mark: await markAt(source, source.size) };
    return { record, position, continues: false };
  }
  const { format, records } = found;
  const record = newRecord(format);
  record.unread = await lineAfter(source, source.size - mostBytes);
  // What a host writes only at the start of a file.
  learnStart(record, format, records, root);
  return lines(format, record, record.unread);
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
  for (const [index, first] of records.entries()) {
    fold.take(format.events(first, index), index);
    const { cwd, workingDirectory } = start.facts;
    // Where it was started, and not where it went.
    if (!('cwd' in record.facts)) assignGiven(record.facts, { cwd: cwd ?? workingDirectory });
  }
  if (record.unread === 0) return;
  const { session, branch, model } = start.facts;
  assignGiven(record.facts, { session, branch, model, ...record.facts });
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
  for await (const lines of linesFrom(source, from)) {
    if (end > from && Date.now() > until) return { end, behind: true };
    for (const line of lines) {
      const { bytes } = line;
      const value = bytes === undefined ? undefined : parseLine(bytes);
      if (bytes === undefined) skip(`line over ${MAX_LINE / 1024 / 1024} MB`);
      else if (isObject(value)) fold.take(format.events(value, line.at), line.at);
      else skip(line.ended ? 'broken line' : 'unfinished last line');
      if (line.ended || isObject(value)) end = line.at + line.length + (line.ended ? 1 : 0);
    }
  }
  return { end, behind: false };
}

/** The records of a single JSON value. */
function foldValue({ format, outer, records, odd }: WholeValue, fold: Fold): void {
  const utcOffsetHours = numberAt(outer, 'utcOffsetHours');
  const facts: SessionEvent[] = utcOffsetHours === undefined ? [] : [{ type: 'facts', utcOffsetHours }];
  if (odd > 0) facts.push({ type: 'skip', reason: 'entry that is not an object', count: odd });
  fold.take(facts, 0);
  // The object around the messages is a record of its own in some formats; its messages come one by one.
  const { messages: _, ...around } = outer;
  if (format.recognises(around))
    fold.take(
      format.events(around, 0).filter(({ type }) => type === 'facts' || type === 'title'),
      0,
    );
  for (const [index, record] of records.entries()) fold.take(format.events(record, index), index);
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
