import { bytesAt, type OpenFile, openFile } from '../base/fs/index.ts';
import { isObject, type JsonObject } from '../base/text/json.ts';
import type { About } from './format.ts';
import { FORMATS } from './formats/index.ts';
import { parseLine } from './lines.ts';
import { detectFormat } from './recognise.ts';

/** Bytes to read at each end; the second attempt is for hosts whose first line contains long instructions. */
const ENDS = [32 * 1024, 1024 * 1024];
/** Most records to examine at the start. */
const HEAD_RECORDS = 40;
const TAIL_RECORDS = 8;

/** What both ends of a session file say about it. */
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
 * Reads the start of a session file and, if it ran in a wanted directory, its end.
 * @param belongs called with the directory as soon as it is known
 * @returns undefined if it ran elsewhere, cannot be read or has no records
 */
export function peek(path: string, belongs: (cwd: string | undefined) => boolean): Peek | undefined {
  // Synchronous: a machine has thousands of sessions, and a round trip through the thread pool costs more
  // than reading a few kilobytes.
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'transcript');
    if (!file) return undefined;
    const { size } = file.stats;
    for (const length of ENDS) {
      const head = recordsOf(bytesAt(file.fd, 0, Math.min(length, size)), size <= length);
      const cwd = head.map(aboutOf).find((about) => about.cwd !== undefined)?.cwd;
      if (cwd !== undefined && !belongs(cwd)) return undefined;
      const from = Math.max(0, size - length);
      const tail = newestRecords(bytesAt(file.fd, from, size - from));
      if (head.length + tail.length === 0) continue;
      const found = describe(head, tail.length === 0 ? head : tail);
      return belongs(found.cwd) ? found : undefined;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

function describe(head: JsonObject[], tail: JsonObject[]): Peek {
  const start = head.map(aboutOf);
  const end = tail.map(aboutOf);
  const all = [...start, ...end];
  return {
    format: detectFormat([...head, ...tail])?.name,
    id: all.find(({ session }) => session !== undefined)?.session,
    cwd: all.find((about) => about.cwd !== undefined)?.cwd,
    lastActive: end.map(({ time }) => time).reduce(later, undefined),
    subagent:
      start.some(({ subagent }) => subagent === 'session') ||
      (start.length > 0 && start.every(({ subagent }) => subagent === 'record')),
  };
}

/** What a record says about its session, by the format that recognizes it. */
function aboutOf(record: JsonObject): About {
  return FORMATS.find((format) => format.recognises(record))?.about?.(record) ?? {};
}

/** The later of two ISO times in UTC. */
export function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}

/** Records from the start, until it is known where the session ran. */
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
    const about = last === undefined ? {} : aboutOf(last);
    const told = about.cwd !== undefined && about.subagent !== 'record';
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
