import { open } from 'node:fs/promises';
import { detectFormat } from './detect.ts';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';
import { parseLine } from './lines.ts';
import { isoTime } from './time.ts';

/** Bytes looked at on each end; the first line of some hosts carries whole instructions. */
const ENDS = [64 * 1024, 1024 * 1024];

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

/** Look at the start and the end of a session file; undefined when it cannot be read or holds no records. */
export async function peek(path: string): Promise<Peek | undefined> {
  for (const length of ENDS) {
    const ends = await readEnds(path, length);
    if (ends === undefined) return undefined;
    const head = recordsOf(ends.head);
    const tail = ends.tail === undefined ? head : recordsOf(ends.tail);
    if (head.length > 0 || tail.length > 0) return describe(head, tail);
  }
  return undefined;
}

function describe(head: JsonObject[], tail: JsonObject[]): Peek {
  const all = [...head, ...tail];
  const found: Peek = {
    format: detectFormat(all)?.name,
    subagent:
      head.some(isSubagent) || (head.length > 0 && head.every((record) => record.isSidechain === true)),
  };
  const id = first(all, (record) => textAt(record, 'sessionId') ?? ownId(record));
  const cwd = first(all, (record) => textAt(record, 'cwd') ?? textAt(objectAt(record, 'payload'), 'cwd'));
  const lastActive = tail.map(timeOf).reduce(later, undefined);
  if (id !== undefined) found.id = id;
  if (cwd !== undefined) found.cwd = cwd;
  if (lastActive !== undefined) found.lastActive = lastActive;
  return found;
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

function recordsOf(bytes: Buffer): JsonObject[] {
  const records: JsonObject[] = [];
  let from = 0;
  while (from < bytes.length) {
    const feed = bytes.indexOf(10, from);
    const end = feed === -1 ? bytes.length : feed;
    const value = parseLine(bytes.subarray(from, end));
    if (isObject(value)) records.push(value, ...messagesIn(value));
    else if (Array.isArray(value)) records.push(...value.filter(isObject));
    from = end + 1;
  }
  if (records.length > 0) return records;
  const whole = parseLine(bytes);
  return Array.isArray(whole) ? whole.filter(isObject) : isObject(whole) ? [whole, ...messagesIn(whole)] : [];
}

function messagesIn(record: JsonObject): JsonObject[] {
  return Array.isArray(record.messages) ? record.messages.filter(isObject) : [];
}

async function readEnds(path: string, length: number): Promise<{ head: Buffer; tail?: Buffer } | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const head = Buffer.alloc(Math.min(length, size));
      await file.read(head, 0, head.length, 0);
      if (size <= length) return { head };
      const tail = Buffer.alloc(length);
      await file.read(tail, 0, length, size - length);
      return { head, tail };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
