import { basename } from 'node:path';
import { openFile, readAt } from '../fs/index.ts';
import { isObject, type JsonObject, numberAt, objectAt, textAt } from './json.ts';

/** A place in a session file that grows: how far it was read, and the newest record of its active branch there. */
export interface Place {
  path: string;
  /** Bytes of whole lines up to here. */
  size: number;
  /** Id of the record, in formats that link records into a tree. */
  tip?: string;
  /**
   * How far the talk has come, in estimated tokens since the file was first looked at: the words of person and agent,
   * and a tenth of everything else, which is mostly output of tools.
   */
  talk: number;
}

/** What has become of a session file since a place in it was noted. */
export interface Followed {
  /**
   * Whether what stood there is still in the conversation: false after a rewind, a compaction, or when the file was
   * replaced or cut.
   */
  holds: boolean;
  /** After a rewind: when the last record was written that is in the conversation still, epoch milliseconds. */
  forkedAt?: number;
  /** After a rewind: whether the conversation has gone on from there, with the last prompt. */
  goesOn?: true;
  place: Place;
}

/** A turn that wrote more than this is not searched: nothing is known of its branch then. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Enough to hold the last record of most files. */
const TAIL_BYTES = 256 * 1024;
const NEWLINE = 10;
/** The last such record of Gemini CLI. */
const REWIND = /^\{"\$rewindTo":"([^"]+)"\}$(?![\s\S]*^\{"\$rewindTo")/m;
const CHARACTERS_PER_TOKEN = 4;
/** Bytes of what is not talk that count as one token of it. */
const OTHER_BYTES = 40;

/**
 * Follows a session file from a place to its end, by its new lines alone. Claude Code (`uuid`, `parentUuid`) and pi
 * (`id`, `parentId`) link each record to the one before it: after a rewind the chain from the newest record leads
 * past the place. Codex goes on in a new file then, whose first line says how much of the old one counts; Gemini CLI
 * writes which message is the first one taken back. Other formats only grow.
 *
 * @param from where it was read before; nothing is compared without it
 * @returns `undefined` when the file cannot be read
 */
export function followBranch(path: string, from: Place | undefined): Followed | undefined {
  let file: ReturnType<typeof openFile>;
  try {
    file = openFile(path, 'transcript');
    if (!file) return undefined;
    const { size } = file.stats;
    const known = from?.path === path ? from : undefined;
    const cut = from === undefined || known !== undefined ? undefined : cutOf(file.fd, from.path);
    const replaced = known !== undefined && known.size > size;
    const start = known === undefined || replaced ? Math.max(0, size - TAIL_BYTES) : known.size;
    const before = known?.talk ?? 0;
    if (size - start > MOST_BYTES)
      return { holds: true, place: { path, size, talk: before + (size - start) / OTHER_BYTES } };
    const bytes = Buffer.alloc(size - start);
    const whole = bytes.subarray(0, readAt(file.fd, bytes, start));
    const end = whole.lastIndexOf(NEWLINE) + 1;
    const text = whole.subarray(0, end).toString('utf8');
    const { tip, roots, root, words } = chainOf(text);
    const undone = REWIND.exec(text)?.[1];
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
 * Where a file of Codex that continues another one has cut it: when the last record that counts was written.
 * `undefined` if it does not continue that file.
 */
function cutOf(fd: number, before: string): { at?: number } | undefined {
  const head = Buffer.alloc(TAIL_BYTES);
  const first =
    head
      .subarray(0, readAt(fd, head, 0))
      .toString('utf8')
      .split('\n', 1)[0] ?? '';
  if (!first.includes('"history_base"')) return undefined;
  const base = objectAt(objectAt(asObject(first), 'payload'), 'history_base');
  const [thread, end] = [textAt(base, 'thread_id'), numberAt(base, 'end_byte_offset')];
  if (thread === undefined || end === undefined || !basename(before).includes(thread)) return undefined;
  const file = openFile(before, 'transcript');
  if (!file) return {};
  try {
    const start = Math.max(0, end - TAIL_BYTES);
    const bytes = Buffer.alloc(end - start);
    const lines = bytes
      .subarray(0, readAt(file.fd, bytes, start))
      .toString('utf8')
      .trimEnd()
      .split('\n');
    const at = timestampOf(asObject(lines.at(-1) ?? ''));
    return at === undefined ? {} : { at };
  } finally {
    file.close();
  }
}

function asObject(line: string): JsonObject | undefined {
  const value: unknown = JSON.parse(line);
  return isObject(value) ? value : undefined;
}

function timestampOf(record: JsonObject | undefined): number | undefined {
  const time = Date.parse(textAt(record, 'timestamp') ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** When the message of Gemini CLI was written that comes before another one, where that one was written last. */
function timeBefore(fd: number, id: string, end: number): number | undefined {
  const before = bytesBefore(fd, end);
  const at = before.lastIndexOf(`"id":${JSON.stringify(id)}`);
  const stamp = at === -1 ? -1 : before.lastIndexOf('"timestamp":"', at);
  const [, time = ''] =
    stamp === -1 ? [] : (/:"([^"]+)"/.exec(before.subarray(stamp, stamp + 60).toString('utf8')) ?? []);
  return Number.isNaN(Date.parse(time)) ? undefined : Date.parse(time);
}

function bytesBefore(fd: number, end: number): Buffer {
  const start = Math.max(0, end - MOST_BYTES);
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readAt(fd, bytes, start));
}

/** When a record of Claude Code before a place in its file was written, if that is not too far back. */
function timeOf(fd: number, id: string | undefined, end: number): number | undefined {
  if (id === undefined) return undefined;
  const before = bytesBefore(fd, end);
  const at = before.indexOf(`"uuid":${JSON.stringify(id)}`);
  if (at === -1) return undefined;
  const line = before.subarray(before.lastIndexOf(NEWLINE, at) + 1, before.indexOf(NEWLINE, at));
  return timestampOf(asObject(line.toString('utf8')));
}

/** The newest record of some lines, every id on the chain that leads to it, the one before these lines (`root`) included, and what was said. */
function chainOf(text: string): {
  tip: string | undefined;
  roots: ReadonlySet<string>;
  root: string | undefined;
  words: number;
} {
  const parents = new Map<string, string | undefined>();
  let tip: string | undefined;
  let words = 0;
  for (const line of text.split('\n')) {
    if (!line.includes('arent')) continue;
    try {
      const record: unknown = JSON.parse(line);
      if (!isObject(record) || record.isSidechain === true) continue;
      words += wordsIn(objectAt(record, 'message')?.content);
      const id = textAt(record, 'uuid') ?? textAt(record, 'id');
      if (id === undefined || !('parentUuid' in record || 'parentId' in record)) continue;
      parents.set(id, textAt(record, 'parentUuid') ?? textAt(record, 'parentId'));
      tip = id;
    } catch {
      // A broken line has no place in the chain.
    }
  }
  const roots = new Set<string>();
  let root: string | undefined;
  for (let at = tip; at !== undefined && !roots.has(at); at = parents.get(at)) {
    roots.add(at);
    root = parents.has(at) ? undefined : at;
  }
  return { tip, roots, root, words };
}

/** Characters that somebody said in a message. */
function wordsIn(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce(
    (sum: number, block) => sum + (textAt(isObject(block) ? block : undefined, 'text')?.length ?? 0),
    0,
  );
}

/** A place from parsed JSON. */
export function readPlace(value: unknown): Place | undefined {
  if (!isObject(value) || typeof value.path !== 'string' || typeof value.size !== 'number') return undefined;
  const { path, size, tip, talk } = value;
  return {
    path,
    size,
    talk: typeof talk === 'number' ? talk : 0,
    ...(typeof tip === 'string' ? { tip } : {}),
  };
}
