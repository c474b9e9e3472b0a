import { openFile, readAt } from '../fs/index.ts';
import { isObject, objectAt, textAt } from './json.ts';

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
  place: Place;
}

/** A turn that wrote more than this is not searched: nothing is known of its branch then. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Enough to hold the last record of most files. */
const TAIL_BYTES = 256 * 1024;
const NEWLINE = 10;
const CHARACTERS_PER_TOKEN = 4;
/** Bytes of what is not talk that count as one token of it. */
const OTHER_BYTES = 40;

/**
 * Follows a session file from a place to its end, by its new lines alone. Claude Code (`uuid`, `parentUuid`) and pi
 * (`id`, `parentId`) link each record to the one before it: after a rewind the chain from the newest record leads
 * past the place. Other formats only grow.
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
    const replaced = known !== undefined && known.size > size;
    const start = known === undefined || replaced ? Math.max(0, size - TAIL_BYTES) : known.size;
    const before = known?.talk ?? 0;
    if (size - start > MOST_BYTES)
      return { holds: true, place: { path, size, talk: before + (size - start) / OTHER_BYTES } };
    const bytes = Buffer.alloc(size - start);
    const whole = bytes.subarray(0, readAt(file.fd, bytes, start));
    const end = whole.lastIndexOf(NEWLINE) + 1;
    const { tip, roots, words } = chainOf(whole.subarray(0, end).toString('utf8'));
    const grown = known === undefined ? 0 : words / CHARACTERS_PER_TOKEN + (end - words) / OTHER_BYTES;
    const place = { path, size: start + end, talk: Math.round(before + grown) };
    const moved = tip !== undefined && known?.tip !== undefined && !roots.has(known.tip);
    const newTip = tip ?? (replaced ? undefined : known?.tip);
    return { holds: !replaced && !moved, place: newTip === undefined ? place : { ...place, tip: newTip } };
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

/** The newest record of some lines, every id on the chain that leads to it, the one before these lines included, and what was said. */
function chainOf(text: string): { tip: string | undefined; roots: ReadonlySet<string>; words: number } {
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
  for (let at = tip; at !== undefined && !roots.has(at); at = parents.get(at)) roots.add(at);
  return { tip, roots, words };
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
