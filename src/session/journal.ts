import { dirname } from 'node:path';
import { attempt } from '../base/errors.ts';
import {
  append,
  cut,
  ensureFolder,
  getStats,
  type OpenFile,
  openForAppending,
  readBytesFrom,
  readText,
  writeAtomically,
} from '../base/fs/index.ts';
import { getNumber, getString, isObject, parseObject } from '../base/text/json.ts';
import { parseRefs, renderRefs } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type Actor, readActor } from './actor.ts';
import { type PlanMark, readMark } from './plan-key.ts';
import type { SessionPaths } from './workspace.ts';

/**
 * The journal is a session file in the format of pi and OpenClaw (JSONL, version 3): a header line, then one
 * `custom` entry per revision. See `docs/files.md`.
 */
const JOURNAL_VERSION = 3;
const KEY_PREFIX = 'openclaw:scratchpad:';
/** The single key of an older tool: its content is the notes, unless there are entries for the notes. */
const OLDER_KEY = 'openclaw:scratchpad';

/** Contents of the three spaces; refs as a list, one `- item` per line. */
export type Spaces = Readonly<Record<SpaceName, string>>;

export const NO_SPACES: Spaces = { plan: '', notes: '', refs: '' };

/**
 * The source of a revision. `edit`: a person's editor; `merge`: an editor that saved an older copy of the file; `git`:
 * a checkout; `restore`: a host's session file; `remote`: another machine.
 */
export type Author = 'cli' | 'library' | 'edit' | 'pane' | 'merge' | 'git' | 'restore' | 'tool' | 'remote';

export interface Revision {
  /** Counts up by one from 1, over all spaces of the session. */
  rev: number;
  id: string;
  parentId: string | null;
  space: SpaceName;
  content: string;
  /** The operation, named like the command: `append`, `set`, `undo`, … */
  op: string;
  by: Author;
  /** Who ran the command, if known; never known for an edit in the file. */
  actor?: Actor;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** For `undo` and `redo`: the revision concerned. */
  of?: number | undefined;
  /** The identity of the plan; absent for a plan without labels. */
  plan?: PlanMark | undefined;
}

function renderRevision(revision: Revision): string {
  const { rev, id, parentId, space, content, op, by, actor, timestamp, of, plan } = revision;
  return `${JSON.stringify({
    type: 'custom',
    customType: KEY_PREFIX + space,
    data: space === 'refs' ? parseRefs(content) : content,
    id,
    parentId,
    timestamp,
    // Undefined members are not written.
    scratchpad: { rev, op, by, actor, of, plan },
  })}\n`;
}

const renderHeader = (session: string, cwd: string, timestamp: string): string =>
  `${JSON.stringify({ type: 'session', version: JOURNAL_VERSION, id: session, timestamp, cwd })}\n`;

/**
 * Parses one line; `undefined` for anything that is not one of our revisions.
 * @param nextNumber for an entry without a number, which a host or an older tool wrote
 */
function parseRevision(line: string, nextNumber = 0): Revision | undefined {
  if (!line.includes(OLDER_KEY)) return undefined;

  const entry = parseObject(line);
  if (entry?.type !== 'custom') return undefined;

  const space = parseSpace(entry.customType);
  const content = space && parseContent(space, entry.data);
  const meta = entry.scratchpad ?? { rev: nextNumber, op: 'set', by: 'restore' };
  if (!space || content === undefined || !isObject(meta) || !isRevisionNumber(meta.rev)) return undefined;

  return {
    rev: meta.rev,
    id: getString(entry, 'id') ?? '',
    parentId: getString(entry, 'parentId') ?? null,
    space,
    content,
    op: getString(meta, 'op') ?? '',
    by: (getString(meta, 'by') ?? '') as Author,
    actor: readActor(meta.actor),
    timestamp: getString(entry, 'timestamp') ?? '',
    of: getNumber(meta, 'of'),
    plan: space === 'plan' ? readMark(meta.plan) : undefined,
  };
}

/** A larger revision number is damage; counting on from it would overflow. */
export const isRevisionNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1e12;

export function replayRevisions(revisions: readonly Revision[], base: Spaces = NO_SPACES): Spaces {
  const spaces = { ...base };
  for (const { space, content } of revisions) spaces[space] = content;
  return spaces;
}

function parseSpace(customType: unknown): SpaceName | undefined {
  if (customType === OLDER_KEY) return 'notes';
  return SPACE_NAMES.find((name) => customType === KEY_PREFIX + name);
}

function parseContent(space: SpaceName, data: unknown): string | undefined {
  if (space !== 'refs') return typeof data === 'string' ? data : undefined;
  if (!Array.isArray(data)) return undefined;
  return renderRefs(data.filter((item): item is string => typeof item === 'string'));
}

/** Beyond this size the journal is rewritten with only its last revisions. */
const COMPACT_BYTES = 1024 * 1024;
const KEPT_REVISIONS = 200;
/** At least this many revisions between two rewrites, so that large ones do not cause a rewrite at every write. */
const COMPACT_SLACK = 50;

export interface JournalContent {
  revisions: Revision[];
  /** The spaces before the first of `revisions`. */
  base: Spaces;
  /** The entries that `base` was read from, among them the plans of all sessions. */
  bases: Revision[];
  skipped: number;
}

export const NO_JOURNAL: JournalContent = { revisions: [], base: NO_SPACES, bases: [], skipped: 0 };

export function readJournal(path: string): JournalContent {
  const text = readText(path, 'journal');
  if (text === undefined) return NO_JOURNAL;

  const revisions: Revision[] = [];
  const bases: Revision[] = [];
  let skipped = 0;
  const hasNotes = text.includes(`"${KEY_PREFIX}notes"`);

  for (const line of text.split('\n')) {
    if (line === '' || (hasNotes && line.includes(`"${OLDER_KEY}"`))) continue;
    const revision = parseRevision(line, (revisions.at(-1)?.rev ?? 0) + 1);
    if (revision?.op === 'base') bases.push(revision);
    else if (revision) revisions.push(revision);
    else if (!line.startsWith('{"type":"session"')) skipped += 1;
  }

  return { revisions, base: replayRevisions(bases), bases, skipped };
}

/**
 * Appends revisions and flushes them: when this returns they survive a power cut. On failure the file is truncated
 * to its previous size. An incomplete line left by a kill is removed first: it was never acknowledged.
 * @returns the size before, in bytes, for `cutJournal`
 */
export function appendRevisions(
  { journal, session }: SessionPaths,
  cwd: string,
  revisions: readonly Revision[],
): number {
  return append(journal, 'journal', (file) => {
    const prefix = prepareAppend(file, renderHeader(session, cwd, revisions[0]?.timestamp ?? ''));
    return prefix + revisions.map(renderRevision).join('');
  });
}

export function beginJournal({ journal, session }: SessionPaths, cwd: string): void {
  if (getStats(journal) !== undefined) return;
  ensureFolder(dirname(journal));
  const header = renderHeader(session, cwd, new Date().toISOString());
  append(journal, 'journal', ({ stats }) => (stats.size === 0 ? header : ''));
}

export function cutJournal(path: string, size: number): void {
  // If it fails the change stays in the journal, and the next command writes it to the file.
  attempt(() => {
    if ((getStats(path)?.size ?? 0) <= size) return;
    const file = openForAppending(path, 'journal');
    try {
      cut(file.fd, size);
    } finally {
      file.close();
    }
  });
}

/** The text to write before the next line: a header, or a missing line feed. Cuts off an incomplete last line. */
function prepareAppend({ fd, stats: { size } }: OpenFile, header: string): string {
  if (size > 0 && readBytesFrom(fd, size - 1, 1)[0] === 10) return '';

  const bytes = readBytesFrom(fd, 0, size);
  const start = bytes.lastIndexOf(10) + 1;
  if (parseRevision(bytes.toString('utf8', start))) return '\n';

  if (start < size) cut(fd, start);

  return start === 0 ? header : '';
}

/**
 * Rewrites an oversized journal with only its last revisions, and the spaces before them as `base` entries. A
 * failure, such as of a full disk, does no harm: the next write tries again.
 */
export function compactJournal({ journal, session }: SessionPaths, cwd: string): void {
  attempt(() => {
    if ((getStats(journal)?.size ?? 0) <= COMPACT_BYTES) return;
    const text = renderCompacted(readJournal(journal), session, cwd);
    if (text !== undefined) writeAtomically(journal, text);
  });
}

function renderCompacted(
  { revisions, bases }: JournalContent,
  session: string,
  cwd: string,
): string | undefined {
  const recent = revisions.slice(-KEPT_REVISIONS);
  const [first] = recent;
  if (first === undefined || revisions.length < KEPT_REVISIONS + COMPACT_SLACK) return undefined;

  // The newest revision of each space and each plan, in the order of these changes.
  const newest = new Map<string, Revision>();
  for (const revision of [...bases, ...revisions.slice(0, -KEPT_REVISIONS)]) {
    const key = `${revision.space}${revision.plan?.id ?? ''}`;
    newest.delete(key);
    newest.set(key, revision);
  }

  const origin = { parentId: null, rev: first.rev - 1, op: 'base', of: undefined } as const;
  const newBases = [...newest]
    // A plan that was cleared stays, because the file may show it.
    .filter(([, { content, space }]) => content.trim() !== '' || space === 'plan')
    .map(([key, revision]) => ({ ...revision, ...origin, id: `base-${key}` }));

  return renderHeader(session, cwd, first.timestamp) + [...newBases, ...recent].map(renderRevision).join('');
}
