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
 * Opens a session file while it is used.
 * @param use gets the bytes; `undefined` for a database, which has its own reader
 * @throws {ScratchpadError} `usage` for a missing file or a directory, `environment` for other system errors
 */
export async function withSource<T>(
  path: string,
  use: (bytes: ByteSource | undefined) => Promise<T> | T,
): Promise<T> {
  const file = openTranscript(path);
  try {
    const source = createFileSource(file);
    const isDatabase = source.read(0, SQLITE.length).toString('latin1') === SQLITE;
    return await use(isDatabase ? undefined : source);
  } finally {
    file.close();
  }
}

export const createFileSource = ({ fd, stats: { size } }: OpenFile): ByteSource => ({
  size,
  read: (from, to) => readBytesFrom(fd, from, Math.max(0, Math.min(to, size) - from)),
});

export const createMemorySource = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: (from, to) => bytes.subarray(from, to),
});

const unusableSource = (message: string, where: string, found: string): ScratchpadError =>
  usageError(message, {
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
    const found = 'a directory, or something that is not a regular file';
    throw unusableSource('A transcript must be a file', path, found);
  }

  throw unusableSource('there is no such transcript', path, 'nothing at that path');
}

export interface Line {
  /** Byte offset of its start. */
  at: number;
  /** Undefined if the line is longer than `MAX_LINE`. */
  bytes: Buffer | undefined;
  /** Byte offset of the next line. */
  end: number;
  /** False for a last line without LF, which may still be being written. */
  ended: boolean;
}

/** Longest line to read, in bytes. Longer ones are skipped, so that memory stays bounded. */
export const MAX_LINE = 8 * 1024 * 1024;
export const BLOCK = 512 * 1024;
const LF = 10;

/** The lines from an offset to the end of a source, oldest first. Splits at LF only and skips empty lines. */
export function* readLines(source: ByteSource, start: number, firstBlock = BLOCK): Generator<Line> {
  let length = firstBlock;
  for (let at = start; at < source.size; ) {
    const block = source.read(at, Math.min(at + length, source.size));
    if (block.length === 0) return;

    let lineStart = 0;
    for (let feed = block.indexOf(LF); feed !== -1; feed = block.indexOf(LF, lineStart)) {
      const bytes = block.subarray(lineStart, feed);
      if (bytes.length > 0) yield { at: at + lineStart, bytes, end: at + feed + 1, ended: true };
      lineStart = feed + 1;
    }

    if (lineStart > 0) {
      at += lineStart;
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

/** The start of the first line after an offset; 0 for offset 0. */
export function findLineStart(source: ByteSource, offset: number): number {
  if (!(offset > 0)) return 0;
  for (let start = offset; start < source.size; start += BLOCK) {
    const feed = source.read(start, start + BLOCK).indexOf(LF);
    if (feed !== -1) return start + feed + 1;
  }

  return source.size;
}

/** Parses a line as JSON; undefined if it is invalid. Tolerates a BOM, a CR, and NUL bytes left by a crash. */
export function parseLine(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return parseJson(text.replace(/^[\uFEFF\0\s]+|(?<![\0\s])[\0\s]+$/g, ''));
  }
}

/** Most levels of a row, so that code may walk through it by recursion; hosts write fewer. */
const MOST_LEVELS = 200;
/** A place where a row can begin in a broken line: an object that is no value within another one. */
const RECORD_START = /\{"(?<=(?:^|[^:,[\s]|[}\0]\s+)\{")/g;
const MOST_FAILED_STARTS = 50;

interface RowsOfLine {
  rows: JsonObject[];
  problem?: 'broken line' | 'line nested too deeply';
}

/** The rows of a line: one, or several if a writer that was cut off left no line feed before the next. */
export function parseRows(bytes: Buffer): RowsOfLine {
  const value = parseLine(bytes);
  if (value === undefined) return recoverRows(bytes.toString('utf8'));
  if (bytes.length > MOST_LEVELS && isDeep(value)) return { rows: [], problem: 'line nested too deeply' };

  return isObject(value) ? { rows: [value] } : { rows: [], problem: 'broken line' };
}

/** The rows in a line that is no JSON as a whole. */
function recoverRows(text: string): RowsOfLine {
  const rows: JsonObject[] = [];
  let textBetween = '';
  let end = 0;
  let failedStarts = 0;

  for (const { index } of text.matchAll(RECORD_START)) {
    if (index < end || failedStarts > MOST_FAILED_STARTS) continue;

    const rowEnd = findObjectEnd(text, index);
    const row = rowEnd === undefined ? undefined : parseJson(text.slice(index, rowEnd));

    if (rowEnd === undefined || !isObject(row) || isDeep(row)) {
      failedStarts += 1;
      continue;
    }

    rows.push(row);
    textBetween += text.slice(end, index);
    end = rowEnd;
  }

  const isBroken = !/^[\uFEFF\0\s]*$/.test(textBetween + text.slice(end));

  return isBroken ? { rows, problem: 'broken line' } : { rows };
}

/** The end of the object that begins at an index; undefined if it is not closed. */
function findObjectEnd(text: string, start: number): number | undefined {
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
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }

  return false;
}

/** The format of most of the rows; among equals, the first that was met; undefined if none is recognized. */
export function detectFormat(rows: readonly JsonObject[]): Format | undefined {
  const counts = new Map<Format, number>();
  for (const row of rows) {
    const format = FORMATS.find((candidate) => candidate.recognises(row));
    if (format !== undefined) counts.set(format, (counts.get(format) ?? 0) + 1);
  }

  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** How much of the start is read to recognize the format, once a row was found. */
const START_BYTES = 256 * 1024;
const START_ROWS = 64;
/** Largest single JSON value, in bytes, which has to be parsed at once. */
const MAX_WHOLE = 32 * 1024 * 1024;

interface RecognisedFormat {
  format: Format;
  /** The first rows; all rows of a single JSON value. */
  rows: JsonObject[];
  /** For a single JSON value: the object around its messages, and a line for each message. */
  value?: { outer: JsonObject; lines: ByteSource };
}

/**
 * Recognizes the format of a source by its content; an empty one counts as plain messages.
 * @param name of the source in an error
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export function recognise(source: ByteSource, name: string): RecognisedFormat {
  const text = source
    .read(0, START_BYTES)
    .toString()
    .replace(/^\uFEFF?\s*/, '');
  if (text === '' && source.size <= START_BYTES) return { format: messagesFormat, rows: [] };

  const whole = parseWhole(source, text);
  const { messages: list = whole, ...outer } = toMembers(whole);
  const messages = Array.isArray(list) ? list : [];
  const rows = whole === undefined ? readFirstRows(source) : [outer, ...messages].filter(isObject);
  const samples = [...rows.slice(0, START_ROWS), ...rows.slice(START_ROWS).slice(-START_ROWS)];
  const format = detectFormat(samples);

  if (format === undefined && (whole === undefined || messages.length > 0))
    throw formatNotRecognised(name, text.slice(0, 2048).split('\n', 1)[0] ?? '');

  const recognised = { format: format ?? messagesFormat, rows };
  if (whole === undefined) return recognised;

  // The object around the messages is a row of its own in some formats.
  const all = recognised.format.recognises(outer) ? [outer, ...messages] : messages;
  const bytes = Buffer.from(all.map((row) => `${toJsonText(row)}\n`).join(''));

  return { ...recognised, value: { outer, lines: createMemorySource(bytes) } };
}

/** The rows up to the first one of a known format, and those near it. */
function readFirstRows(source: ByteSource): JsonObject[] {
  const rows: JsonObject[] = [];
  let isKnown = false;

  for (const { bytes, end } of readLines({ ...source, size: Math.min(source.size, MAX_WHOLE) }, 0)) {
    const found = bytes === undefined ? [] : parseRows(bytes).rows;
    rows.push(...found);
    isKnown ||= detectFormat(found) !== undefined;
    if (isKnown && (rows.length >= START_ROWS || end > START_BYTES)) break;
  }

  return rows;
}

/**
 * The whole source as one JSON value, if it is an array, or an object with messages. It is tried before the lines, because
 * lines inside such a value can be rows by themselves.
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
