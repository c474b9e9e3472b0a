import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { detectFormat } from './detect.ts';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';
import { parseLine } from './lines.ts';
import { isoTime } from './time.ts';

/** Bytes looked at on each end; the first line of some hosts carries whole instructions, hence the second try. */
const ENDS = [32 * 1024, 1024 * 1024];
/** Records looked at on each end at most. */
const HEAD_RECORDS = 40;
const TAIL_RECORDS = 8;

/** What a look at both ends of a session file tells. */
export interface Peek {
  /** Name of the format, undefined when none is recognised. */
  format: string | undefined;
  id?: string;
  cwd?: string;
  /** Newest timestamp near the end, ISO 8601 in UTC. */
  lastActive?: string;
  /** True for the session of a subagent. */
  subagent: boolean;
}

/**
 * Look at the start of a session file and, if it ran in a directory that is asked for, at its end.
 *
 * @param belongs told the directory as soon as it is known
 * @returns undefined when it ran elsewhere, cannot be read or holds no records
 */
export function peek(path: string, belongs: (cwd: string | undefined) => boolean): Peek | undefined {
  // Synchronous: a machine has thousands of sessions, and a round through the thread pool costs more than
  // the few kilobytes that are read.
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    for (const length of ENDS) {
      const head = recordsOf(bytesAt(file, 0, Math.min(length, size)), size <= length);
      const cwd = first(head, directoryOf);
      if (cwd !== undefined && !belongs(cwd)) return undefined;
      const tail = newestRecords(bytesAt(file, Math.max(0, size - length), size));
      if (head.length + tail.length === 0) continue;
      const found = describe(head, tail.length === 0 ? head : tail);
      return belongs(found.cwd) ? found : undefined;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function describe(head: JsonObject[], tail: JsonObject[]): Peek {
  const all = [...head, ...tail];
  const found: Peek = {
    format: detectFormat(all)?.name,
    subagent:
      head.some(isSubagent) || (head.length > 0 && head.every((record) => record.isSidechain === true)),
  };
  const id = first(all, (record) => textAt(record, 'sessionId') ?? ownId(record));
  const cwd = first(all, directoryOf);
  const lastActive = tail.map(timeOf).reduce(later, undefined);
  if (id !== undefined) found.id = id;
  if (cwd !== undefined) found.cwd = cwd;
  if (lastActive !== undefined) found.lastActive = lastActive;
  return found;
}

function directoryOf(record: JsonObject): string | undefined {
  return textAt(record, 'cwd') ?? textAt(objectAt(record, 'payload'), 'cwd');
}

function first(records: JsonObject[], pick: (record: JsonObject) => string | undefined): string | undefined {
  for (const record of records) {
    const value = pick(record);
    if (value !== undefined) return value;
  }
  return undefined;
}

function ownId(record: JsonObject): string | undefined {
  if (record.type === 'session') return textAt(record, 'id');
  return record.type === 'session_meta' ? textAt(objectAt(record, 'payload'), 'id') : undefined;
}

function isSubagent(record: JsonObject): boolean {
  const payload = objectAt(record, 'payload');
  return (
    record.kind === 'subagent' ||
    objectAt(payload, 'source')?.subagent !== undefined ||
    textAt(payload, 'thread_source') === 'subagent'
  );
}

function timeOf(record: JsonObject): string | undefined {
  const set = objectAt(record, '$set');
  return isoTime(
    record.timestamp ?? record.lastUpdated ?? set?.lastUpdated ?? objectAt(record, 'message')?.timestamp,
  );
}

/** The later of two ISO times in UTC. */
export function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

/** Records from the start, no more than it takes to know where the session ran. */
function recordsOf(bytes: Buffer, complete: boolean): JsonObject[] {
  const records: JsonObject[] = [];
  let from = 0;
  while (from < bytes.length) {
    const feed = bytes.indexOf(10, from);
    if (feed === -1 && !complete) break;
    const end = feed === -1 ? bytes.length : feed;
    const value = parseLine(bytes.subarray(from, end));
    if (isObject(value)) records.push(value, ...messagesIn(value));
    else if (Array.isArray(value)) records.push(...value.filter(isObject));
    from = end + 1;
    const last = records.at(-1);
    const told = last !== undefined && last.isSidechain !== true && directoryOf(last) !== undefined;
    if (told || records.length >= HEAD_RECORDS) return records;
  }
  if (records.length > 0) return records;
  const whole = parseLine(bytes);
  return Array.isArray(whole) ? whole.filter(isObject) : isObject(whole) ? [whole, ...messagesIn(whole)] : [];
}

/** The last records of a large file, newest first. */
function newestRecords(bytes: Buffer): JsonObject[] {
  const records: JsonObject[] = [];
  for (let end = bytes.length; end > 0 && records.length < TAIL_RECORDS; ) {
    const feed = bytes.lastIndexOf(10, end - 1);
    const value = parseLine(bytes.subarray(feed + 1, end));
    if (isObject(value)) records.push(value, ...messagesIn(value));
    end = feed;
  }
  return records;
}

function messagesIn(record: JsonObject): JsonObject[] {
  return Array.isArray(record.messages) ? record.messages.filter(isObject) : [];
}

function bytesAt(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}
