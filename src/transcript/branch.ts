import { basename } from 'node:path';
import { bytesAt, openFile } from '../fs/index.ts';
import {
  isObject,
  type JsonObject,
  membersOf,
  numberAt,
  objectAt,
  parsedObject,
  textAt,
} from '../text/json.ts';

/** A position in a growing session file: how far it was read, and the newest record of its active branch. */
export interface BranchPosition {
  path: string;
  /** Bytes of complete lines. */
  size: number;
  /** Id of the record, in formats that link records into a tree. */
  tip?: string;
  /**
   * Length of the conversation in estimated tokens since the file was first read: the words of the person and
   * the agent, plus a tenth of everything else, which is mostly tool output.
   */
  talk: number;
}

/** What happened to a session file since an earlier position. */
export interface Followed {
  /**
   * Whether everything up to that position is still in the conversation: false after a rewind, a compaction,
   * or if the file was replaced or truncated.
   */
  holds: boolean;
  /** After a rewind: the time of the last record that is still in the conversation, epoch milliseconds. */
  forkedAt?: number;
  /** After a rewind: whether the conversation has continued from there, with the last prompt. */
  goesOn?: true;
  place: BranchPosition;
}

/** Most new bytes to read, with more of which nothing is known about the branch, and most to search for a record. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Enough for the last record of most files. */
const TAIL_BYTES = 256 * 1024;
const NEWLINE = 10;
const CHARACTERS_PER_TOKEN = 4;
/** Bytes that count as one token, for anything but conversation. */
const OTHER_BYTES = 40;

/**
 * Follows a session file from a position to its end, by reading only its new lines. Claude Code (`uuid`,
 * `parentUuid`) and pi (`id`, `parentId`) link each record to its predecessor: after a rewind the chain from
 * the newest record bypasses the position. After a rewind Codex continues in a new file, whose first line says how
 * much of the old one counts, and Gemini CLI records the first message that was taken back. Other files only grow.
 * @param from the earlier position; without it nothing is compared
 * @returns `undefined` if the file cannot be read
 */
export function followBranch(path: string, from: BranchPosition | undefined): Followed | undefined {
  let file: ReturnType<typeof openFile>;
  try {
    file = openFile(path, 'transcript');
    if (!file) return undefined;
    const { size } = file.stats;
    const known = from?.path === path ? from : undefined;
    const cut = from === undefined || known !== undefined ? undefined : continuesAt(file.fd, from.path);
    const replaced = known !== undefined && known.size > size;
    const start = known === undefined || replaced ? Math.max(0, size - TAIL_BYTES) : known.size;
    const before = known?.talk ?? 0;
    if (size - start > MOST_BYTES)
      return { holds: true, place: { path, size, talk: before + (size - start) / OTHER_BYTES } };
    const whole = bytesAt(file.fd, start, size - start);
    const end = whole.lastIndexOf(NEWLINE) + 1;
    const text = whole.subarray(0, end).toString('utf8');
    const { tip, roots, root, words } = chainOf(text);
    const undone = rewoundTo(text);
    const grown = known === undefined ? 0 : words / CHARACTERS_PER_TOKEN + (end - words) / OTHER_BYTES;
    const place = { path, size: start + end, talk: Math.round(before + grown) };
    const moved = tip !== undefined && known?.tip !== undefined && !roots.has(known.tip);
    const newTip = tip ?? (replaced ? undefined : known?.tip);
    const forkedAt =
      cut?.at ??
      (undone === undefined ? undefined : timeBefore(file.fd, undone, start + end)) ??
      (moved && !replaced ? timeOf(file.fd, root, start) : undefined);
    return {
      holds: !replaced && !moved && cut === undefined && undone === undefined,
      ...(forkedAt === undefined ? {} : { forkedAt }),
      ...(moved ? { goesOn: true } : {}),
      place: newTip === undefined ? place : { ...place, tip: newTip },
    };
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

/**
 * The newest record of some lines, all ids on the chain that leads to it, including the predecessor of these
 * lines, and the length of the conversation.
 */
function chainOf(text: string): {
  tip: string | undefined;
  roots: ReadonlySet<string>;
  /** The record before these lines. */
  root: string | undefined;
  words: number;
} {
  const parents = new Map<string, string | undefined>();
  let tip: string | undefined;
  let words = 0;
  for (const line of text.split('\n')) {
    if (!line.includes('arent')) continue;
    const record = parsedObject(line);
    // A broken line is not part of the chain.
    if (record === undefined || record.isSidechain === true) continue;
    words += wordsIn(objectAt(record, 'message')?.content);
    const id = textAt(record, 'uuid') ?? textAt(record, 'id');
    if (id === undefined || !('parentUuid' in record || 'parentId' in record)) continue;
    parents.set(id, textAt(record, 'parentUuid') ?? textAt(record, 'parentId'));
    tip = id;
  }
  const roots = new Set<string>();
  let root: string | undefined;
  for (let at = tip; at !== undefined && !roots.has(at); at = parents.get(at)) {
    roots.add(at);
    root = parents.has(at) ? undefined : at;
  }
  return { tip, roots, root, words };
}

/** Number of characters in a message's text. */
function wordsIn(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, block) => sum + (textAt(membersOf(block), 'text')?.length ?? 0), 0);
}

/** A position from parsed JSON. */
export function readPlace(value: unknown): BranchPosition | undefined {
  if (!isObject(value) || typeof value.path !== 'string' || typeof value.size !== 'number') return undefined;
  const { path, size, tip, talk } = value;
  return {
    path,
    size,
    talk: typeof talk === 'number' ? talk : 0,
    ...(typeof tip === 'string' ? { tip } : {}),
  };
}

/** The last such record of Gemini CLI. */
const REWIND = /^\{"\$rewindTo":"([^"]+)"\}$(?![\s\S]*^\{"\$rewindTo")/m;
/** Enough for the first line of a file, and for the last one before a position. */
const LINE_BYTES = 256 * 1024;

/** The id of the first message that was taken back in a session of Gemini CLI. */
function rewoundTo(lines: string): string | undefined {
  return REWIND.exec(lines)?.[1];
}

/**
 * Where a file of Codex continues another one: the time of the last record that counts there. `undefined` if it does
 * not continue that file.
 */
function continuesAt(fd: number, before: string): { at?: number } | undefined {
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
function timeBefore(fd: number, id: string, end: number): number | undefined {
  const before = bytesBefore(fd, end);
  const at = before.lastIndexOf(`"id":${JSON.stringify(id)}`);
  const stamp = at === -1 ? -1 : before.lastIndexOf('"timestamp":"', at);
  if (stamp === -1) return undefined;
  const [, timestamp = ''] = /:"([^"]+)"/.exec(before.subarray(stamp, stamp + 60).toString('utf8')) ?? [];
  return timestampOf({ timestamp });
}

/** The time of a record of Claude Code before a position in its file, unless it is too far back. */
function timeOf(fd: number, id: string | undefined, end: number): number | undefined {
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

function timestampOf(record: JsonObject | undefined): number | undefined {
  const time = Date.parse(textAt(record, 'timestamp') ?? '');
  return Number.isNaN(time) ? undefined : time;
}
