import { join } from 'node:path';
import { exists, tryReadJson, tryStat, writeAtomically } from '../fs/index.ts';
import { repositoryIdentity } from '../git/identity.ts';
import { gitPlace } from '../git/place.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { digest } from '../text/hash.ts';
import { membersOf } from '../text/json.ts';
import { type Actor, readActor } from './actor.ts';
import type { Revision, Spaces } from './journal.ts';
import { readJournal } from './journal-file.ts';
import type { SessionPaths } from './workspace.ts';

/** Where, when and by whom a space was last changed. */
export interface Origin {
  /** Epoch milliseconds. */
  at: number;
  /** Git's common directory: shared by all work trees of a repository. Absent outside git. */
  repository?: string;
  /** What the repository is called on every machine. */
  identity?: string;
  /** The top of the work tree. */
  worktree?: string;
  branch?: string;
  actor?: Actor;
  /** For the plan: the origins of contents, of any space, that were replaced from another place, oldest first. */
  earlier?: readonly Replaced[];
}

/** The origin of a content that is in the journal. */
export interface Replaced extends OriginPlace {
  at: number;
  /** Digest of the content. */
  digest: string;
}

export type Origins = Partial<Record<SpaceName, Origin>>;

interface Kept extends Replaced {
  actor?: Actor;
}

/** The origins on record, and those of contents that were replaced from another place, oldest first. */
interface OnRecord {
  spaces: Partial<Record<SpaceName, Kept>>;
  earlier: readonly Kept[];
}

const MOST_EARLIER = 8;
/** Operations that bring back an earlier content: it still belongs where it was made. */
const COMES_BACK: ReadonlySet<string> = new Set(['undo', 'redo', 'restore']);

const PLACE = ['repository', 'identity', 'worktree', 'branch'] as const;
const VERSION = 1;
const fileIn = ({ dir }: SessionPaths): string => join(dir, 'origins.json');

/** A folder's place in git, in the form of an origin. */
export function whereIs(folder: string): OriginPlace {
  const place = gitPlace(folder);
  if (place === undefined) return {};
  const { commonDir: repository, top: worktree, branch } = place;
  const identity = repositoryIdentity(place);
  return { repository, worktree, ...(branch && { branch }), ...(identity && { identity }) };
}

type OriginPlace = Pick<Origin, (typeof PLACE)[number]>;

/**
 * The origins of a session's spaces. An edit in the file that no command has seen is as old as the file, and its
 * place is unknown.
 */
export function readOrigins(paths: SessionPaths, spaces: Spaces): Origins {
  const { spaces: kept, earlier } = onRecord(paths);
  const origins: Origins = {};
  for (const space of SPACE_NAMES) {
    if (spaces[space].trim() === '' && kept[space] === undefined) continue;
    const { digest: of, ...origin } = kept[space] ?? { digest: '', at: 0 };
    const saved = tryStat(paths.pad)?.mtimeMs;
    if (of === digest(spaces[space])) origins[space] = whereStillThere(origin);
    else if (saved !== undefined) origins[space] = { at: saved };
  }
  if (origins.plan && earlier.length > 0) origins.plan.earlier = earlier;
  return origins;
}

/** The paths of a repository that was moved, or is on another machine, mean nothing here; its identity does. */
function whereStillThere(origin: Origin): Origin {
  if (origin.repository === undefined || exists(origin.repository)) return origin;
  const { repository: _, worktree: __, ...rest } = origin;
  return rest;
}

/** Records where revisions were made. It may fail: then their age is known, but not their place. */
export function keepOrigins(paths: SessionPaths, revisions: readonly Revision[], folder: string): void {
  if (revisions.length === 0) return;
  try {
    const { spaces, earlier } = onRecord(paths);
    const replaced = [...earlier];
    const here = whereIs(folder);
    for (const { space, content, timestamp, by, op, actor } of revisions) {
      const of = digest(content);
      const before = spaces[space];
      if (before && PLACE.some((key) => before[key] !== here[key])) replaced.push(before);
      const back = COMES_BACK.has(op)
        ? (replaced.findLast((each) => each.digest === of) ?? before)
        : undefined;
      spaces[space] = {
        at: Date.parse(timestamp),
        digest: of,
        // The place of changes from another machine is unknown.
        ...(by === 'remote' ? {} : placeOf(back ?? here)),
        ...(actor && { actor }),
      };
    }
    write(paths, { spaces, earlier: replaced.slice(-MOST_EARLIER) });
  } catch {
    // As said above.
  }
}

/** Assigns a space to this place and time. */
export function takeUp(paths: SessionPaths, space: SpaceName, content: string, origin: Origin): void {
  const { spaces, earlier } = onRecord(paths);
  write(paths, { spaces: { ...spaces, [space]: { ...origin, digest: digest(content) } }, earlier });
}

function write(paths: SessionPaths, { spaces, earlier }: OnRecord): void {
  const record = { version: VERSION, ...spaces, ...(earlier.length > 0 && { earlier }) };
  writeAtomically(fileIn(paths), `${JSON.stringify(record)}\n`, { durable: false });
}

function onRecord(paths: SessionPaths): OnRecord {
  const kept = membersOf(tryReadJson(fileIn(paths), 'record'));
  if (kept.version !== VERSION) return { spaces: fromJournal(paths), earlier: [] };
  const spaces: OnRecord['spaces'] = {};
  for (const space of SPACE_NAMES) {
    const origin = keptFrom(kept[space]);
    if (origin) spaces[space] = origin;
  }
  const earlier = Array.isArray(kept.earlier) ? kept.earlier : [];
  return { spaces, earlier: earlier.flatMap((each) => keptFrom(each) ?? []) };
}

function keptFrom(value: unknown): Kept | undefined {
  const { at, digest: of, actor, ...place } = membersOf(value);
  if (typeof at !== 'number' || typeof of !== 'string') return undefined;
  const known = readActor(actor);
  return { at, digest: of, ...placeOf(place), ...(known && { actor: known }) };
}

function placeOf(place: Readonly<Partial<Record<(typeof PLACE)[number], unknown>>>): OriginPlace {
  return Object.fromEntries(
    PLACE.flatMap((key) => (typeof place[key] === 'string' ? [[key, place[key]]] : [])),
  );
}

/** For a pad older than origins, the journal says when and by whom. */
function fromJournal({ journal }: SessionPaths): Partial<Record<SpaceName, Kept>> {
  const origins: Partial<Record<SpaceName, Kept>> = {};
  for (const { space, content, timestamp, actor } of readJournal(journal).revisions) {
    const at = Date.parse(timestamp);
    if (!Number.isNaN(at)) origins[space] = { at, digest: digest(content), ...(actor && { actor }) };
  }
  return origins;
}
