import { basename } from 'node:path';
import { openFile, readAt } from '../fs/index.ts';
import { type JsonObject, numberAt, objectAt, parsedObject, textAt } from '../text/json.ts';

/** The last such record of Gemini CLI. */
const REWIND = /^\{"\$rewindTo":"([^"]+)"\}$(?![\s\S]*^\{"\$rewindTo")/m;
/** Most bytes to search for a record. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Enough for the first line of a file, and for the last one before a position. */
const LINE_BYTES = 256 * 1024;
const NEWLINE = 10;

/** The id of the first message that was taken back in a session of Gemini CLI. */
export function rewoundTo(lines: string): string | undefined {
  return REWIND.exec(lines)?.[1];
}

/**
 * Where a file of Codex continues another one: the time of the last record that counts there. `undefined` if it does
 * not continue that file.
 */
export function continuesAt(fd: number, before: string): { at?: number } | undefined {
  const [first = ''] = bytesAt(fd, 0, LINE_BYTES).toString('utf8').split('\n', 1);
  if (!first.includes('"history_base"')) return undefined;
  const base = objectAt(objectAt(parsedObject(first), 'payload'), 'history_base');
  const [thread, end] = [textAt(base, 'thread_id'), numberAt(base, 'end_byte_offset')];
  if (thread === undefined || end === undefined || !basename(before).includes(thread)) return undefined;
  const file = openFile(before, 'transcript');
  if (!file) return {};
  try {
    const start = Math.max(0, end - LINE_BYTES);
    const lines = bytesAt(file.fd, start, end - start)
      .toString('utf8')
      .trimEnd()
      .split('\n');
    const at = timestampOf(parsedObject(lines.at(-1) ?? ''));
    return at === undefined ? {} : { at };
  } finally {
    file.close();
  }
}

/** The time of the message of Gemini CLI before another one, at the last place where that one is written. */
export function timeBefore(fd: number, id: string, end: number): number | undefined {
  const before = bytesBefore(fd, end);
  const at = before.lastIndexOf(`"id":${JSON.stringify(id)}`);
  const stamp = at === -1 ? -1 : before.lastIndexOf('"timestamp":"', at);
  if (stamp === -1) return undefined;
  const [, timestamp = ''] = /:"([^"]+)"/.exec(before.subarray(stamp, stamp + 60).toString('utf8')) ?? [];
  return timestampOf({ timestamp });
}

/** The time of a record of Claude Code before a position in its file, unless it is too far back. */
export function timeOf(fd: number, id: string | undefined, end: number): number | undefined {
  if (id === undefined) return undefined;
  const before = bytesBefore(fd, end);
  const at = before.indexOf(`"uuid":${JSON.stringify(id)}`);
  if (at === -1) return undefined;
  const line = before.subarray(before.lastIndexOf(NEWLINE, at) + 1, before.indexOf(NEWLINE, at));
  return timestampOf(parsedObject(line.toString('utf8')));
}

function bytesBefore(fd: number, end: number): Buffer {
  const start = Math.max(0, end - MOST_BYTES);
  return bytesAt(fd, start, end - start);
}

function bytesAt(fd: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readAt(fd, bytes, start));
}

function timestampOf(record: JsonObject | undefined): number | undefined {
  const time = Date.parse(textAt(record, 'timestamp') ?? '');
  return Number.isNaN(time) ? undefined : time;
}
