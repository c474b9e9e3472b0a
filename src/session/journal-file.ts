import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '../errors.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { draftFile, flushDirectory, writeAll } from './draft.ts';
import { ioError } from './io-error.ts';
import {
  headerLine,
  NO_SPACES,
  parseRevision,
  type Revision,
  replay,
  revisionLine,
  type Spaces,
} from './journal.ts';

/** Past this size the journal is rewritten with its last revisions. */
const COMPACT_BYTES = 1024 * 1024;
export const KEPT_REVISIONS = 200;
/** Large revisions must not bring a rewrite at every write: so many come in between. */
const COMPACT_SLACK = 50;
/** Enough for most entries; more is read until one is found. */
const TAIL_BYTES = 4 * 1024;
/** Never through a symbolic link: a workspace may come with a clone. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

export interface JournalContent {
  revisions: Revision[];
  /** The spaces before the first of `revisions`. */
  base: Spaces;
  /** Lines that could not be read. */
  skipped: number;
}

/** The newest revision, found from the end of the file without reading the rest. */
export function readLastRevision(path: string): Revision | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw ioError(error, 'cannot read', path);
  }
  try {
    const { size } = fstatSync(fd);
    for (let span = TAIL_BYTES; ; span *= 8) {
      const from = Math.max(0, size - span);
      const bytes = Buffer.alloc(size - from);
      const read = readSync(fd, bytes, 0, bytes.length, from);
      const lines = bytes.toString('utf8', 0, read).split('\n');
      // The first piece may be the end of a longer line.
      for (let k = lines.length - 1; k >= (from === 0 ? 0 : 1); k -= 1) {
        const revision = parseRevision(lines[k] ?? '');
        if (revision) return revision;
      }
      if (from === 0) return undefined;
    }
  } catch (error) {
    throw ioError(error, 'cannot read', path);
  } finally {
    closeSync(fd);
  }
}

export function readJournal(path: string): JournalContent {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { revisions: [], base: NO_SPACES, skipped: 0 };
    throw ioError(error, 'cannot read', path);
  }
  const revisions: Revision[] = [];
  const base = { ...NO_SPACES };
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const revision = parseRevision(line);
    if (revision?.op === 'base') base[revision.space] = revision.content;
    else if (revision) revisions.push(revision);
    else if (!line.startsWith('{"type":"session"')) skipped += 1;
  }
  return { revisions, base, skipped };
}

/**
 * Appends revisions and flushes them: when this returns they survive a power cut. On failure
 * the file is cut back to what it was. A half line left by a kill is removed first: it was
 * never acknowledged.
 * @returns the size before, in bytes, for `cutJournal`
 */
export function appendRevisions(
  path: string,
  session: string,
  cwd: string,
  revisions: readonly Revision[],
): number {
  let fd: number;
  try {
    fd = openSync(path, APPEND, 0o600);
  } catch (error) {
    throw ioError(error, 'cannot open', path);
  }
  let size = 0;
  try {
    size = wholeLines(fd);
    const head = size === 0 ? headerLine(session, cwd, revisions[0]?.timestamp ?? '') : '';
    writeAll(fd, Buffer.from(head + revisions.map(revisionLine).join('')));
    fsyncSync(fd);
  } catch (error) {
    try {
      ftruncateSync(fd, size);
    } catch {
      // The next append removes the half line.
    }
    throw ioError(error, 'cannot write', path);
  } finally {
    closeSync(fd);
  }
  // A new file's name has to survive a power cut too.
  if (size === 0) flushDirectory(dirname(path));
  return size;
}

/** Takes back what was appended since the journal had this size, when the change that it was part of fails. */
export function cutJournal(path: string, size: number): void {
  try {
    const fd = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
    try {
      ftruncateSync(fd, size);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Then the change stands in the journal, and the next command carries it into the file.
  }
}

/** Cuts off a last line without an end unless it is complete, and returns the size. */
function wholeLines(fd: number): number {
  const { size } = fstatSync(fd);
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  if (last[0] === 10) return size;
  const bytes = Buffer.alloc(size);
  readSync(fd, bytes, 0, size, 0);
  const start = bytes.lastIndexOf(10) + 1;
  if (parseRevision(bytes.toString('utf8', start))) {
    writeAll(fd, Buffer.from('\n'));
    return size + 1;
  }
  ftruncateSync(fd, start);
  return start;
}

/**
 * Rewrites a journal that has grown past its size with its last revisions, and with the
 * spaces as they were before them as `base` entries. Failing is no harm: the next write tries again.
 */
export function compactJournal(path: string, session: string, cwd: string): void {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= COMPACT_BYTES) return;
    const text = compacted(readJournal(path), session, cwd);
    if (text !== undefined) draftFile(path, text).commit();
  } catch {
    // No room for a second copy, for one.
  }
}

function compacted({ revisions, base }: JournalContent, session: string, cwd: string): string | undefined {
  if (revisions.length < KEPT_REVISIONS + COMPACT_SLACK) return undefined;
  const kept = revisions.slice(-KEPT_REVISIONS);
  const first = kept[0];
  if (!first) return undefined;
  const before = replay(revisions.slice(0, -KEPT_REVISIONS), base);
  const bases = SPACE_NAMES.map((space) => ({
    ...first,
    rev: first.rev - 1,
    id: `base-${space}`,
    parentId: null,
    space,
    content: before[space],
    op: 'base',
  }));
  return headerLine(session, cwd, first.timestamp) + [...bases, ...kept].map(revisionLine).join('');
}
