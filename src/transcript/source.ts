import { hasCode, ScratchpadError, usageError } from '../base/errors.ts';
import { type OpenFile, openFile, readBytesFrom } from '../base/fs/index.ts';
import { isObject, type JsonObject, parseJson, toJsonText, toMembers } from '../base/text/json.ts';
import type { Format } from './event.ts';
import { FORMATS, messagesFormat } from './formats/index.ts';

export interface ByteSource {
  readonly size: number;
  /** The bytes from one offset to another; fewer only at the end. */
  read(from: number, to: number): Buffer;
}

const SQLITE = 'SQLite format 3\0';

/**
 * Opens a session file, as long as it is used: its bytes, or nothing if it is a database, which has a reader of its own.
 * @throws {ScratchpadError} `usage` for a missing file or a directory, `environment` for other system errors
 */
export async function withSource<T>(
  path: string,
  use: (bytes: ByteSource | undefined) => Promise<T> | T,
): Promise<T> {
  const file = openTranscript(path);
  try {
    const { size } = file.stats;
    const read = (from: number, to: number): Buffer =>
      readBytesFrom(file.fd, from, Math.max(0, Math.min(to, size) - from));
    const isDatabase = read(0, SQLITE.length).toString('latin1') === SQLITE;
    return await use(isDatabase ? undefined : { size, read });
  } finally {
    file.close();
  }
}

export const createMemorySource = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: (from, to) => bytes.subarray(from, to),
});

const unusableSource = (what: string, where: string, found: string): ScratchpadError =>
  usageError(what, {
    where,
    expected: 'a session file',
    found,
    next: { to: 'check the path: see the sessions that were found', command: 'scratchpad transcript list' },
  });

function openTranscript(path: string): OpenFile {
  try {
    const file = openFile(path, 'transcript');
    if (file !== undefined) return file;
  } catch (error) {
    const isNoFile =
      error instanceof ScratchpadError && (error.detail.refusal === 'kind' || hasCode(error.cause, 'EISDIR'));
    if (!isNoFile) throw error;
    throw unusableSource(
      'A transcript must be a file',
      path,
      'a directory, or something that is not a regular file',
    );
  }

  throw unusableSource('there is no such transcript', path, 'nothing at that path');
}

export interface Line {
  at: number;
  /** Undefined if the line is longer than `MAX_LINE`. */
  bytes: Buffer | undefined;
  end: number;
  /** False for a last line without LF: it may still be being written. */
  ended: boolean;
}

/** Longest line to read, in bytes. Longer ones are counted and skipped, so that memory stays bounded. */
export const MAX_LINE = 8 * 1024 * 1024;
export const BLOCK = 512 * 1024;
const LF = 10;

/** The lines from an offset to the end of a source, oldest first. Splits at LF only and skips empty lines. */
export function* readLines(source: ByteSource, start: number, firstBlock = BLOCK): Generator<Line> {
  let length = firstBlock;
  for (let at = start; at < source.size; ) {
    const block = source.read(at, Math.min(at + length, source.size));
    if (block.length === 0) return;

    let from = 0;
    for (let feed = block.indexOf(LF); feed !== -1; feed = block.indexOf(LF, from)) {
      if (feed > from)
        yield { at: at + from, bytes: block.subarray(from, feed), end: at + feed + 1, ended: true };
      from = feed + 1;
    }

    if (from > 0) {
      at += from;
      length = BLOCK;
    } else if (block.length > MAX_LINE) {
      const end = findLineStart(source, at + block.length);
      yield { at, bytes: undefined, end, ended: source.read(end - 1, end)[0] === LF };
      at = end;
    } else if (block.length < length || at + length >= source.size) {
      yield { at, bytes: block, end: at + block.length, ended: false };
      return;
    } else length = Math.min(2 * length, MAX_LINE + 1);
  }
}

/** The start of the first line at or after an offset. */
export function findLineStart(source: ByteSource, offset: number): number {
  if (!(offset > 0)) return 0;
  for (let at = offset; at < source.size; at += BLOCK) {
    const feed = source.read(at, at + BLOCK).indexOf(LF);
    if (feed !== -1) return at + feed + 1;
  }

  return source.size;
}

/**
 * Parses a line as JSON; undefined if it is invalid. Tolerates a BOM, a CR, and NUL bytes left by a crash.
 */
export function parseLine(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return parseJson(text.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, ''));
  }
}

/** More levels than any host writes: whatever walks through a record may use the stack. */
const MOST_LEVELS = 200;
/** Where a record can begin behind the rest of another: not as a value in one. */
const BEGINNING = /(?:(?<![:,[\s])|(?<=[}\0]\s+))\{"/g;
/** A line is searched no longer once so many places were no beginning. */
const MOST_TRIES = 50;

interface RecordsOfLine {
  records: JsonObject[];
  problem?: 'broken line' | 'line nested too deeply';
}

/** The records of a line: one, or several if a writer that was cut off left no line feed before the next. */
export function parseRecords(bytes: Buffer): RecordsOfLine {
  const value = parseLine(bytes);
  if (value !== undefined) {
    if (bytes.length > MOST_LEVELS && isDeep(value))
      return { records: [], problem: 'line nested too deeply' };
    return isObject(value) ? { records: [value] } : { records: [], problem: 'broken line' };
  }

  const text = bytes.toString('utf8');
  const records: JsonObject[] = [];
  let between = '';
  let from = 0;
  let tries = 0;

  for (const { index } of text.matchAll(BEGINNING)) {
    if (index < from || tries > MOST_TRIES) continue;

    const end = endOfValue(text, index);
    const record = end === undefined ? undefined : parseJson(text.slice(index, end));

    if (end === undefined || !isObject(record) || isDeep(record)) {
      tries += 1;
      continue;
    }

    records.push(record);
    between += text.slice(from, index);
    from = end;
  }

  const isWhole = /^[\uFEFF\0\s]*$/.test(between + text.slice(from));

  return isWhole ? { records } : { records, problem: 'broken line' };
}

/** The end of the object that begins at an index; undefined if it is not closed. */
function endOfValue(text: string, start: number): number | undefined {
  const token = /["{}[\]]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') {
      const string = /(?:[^"\\]|\\.)*"/sy;
      string.lastIndex = token.lastIndex;
      if (string.exec(text) === null) return undefined;
      token.lastIndex = string.lastIndex;
    } else if (match[0] === '{' || match[0] === '[') depth += 1;
    else if (--depth === 0) return token.lastIndex;
  }

  return undefined;
}

function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }

  return false;
}

const detectRecordFormat = (record: JsonObject): Format | undefined =>
  FORMATS.find((candidate) => candidate.recognises(record));

/** The format of most of the records, of several the first that was met; undefined if none is recognized. */
export function detectFormat(records: readonly JsonObject[]): Format | undefined {
  const counts = new Map<Format, number>();
  for (const record of records) {
    const format = detectRecordFormat(record);
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1);
  }

  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** How much of the start is read for the format and the first message, if it has a record. */
const START_BYTES = 256 * 1024;
const START_RECORDS = 64;
/** A single JSON value has to be parsed at once; larger ones are refused. */
const MAX_WHOLE = 32 * 1024 * 1024;

interface RecognisedFormat {
  format: Format;
  /** The first records, of a value all of them. */
  records: JsonObject[];
  /** Of a single JSON value the object around its messages, and a line for each of those. */
  value?: { outer: JsonObject; lines: ByteSource };
}

/**
 * Recognizes a source by its content. What is still empty may become anything.
 * @param name its name in an error
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export function recognise(source: ByteSource, name: string): RecognisedFormat {
  const text = source
    .read(0, START_BYTES)
    .toString()
    .replace(/^\uFEFF?\s*/, '');
  if (text === '' && source.size <= START_BYTES) return { format: messagesFormat, records: [] };

  const whole = parseWhole(source, text);
  const { messages: list = whole, ...outer } = toMembers(whole);
  const messages = Array.isArray(list) ? list : [];
  const records = whole === undefined ? readFirstRecords(source) : [outer, ...messages].filter(isObject);
  const samples = [...records.slice(0, START_RECORDS), ...records.slice(START_RECORDS).slice(-START_RECORDS)];
  const format = detectFormat(samples);

  if (format === undefined && (whole === undefined || messages.length > 0))
    throw formatNotRecognised(name, text.slice(0, 2048).split('\n', 1)[0] ?? '');

  const position = { format: format ?? messagesFormat, records };
  if (whole === undefined) return position;

  // The object around the messages is a record of its own in some formats.
  const all = position.format.recognises(outer) ? [outer, ...messages] : messages;
  const bytes = Buffer.from(all.map((record) => `${toJsonText(record)}\n`).join(''));

  return { ...position, value: { outer, lines: createMemorySource(bytes) } };
}

/** As much of the start as it takes for a record of a known format, and what is near it. */
function readFirstRecords(source: ByteSource): JsonObject[] {
  const records: JsonObject[] = [];
  let isKnown = false;

  // The end of an endless line is not looked for.
  for (const { bytes, end } of readLines({ ...source, size: Math.min(source.size, MAX_WHOLE) }, 0)) {
    const found = bytes === undefined ? [] : parseRecords(bytes).records;
    records.push(...found);
    isKnown ||= detectFormat(found) !== undefined;
    if (isKnown && (records.length >= START_RECORDS || end > START_BYTES)) break;
  }

  return records;
}

/**
 * The whole source as one JSON value, if it is one: an array, an object over several lines, or one with
 * messages. Tried before lines, because lines inside such a value can be records by themselves.
 */
function parseWhole(source: ByteSource, text: string): unknown {
  if (!/^[[{]/.test(text) || source.size > MAX_WHOLE) return undefined;

  const [firstLine = ''] = text.split('\n', 1);
  const first = text.startsWith('{') ? parseLine(Buffer.from(firstLine)) : undefined;

  // A complete first line is the first of several, or the only one.
  if (first !== undefined && text.trim().includes('\n')) return undefined;

  const value = first ?? parseLine(source.read(0, source.size));
  const isList = Array.isArray(value) && first === undefined;

  return isList || Array.isArray(toMembers(value).messages) ? value : undefined;
}

export function formatNotRecognised(name: string, firstLine: string): ScratchpadError {
  const titles = FORMATS.map((format) => format.title);
  return usageError('this is not a transcript in a known format', {
    where: name,
    expected: `one of: ${titles.join('; ')}`,
    found: firstLine === '' ? 'no text' : firstLine,
    next: 'give a session file of one of these hosts, or messages {"role", "content"}: one a line (JSONL), or a JSON array of at most 32 MB',
  });
}
