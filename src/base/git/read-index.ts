import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { keepForProcess, readBytes, tryStat } from '../fs/index.ts';
import { usesSha256 } from './objects.ts';
import type { GitPlace } from './place.ts';

/**
 * git's index (gitformat-index(5)), read without git: a repository's own configuration makes git run programs, and no
 * check of that configuration holds while somebody else can write to it.
 */
export interface IndexEntry {
  /** Relative to the top of the work tree, with `/`. */
  name: string;
  /** 0; in an unresolved conflict 1 for the common ancestor, 2 for ours, 3 for theirs. */
  stage: number;
  id: string;
  /** As in a tree: `100644`, `120000` for a link, `160000` for a submodule; octal. */
  mode: number;
  /** Size and time of the file when git last looked at it. */
  size: number;
  mtimeMs: number;
}

export interface GitIndex {
  /**
   * The entries with such a name.
   * @param firsts the ASCII letters, in small, with which it may begin: most names need not be decoded
   * @throws if it is not a whole index
   */
  find(firsts: string, matches: (name: string) => boolean): IndexEntry[];
  /** Whether something in a folder was added to the index since it was last committed or checked out. */
  isStaged(folder: string): boolean;
}

const [STAT_SIZE, SUBMODULE] = [40, 0o160000];
const [EXTENDED, LONG_NAME, LONGEST_NAME] = [0x4000, 0xfff, 16_384];

/** The last indexes that were read, each with what tells it from the next one. */
const cachedIndexes = keepForProcess(new Map<string, { mark: string; index: GitIndex | undefined }>());

const MOST_INDEXES = 16;

/** @returns `undefined` if it cannot be read; an index without entries if there is none */
export function readIndex(place: GitPlace): GitIndex | undefined {
  const file = join(place.gitDir, 'index');
  const stats = tryStat(file);
  if (stats === undefined) return { find: () => [], isStaged: () => false };

  const mark = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  const before = cachedIndexes.get(file);
  if (before?.mark === mark) return before.index;

  const index = attempt(() => openIndex(place, file));
  if (cachedIndexes.size >= MOST_INDEXES) cachedIndexes.clear();
  cachedIndexes.set(file, { mark, index });

  return index;
}

function openIndex(place: GitPlace, file: string): GitIndex {
  const { gitDir } = place;
  const idLength = usesSha256(place) ? 32 : 20;
  const own = parseIndex(readBytes(file, 'gitIndex'), idLength);
  const { link, trees } = own;
  const isShared = link?.subarray(0, idLength).some((byte) => byte !== 0) === true;
  const shared = isShared ? join(gitDir, `sharedindex.${link.toString('hex', 0, idLength)}`) : undefined;
  const base = shared === undefined ? undefined : parseIndex(readBytes(shared, 'gitIndex'), idLength);
  const isCurrent = trees === undefined ? new Map<string, boolean>() : readTrees(trees, idLength);

  return {
    find: base === undefined || link === undefined ? own.find : joinSplit(base, own, link, idLength),
    isStaged: (folder) => (isCurrent.get(folder) ?? isCurrent.get('')) === false,
  };
}

type Find = (firsts: string, matches: (name: string, position: number) => boolean) => IndexEntry[];

interface ParsedIndex {
  find: Find;
  /** The extension of a split index: what it takes from a shared one. */
  link?: Buffer | undefined;
  /** The extension that says which folders have an unchanged tree. */
  trees?: Buffer | undefined;
}

/** @throws for anything but a whole index of version 2, 3 or 4 */
function parseIndex(bytes: Buffer | undefined, idLength: number): ParsedIndex {
  const version = bytes?.readUInt32BE(4) ?? 0;
  if (bytes === undefined || bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('not an index of git');

  const find: Find = (firsts, matches) => {
    const found: IndexEntry[] = [];
    walk(bytes, idLength, (at, from, position, first, last) => {
      const letter = from[first] ?? 0;
      // In a decomposed name of macOS what comes before the first letter may be invisible.
      if (letter < 0x80 && !firsts.includes(String.fromCharCode(letter | 0x20)) && first < last) return;
      const name = from.toString('utf8', first, last);
      if (matches(name, position)) found.push(readEntry(bytes, at, idLength, name));
    });
    return found;
  };

  const end = walk(bytes, idLength, () => undefined);
  const extensions = readExtensions(bytes.subarray(end, bytes.length - idLength));
  return { find, link: extensions.get('link'), trees: extensions.get('TREE') };
}

/** Visits each entry with its name, which lies between two positions of a buffer. @returns where the extensions begin */
function walk(
  bytes: Buffer,
  idLength: number,
  visit: (at: number, from: Buffer, position: number, first: number, last: number) => void,
): number {
  const isPacked = bytes.readUInt32BE(4) === 4;
  const count = bytes.readUInt32BE(8);
  const unpacked = Buffer.alloc(isPacked ? LONGEST_NAME : 0);
  let length = 0;
  let at = 12;

  for (let position = 0; position < count; position += 1) {
    const flags = bytes.readUInt16BE(at + STAT_SIZE + idLength);
    const start = at + STAT_SIZE + idLength + ((flags & EXTENDED) === 0 ? 2 : 4);

    if (isPacked) {
      const strip = readVarint(bytes, start);
      const end = bytes.indexOf(0, strip.end);
      if (end < 0 || strip.value > length) throw new Error('a name of the index has no end');

      const keptLength = length - strip.value;
      length = keptLength + bytes.copy(unpacked, keptLength, strip.end, end);
      visit(at, unpacked, position, 0, length);
      at = end + 1;
    } else {
      const short = flags & LONG_NAME;
      const end = short === LONG_NAME ? bytes.indexOf(0, start) : start + short;
      visit(at, bytes, position, start, end);
      // Padded with one to eight NUL bytes.
      at += (end - at + 8) & ~7;
    }

    if (at > bytes.length - idLength || length === LONGEST_NAME) throw new Error('the index ends too early');
  }

  return at;
}

function readEntry(bytes: Buffer, at: number, idLength: number, name: string): IndexEntry {
  return {
    name,
    stage: (bytes.readUInt16BE(at + STAT_SIZE + idLength) >> 12) & 3,
    id: bytes.toString('hex', at + STAT_SIZE, at + STAT_SIZE + idLength),
    mode: bytes.readUInt32BE(at + 24),
    size: bytes.readUInt32BE(at + 36),
    mtimeMs: bytes.readUInt32BE(at + 8) * 1000 + bytes.readUInt32BE(at + 12) / 1e6,
  };
}

export const isSubmodule = ({ mode }: IndexEntry): boolean => mode === SUBMODULE;

/** The offset encoding of packs (gitformat-pack(5)). */
function readVarint(bytes: Buffer, at: number): { value: number; end: number } {
  let byte = bytes.readUInt8(at);
  let value = byte & 0x7f;
  let end = at + 1;

  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(end);
    value = ((value + 1) << 7) | (byte & 0x7f);
    end += 1;
  }

  return { value, end };
}

/** @throws if a further one that this reader would have to understand is there, or they do not fill the rest */
function readExtensions(bytes: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  let at = 0;

  while (at < bytes.length) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32BE(at + 4);
    found.set(name, bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }

  if (at !== bytes.length || [...found.keys()].some((name) => /^[a-z]/.test(name) && !NEEDED.has(name)))
    throw new Error('an extension of the index is not known');

  return found;
}

/** Extensions that change what the entries mean begin with a small letter. */
const NEEDED = new Set(['link', 'sdir']);

/** The folders of the extension `TREE`, and whether each has the tree that was last written. */
function readTrees(bytes: Buffer, idLength: number): Map<string, boolean> {
  const trees = new Map<string, boolean>();
  let at = 0;
  const visit = (above: string): void => {
    const end = bytes.indexOf(0, at);
    const line = bytes.indexOf(10, end);
    const path = `${above}${bytes.toString('utf8', at, end)}`;
    const [count = 0, children = 0] = bytes
      .toString('latin1', end + 1, line)
      .split(' ')
      .map(Number);

    at = line + 1 + (count < 0 ? 0 : idLength);
    trees.set(path, count >= 0);
    for (let child = 0; child < children && at < bytes.length; child += 1)
      visit(path === '' ? '' : `${path}/`);
  };

  visit('');

  return trees;
}

/** The entries of a split index: those of the shared one, without what it deletes, with what it replaces, and its own. */
function joinSplit(base: ParsedIndex, own: ParsedIndex, link: Buffer, idLength: number): Find {
  const deleted = readBitmap(link, idLength);
  const replaced = readBitmap(link, deleted.end);
  // The replacing entries have no names, and stand in the order of those that they replace.
  const replacing = own.find('', (name) => name === '');
  const replacements = new Map([...replaced.bits].map((position, k) => [position, replacing[k]]));

  return (firsts, matches) => {
    const positions: number[] = [];
    const remaining = base.find(firsts, (name, position) => {
      const isFound = !deleted.bits.has(position) && matches(name, position);
      if (isFound) positions.push(position);
      return isFound;
    });

    const current = remaining.map((entry, k) => {
      const { name } = entry;
      return { ...entry, ...replacements.get(positions[k] ?? -1), name };
    });

    return [...current, ...own.find(firsts, (name, position) => name !== '' && matches(name, position))];
  };
}

/** The set bits of an EWAH bitmap (Documentation/technical/bitmap-format), and where it ends. */
function readBitmap(bytes: Buffer, start: number): { bits: Set<number>; end: number } {
  const bits = new Set<number>();
  let at = start + 8;
  const words = at + bytes.readUInt32BE(start + 4) * 8;
  let position = 0;

  while (at < words) {
    const head = bytes.readBigUInt64BE(at);
    at += 8;
    const run = Number((head >> 1n) & 0xffff_ffffn) * 64;
    if ((head & 1n) === 1n) for (let k = 0; k < run; k += 1) bits.add(position + k);
    position += run;
    for (let literals = Number(head >> 33n); literals > 0; literals -= 1, at += 8, position += 64) {
      const word = bytes.readBigUInt64BE(at);
      for (let k = 0; k < 64; k += 1) if (((word >> BigInt(k)) & 1n) === 1n) bits.add(position + k);
    }
  }

  return { bits, end: words + 4 };
}
