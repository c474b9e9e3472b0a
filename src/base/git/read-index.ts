import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { keepForProcess, readBytes, tryStat } from '../fs/index.ts';
import { hasSha256Ids } from './objects.ts';
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
   * The entries whose names match.
   * @param firstLetters characters, in lower case, with which a name may begin; names that begin with another ASCII character
   * are skipped unread, and for `''` all but empty ones
   * @throws if the index is incomplete
   */
  find(firstLetters: string, matches: (name: string) => boolean): IndexEntry[];
  /** Whether something in a folder was added to the index since the last commit or checkout. */
  isStaged(folder: string): boolean;
}

const STAT_SIZE = 40;
const SUBMODULE = 0o160000;
const EXTENDED = 0x4000;
const LONG_NAME = 0xfff;
const LONGEST_NAME = 16_384;

/** The indexes that were read last; `mark` tells a version of the file from others. */
const cachedIndexes = keepForProcess(new Map<string, { mark: string; index: GitIndex | undefined }>());

const MOST_INDEXES = 16;

/** @returns `undefined` if it cannot be read; an index without entries if there is none */
export function readIndex(place: GitPlace): GitIndex | undefined {
  const file = join(place.gitDir, 'index');
  const stats = tryStat(file);
  if (stats === undefined) return { find: () => [], isStaged: () => false };

  const mark = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
  const cached = cachedIndexes.get(file);
  if (cached?.mark === mark) return cached.index;

  const index = attempt(() => openIndex(place, file));
  if (cachedIndexes.size >= MOST_INDEXES) cachedIndexes.clear();
  cachedIndexes.set(file, { mark, index });

  return index;
}

function openIndex(place: GitPlace, file: string): GitIndex {
  const idLength = hasSha256Ids(place) ? 32 : 20;
  const index = parseIndex(readBytes(file, 'gitIndex'), idLength);
  const { link, trees } = index;
  const validTrees = trees === undefined ? new Map<string, boolean>() : readTrees(trees, idLength);
  // A folder without a tree of its own has changed if the root has.
  const isStaged = (folder: string): boolean => (validTrees.get(folder) ?? validTrees.get('')) === false;

  const sharedId = link?.subarray(0, idLength);
  if (link === undefined || sharedId?.every((byte) => byte === 0)) return { find: index.find, isStaged };

  const sharedFile = join(place.gitDir, `sharedindex.${link.toString('hex', 0, idLength)}`);
  const shared = parseIndex(readBytes(sharedFile, 'gitIndex'), idLength);
  return { find: joinSplitIndex(shared, index, link, idLength), isStaged };
}

type Find = (firstLetters: string, matches: (name: string, position: number) => boolean) => IndexEntry[];

interface ParsedIndex {
  find: Find;
  count: number;
  /** The extension of a split index: which entries of a shared index it deletes and replaces. */
  link?: Buffer | undefined;
  /** The extension that says which folders have an unchanged tree. */
  trees?: Buffer | undefined;
}

/** @throws for anything but a whole index of version 2, 3 or 4 */
function parseIndex(bytes: Buffer | undefined, idLength: number): ParsedIndex {
  const version = bytes?.readUInt32BE(4) ?? 0;
  if (bytes === undefined || bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('not an index of git');

  const find: Find = (firstLetters, matches) => {
    const entries: IndexEntry[] = [];
    visitEntries(bytes, idLength, (offset, nameBytes, position) => {
      const first = nameBytes.toString('latin1', 0, 1).toLowerCase();
      // A name that begins with another byte may begin with invisible characters.
      if (first < '\x80' && !firstLetters.includes(first)) return;

      const name = nameBytes.toString('utf8');
      if (matches(name, position)) entries.push(readEntry(bytes, offset, idLength, name));
    });
    return entries;
  };

  const end = visitEntries(bytes, idLength, () => undefined);
  const extensions = readExtensions(bytes.subarray(end, bytes.length - idLength));
  return { find, count: bytes.readUInt32BE(8), link: extensions.get('link'), trees: extensions.get('TREE') };
}

/** @param position the number of the entry, from 0 */
type Visit = (offset: number, nameBytes: Buffer, position: number) => void;

/** Visits each entry. @returns the offset of the extensions */
function visitEntries(bytes: Buffer, idLength: number, visit: Visit): number {
  // Version 4 stores how much of the name before to keep, and what to add.
  const isPacked = bytes.readUInt32BE(4) === 4;
  const count = bytes.readUInt32BE(8);
  const unpacked = Buffer.alloc(isPacked ? LONGEST_NAME : 0);
  let length = 0;
  let offset = 12;

  for (let position = 0; position < count; position += 1) {
    const flags = bytes.readUInt16BE(offset + STAT_SIZE + idLength);
    const start = offset + STAT_SIZE + idLength + ((flags & EXTENDED) === 0 ? 2 : 4);

    if (isPacked) {
      const strip = readVarint(bytes, start);
      const end = bytes.indexOf(0, strip.end);
      if (end < 0 || strip.value > length) throw new Error('a name of the index has no end');

      length -= strip.value;
      length += bytes.copy(unpacked, length, strip.end, end);
      visit(offset, unpacked.subarray(0, length), position);
      offset = end + 1;
    } else {
      const shortLength = flags & LONG_NAME;
      const end = shortLength === LONG_NAME ? bytes.indexOf(0, start) : start + shortLength;
      if (end < start) throw new Error('a name of the index has no end');
      visit(offset, bytes.subarray(start, end), position);
      // Padded with one to eight NUL bytes.
      offset += (end - offset + 8) & ~7;
    }

    const isCutOff = offset > bytes.length - idLength || length === LONGEST_NAME;
    if (isCutOff) throw new Error('the index ends too early');
  }

  return offset;
}

function readEntry(bytes: Buffer, offset: number, idLength: number, name: string): IndexEntry {
  const idStart = offset + STAT_SIZE;
  return {
    name,
    stage: (bytes.readUInt16BE(idStart + idLength) >> 12) & 3,
    id: bytes.toString('hex', idStart, idStart + idLength),
    mode: bytes.readUInt32BE(offset + 24),
    size: bytes.readUInt32BE(offset + 36),
    mtimeMs: bytes.readUInt32BE(offset + 8) * 1000 + bytes.readUInt32BE(offset + 12) / 1e6,
  };
}

export const isSubmodule = ({ mode }: IndexEntry): boolean => mode === SUBMODULE;

/** The offset encoding of packs (gitformat-pack(5)). */
function readVarint(bytes: Buffer, offset: number): { value: number; end: number } {
  let byte = bytes.readUInt8(offset);
  let value = byte & 0x7f;
  let end = offset + 1;

  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(end);
    value = ((value + 1) << 7) | (byte & 0x7f);
    end += 1;
  }

  return { value, end };
}

/** @throws for an extension that this reader would have to understand, or if they do not fill the rest of the file */
function readExtensions(bytes: Buffer): Map<string, Buffer> {
  const extensions = new Map<string, Buffer>();
  let offset = 0;

  while (offset < bytes.length) {
    const name = bytes.toString('latin1', offset, offset + 4);
    const length = bytes.readUInt32BE(offset + 4);
    extensions.set(name, bytes.subarray(offset + 8, offset + 8 + length));
    offset += 8 + length;
  }

  const isUnknown = (name: string): boolean => /^[a-z]/.test(name) && !REQUIRED.has(name);
  if (offset !== bytes.length || [...extensions.keys()].some(isUnknown))
    throw new Error('an extension of the index is not known');

  return extensions;
}

/** Extensions that change what the entries mean begin with a lower-case letter. */
const REQUIRED = new Set(['link', 'sdir']);

/** The folders of the extension `TREE`, and whether the tree of each is still the one that was last written. */
function readTrees(bytes: Buffer, idLength: number): Map<string, boolean> {
  const trees = new Map<string, boolean>();
  /** @returns the offset behind the tree and those below it */
  const readTree = (prefix: string, start: number): number => {
    const nameEnd = bytes.indexOf(0, start);
    const lineEnd = bytes.indexOf(10, nameEnd);
    if (nameEnd < start || lineEnd < nameEnd) throw new Error('a tree of the index has no end');

    const path = `${prefix}${bytes.toString('utf8', start, nameEnd)}`;
    const counts = bytes.toString('latin1', nameEnd + 1, lineEnd).split(' ');
    const [entries = 0, subtrees = 0] = counts.map(Number);
    trees.set(path, entries >= 0);

    // A changed tree has -1 entries, and no id.
    let end = lineEnd + 1 + (entries < 0 ? 0 : idLength);
    for (let k = 0; k < subtrees && end < bytes.length; k += 1)
      end = readTree(path === '' ? '' : `${path}/`, end);
    return end;
  };

  readTree('', 0);

  return trees;
}

/** Finds entries of a split index: those of the shared one that it does not delete, some replaced, and its own. */
function joinSplitIndex(shared: ParsedIndex, index: ParsedIndex, link: Buffer, idLength: number): Find {
  const afterId = idLength;
  const deleted = readBitmap(link, afterId, shared.count);
  const replaced = readBitmap(link, deleted.end, shared.count);
  // Replacing entries have no names, and stand in the order of those that they replace.
  const unnamed = index.find('', (name) => name === '');
  const replacements = new Map([...replaced.bits].map((position, k) => [position, unnamed[k]]));

  return (firstLetters, matches) => {
    const positions: number[] = [];
    const remaining = shared.find(firstLetters, (name, position) => {
      const isFound = !deleted.bits.has(position) && matches(name, position);
      if (isFound) positions.push(position);
      return isFound;
    });

    const current = remaining.map((entry, k) => ({
      ...entry,
      ...replacements.get(positions[k] ?? -1),
      name: entry.name,
    }));
    const added = index.find(firstLetters, (name, position) => name !== '' && matches(name, position));

    return [...current, ...added];
  };
}

/** The first `count` bits of an EWAH bitmap (Documentation/technical/bitmap-format), those that are set, and its end. */
function readBitmap(bytes: Buffer, start: number, count: number): { bits: Set<number>; end: number } {
  const bits = new Set<number>();
  let offset = start + 8;
  let position = 0;
  const end = offset + bytes.readUInt32BE(start + 4) * 8;

  while (offset < end) {
    // One bit and how often to repeat it in words of 64 bits, then the number of words that follow as they are.
    const head = bytes.readBigUInt64BE(offset);
    offset += 8;
    const run = Number((head >> 1n) & 0xffff_ffffn) * 64;
    const runEnd = Math.min(position + run, count);
    if ((head & 1n) === 1n) for (let bit = position; bit < runEnd; bit += 1) bits.add(bit);
    position += run;

    for (let literals = Number(head >> 33n); literals > 0; literals -= 1) {
      const word = bytes.readBigUInt64BE(offset);
      for (let k = 0; k < 64; k += 1) if (((word >> BigInt(k)) & 1n) === 1n) bits.add(position + k);
      offset += 8;
      position += 64;
    }
  }

  return { bits, end: end + 4 };
}
