import { digest } from '../base/text/hash.ts';
import { isObject, parsedObject } from '../base/text/json.ts';
import { refsContent, refsOf } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type Actor, readActor } from './actor.ts';
import { type PlanMark, readMark } from './plans.ts';

/**
 * The journal is a session file in the format of pi and OpenClaw (JSONL, version 3): a header line, then one
 * `custom` entry per revision. See `docs/files.md`.
 */
const JOURNAL_VERSION = 3;
const KEY_PREFIX = 'openclaw:scratchpad:';
const LEGACY_KEY = 'openclaw:scratchpad';

/** Contents of the three spaces; refs as a list, one `- item` per line. */
export type Spaces = Readonly<Record<SpaceName, string>>;

export const NO_SPACES: Spaces = { plan: '', notes: '', refs: '' };

/** Who made a revision: a command, a program that uses the library, a person in an editor, a checkout or a merge of git, a host whose session was restored, or another machine. */
export type Author = 'cli' | 'library' | 'edit' | 'merge' | 'git' | 'restore' | 'tool' | 'remote';

/** One change of one space. */
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
  of?: number;
  /**
   * Digests of all three spaces after this revision, so that the last line alone shows whether a file is up to date.
   */
  digests: Readonly<Record<SpaceName, string>>;
  /** For the plan: whose it is; absent for the plain one. */
  plan?: PlanMark;
  /** Id of the plan that the file shows; absent while there is only the plain one. */
  shown?: string;
}

/** Serialises a revision as one line with its newline. */
export function revisionLine(revision: Revision): string {
  const { rev, id, parentId, space, content, op, by, actor, timestamp, of, digests, plan, shown } = revision;
  return `${JSON.stringify({
    type: 'custom',
    customType: KEY_PREFIX + space,
    data: space === 'refs' ? refsOf(content) : content,
    id,
    parentId,
    timestamp,
    // Undefined members are not written.
    scratchpad: { rev, op, by, actor, of, plan, shown, digests },
  })}\n`;
}

export function headerLine(session: string, cwd: string, timestamp: string): string {
  return `${JSON.stringify({ type: 'session', version: JOURNAL_VERSION, id: session, timestamp, cwd })}\n`;
}

/** Parses one line; `undefined` for anything that is not one of our revisions. */
export function parseRevision(line: string): Revision | undefined {
  if (!line.includes(LEGACY_KEY)) return undefined;
  const entry = parsedObject(line);
  if (entry?.type !== 'custom') return undefined;
  const space = spaceOf(entry.customType);
  const content = space && contentOf(space, entry.data);
  const meta = entry.scratchpad;
  if (!space || content === undefined || !isObject(meta) || !isRevisionNumber(meta.rev)) return undefined;
  const digests = isObject(meta.digests) ? meta.digests : {};
  const actor = readActor(meta.actor);
  const plan = space === 'plan' ? readMark(meta.plan) : undefined;
  return {
    rev: meta.rev,
    id: text(entry.id),
    parentId: typeof entry.parentId === 'string' ? entry.parentId : null,
    space,
    content,
    op: text(meta.op),
    by: text(meta.by) as Author,
    actor,
    timestamp: text(entry.timestamp),
    ...(typeof meta.of === 'number' ? { of: meta.of } : {}),
    digests: { plan: text(digests.plan), notes: text(digests.notes), refs: text(digests.refs) },
    plan,
    ...(typeof meta.shown === 'string' && { shown: meta.shown }),
  };
}

/** A larger revision number is damage; counting on from it would overflow. */
export function isRevisionNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1e12;
}

/** The spaces after `revisions`, starting from `base`. */
export function replay(revisions: readonly Revision[], base: Spaces = NO_SPACES): Spaces {
  const spaces = { ...base };
  for (const { space, content } of revisions) spaces[space] = content;
  return spaces;
}

/** Digests of all three spaces. */
export function digestsOf(spaces: Spaces): Record<SpaceName, string> {
  return { plan: digest(spaces.plan), notes: digest(spaces.notes), refs: digest(spaces.refs) };
}

export function sameDigests(
  a: Readonly<Record<SpaceName, string>>,
  b: Readonly<Record<SpaceName, string>>,
): boolean {
  return SPACE_NAMES.every((name) => a[name] === b[name]);
}

function spaceOf(customType: unknown): SpaceName | undefined {
  return SPACE_NAMES.find((name) => customType === KEY_PREFIX + name);
}

function contentOf(space: SpaceName, data: unknown): string | undefined {
  if (space !== 'refs') return typeof data === 'string' ? data : undefined;
  if (!Array.isArray(data)) return undefined;
  return refsContent(data.filter((item): item is string => typeof item === 'string'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
