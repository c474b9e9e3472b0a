import { dirname } from 'node:path';
import {
  bytesAt,
  cut,
  cutQuietly,
  flush,
  flushDirectory,
  ioError,
  type OpenFile,
  openFile,
  openForAppending,
  readText,
  statOf,
  tryReadJson,
  writeAll,
  writeAtomically,
} from '../base/fs/index.ts';
import { membersOf } from '../base/text/json.ts';
import {
  headerLine,
  isRevisionNumber,
  NO_SPACES,
  parseRevision,
  type Revision,
  replay,
  revisionLine,
  type Spaces,
} from './journal.ts';
import { type Plan, plansAfter, sameKey } from './plans.ts';
import { markOf } from './whose.ts';
import type { SessionPaths } from './workspace.ts';

/** Beyond this size the journal is rewritten with only its last revisions. */
const COMPACT_BYTES = 1024 * 1024;
const KEPT_REVISIONS = 200;
/** Revisions not yet in the shared store are kept beyond that, up to this size in characters. */
const MOST_UNSENT = 4 * 1024 * 1024;
/** At least this many revisions between two rewrites, so that large ones do not cause a rewrite at every write. */
const COMPACT_SLACK = 50;
/** Enough for most entries; more is read until one is found. */
const TAIL_BYTES = 4 * 1024;
export interface JournalContent {
  revisions: Revision[];
  /** The spaces before the first of `revisions`. */
  base: Spaces;
  /** What `base` was read from: the plans of all sessions among them. */
  bases: Revision[];
  /** Number of unreadable lines. */
  skipped: number;
}

/** The newest revision, found from the end of the file without reading the rest. */
export function readLastRevision(path: string): Revision | undefined {
  const file = openFile(path, 'journal');
  if (!file) return undefined;
  const { size } = file.stats;
  try {
    for (let span = TAIL_BYTES; ; span *= 8) {
      const from = Math.max(0, size - span);
      const lines = bytesAt(file.fd, from, size - from)
        .toString('utf8')
        .split('\n');
      // The first piece may be the end of a longer line.
      if (from > 0) lines.shift();
      for (const line of lines.reverse()) {
        const revision = parseRevision(line);
        if (revision) return revision;
      }
      if (from === 0) return undefined;
    }
  } catch (error) {
    throw ioError(error, 'cannot read', path);
  } finally {
    file.close();
  }
}

export function readJournal(path: string): JournalContent {
  const text = readText(path, 'journal');
  if (text === undefined) return { revisions: [], base: NO_SPACES, bases: [], skipped: 0 };
  const revisions: Revision[] = [];
  const bases: Revision[] = [];
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const revision = parseRevision(line);
    if (revision?.op === 'base') bases.push(revision);
    else if (revision) revisions.push(revision);
    else if (!line.startsWith('{"type":"session"')) skipped += 1;
  }
  return { revisions, base: replay(bases), bases, skipped };
}

/**
 * Appends revisions and flushes them: when this returns they survive a power cut. On failure the file is truncated
 * to its previous size. An incomplete line left by a kill is removed first: it was never acknowledged.
 * @returns the size before, in bytes, for `cutJournal`
 */
export function appendRevisions(
  path: string,
  session: string,
  cwd: string,
  revisions: readonly Revision[],
): number {
  const file = openForAppending(path, 'journal');
  let size = 0;
  try {
    size = wholeLines(file);
    const head = size === 0 ? headerLine(session, cwd, revisions[0]?.timestamp ?? '') : '';
    writeAll(file.fd, Buffer.from(head + revisions.map(revisionLine).join('')));
    flush(file.fd);
  } catch (error) {
    cutQuietly(file.fd, size);
    throw ioError(error, 'cannot write', path);
  } finally {
    file.close();
  }
  // The name of a new file has to survive a power cut too.
  if (size === 0) flushDirectory(dirname(path));
  return size;
}

/** Truncates the journal to this size if the change that appended to it fails. */
export function cutJournal(path: string, size: number): void {
  try {
    const file = openForAppending(path, 'journal');
    try {
      cut(file.fd, size);
      flush(file.fd);
    } finally {
      file.close();
    }
  } catch {
    // Then the change stays in the journal, and the next command writes it to the file.
  }
}

/** Cuts off an incomplete last line, and returns the size. */
function wholeLines({ fd, stats: { size } }: OpenFile): number {
  if (size === 0) return 0;
  if (bytesAt(fd, size - 1, 1)[0] === 10) return size;
  const bytes = bytesAt(fd, 0, size);
  const start = bytes.lastIndexOf(10) + 1;
  if (parseRevision(bytes.toString('utf8', start))) {
    writeAll(fd, Buffer.from('\n'));
    return size + 1;
  }
  cut(fd, start);
  return start;
}

/**
 * Rewrites an oversized journal with only its last revisions, and the spaces before them as `base` entries. A
 * failure does no harm: the next write tries again. Revisions not yet sent to the shared store are kept.
 */
export function compactJournal({ journal, session, shared }: SessionPaths, cwd: string): void {
  try {
    if ((statOf(journal)?.size ?? 0) <= COMPACT_BYTES) return;
    const text = compacted(readJournal(journal), session, cwd, sentThrough(shared));
    if (text !== undefined) writeAtomically(journal, text);
  } catch {
    // For example, there is no space for a second copy.
  }
}

/** The newest revision in the shared store; `undefined` if none is used. */
function sentThrough(path: string): number | undefined {
  const { sent } = membersOf(tryReadJson(path, 'record'));
  return isRevisionNumber(sent) ? sent : undefined;
}

function compacted(
  { revisions, base, bases }: JournalContent,
  session: string,
  cwd: string,
  sent: number | undefined,
): string | undefined {
  const count = Math.max(KEPT_REVISIONS, unsentIn(revisions, sent));
  if (revisions.length < count + COMPACT_SLACK) return undefined;
  const kept = revisions.slice(-count);
  const first = kept[0];
  if (!first) return undefined;
  const earlier = revisions.slice(0, -count);
  const before = replay(earlier, base);
  const { plan: _, of: __, ...newest } = first;
  const common = { ...newest, rev: first.rev - 1, parentId: null, op: 'base' };
  const spaces = (['notes', 'refs'] as const).map((space) => ({
    ...{ ...common, id: `base-${space}`, space, content: before[space] },
  }));
  // Each with its own time, which says how old a plan is.
  const plans = [...plansAfter([...bases, ...earlier]).values()]
    .filter(({ id, content }) => content.trim() !== '' || id === '')
    .map((plan) => ({ ...common, id: `base-plan${plan.id}`, space: 'plan' as const, ...baseOf(plan) }));
  return (
    headerLine(session, cwd, first.timestamp) + [...plans, ...spaces, ...kept].map(revisionLine).join('')
  );
}

function baseOf(plan: Plan): Pick<Revision, 'content' | 'timestamp' | 'by' | 'actor' | 'plan'> {
  const { content, at, by, actor } = plan;
  const mark = markOf(plan);
  return {
    content,
    timestamp: new Date(at).toISOString(),
    by,
    actor,
    ...(!(mark.id === '' && sameKey(mark, {})) && { plan: mark }),
  };
}

/** How many of the last revisions are unsent and fit. */
function unsentIn(revisions: readonly Revision[], sent: number | undefined): number {
  if (sent === undefined) return 0;
  let [count, characters] = [0, 0];
  for (const { rev, content } of revisions.toReversed()) {
    characters += content.length;
    if (rev <= sent || characters > MOST_UNSENT) break;
    count += 1;
  }
  return count;
}
