import { join } from 'node:path';
import { exists, tryReadJson, tryStat, writeAtomically } from '../base/fs/index.ts';
import { repositoryIdentity } from '../base/git/identity.ts';
import { gitPlace } from '../base/git/place.ts';
import { digest } from '../base/text/hash.ts';
import { membersOf } from '../base/text/json.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type Actor, readActor } from './actor.ts';
import type { Revision, Spaces } from './journal.ts';
import { type JournalContent, readJournal } from './journal-file.ts';
import { nextNumber, type Plan, type PlanKey } from './plans.ts';
import { isOpen, keyOf } from './whose.ts';
import type { SessionPaths } from './workspace.ts';

/** Where, when and by whom a space was last changed. */
export interface Origin {
  /** Epoch milliseconds. */
  at: number;
  /** Git's common directory: shared by all work trees of a repository. Absent outside git. */
  repository?: string | undefined;
  /** What the repository is called on every machine. */
  identity?: string | undefined;
  /** The top of the work tree; for the plan, git's name of a linked one. */
  worktree?: string | undefined;
  branch?: string | undefined;
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

/** A folder's place in git, as the key of a plan that is made there. */
export function whereIs(folder: string): PlanKey {
  const place = gitPlace(folder);
  if (place === undefined) return {};
  const { commonDir: repository, linked, branch } = place;
  return keyOf({ repository, identity: repositoryIdentity(place), worktree: linked, branch });
}

/** The same in the form of an origin. */
function originHere(folder: string): OriginPlace {
  const place = gitPlace(folder);
  if (place === undefined) return {};
  const { worktree: _, ...known } = whereIs(folder);
  return placeOf({ ...known, worktree: place.top });
}

/**
 * The plans of a journal that does not say whose they are: the origin on record says it, and which contents were
 * replaced from another branch. They are written into the journal with the next change.
 */
export function recognisePlans(
  paths: SessionPaths,
  plans: Map<string, Plan>,
  spaces: Spaces,
  journal: () => JournalContent,
): void {
  const { plan: origin } = readOrigins(paths, spaces);
  const plain = plans.get('');
  if (plain !== undefined && origin !== undefined) {
    const { at, actor, repository, identity, branch } = origin;
    const key = keyOf({ repository, identity, branch, session: actor?.session });
    plans.set('', { ...plain, ...key, at, ...(actor && { actor, sign: at }) });
  }
  const { earlier = [] } = origin ?? {};
  if (earlier.length === 0) return;
  const { bases, revisions } = journal();
  for (const { digest: of, at, repository, identity, branch } of earlier) {
    const found = [...bases, ...revisions].findLast(
      ({ space, content }) => space === 'plan' && digest(content) === of,
    );
    if (found === undefined || branch === origin?.branch || !isOpen(found)) continue;
    const key = keyOf({ repository, identity, branch, session: found.actor?.session });
    const known = [...plans.values()].find((plan) => plan.id !== '' && plan.branch === branch);
    const number = known?.number ?? nextNumber(plans);
    const id = known?.id ?? `before-${of.slice(0, 8)}`;
    plans.set(id, {
      ...key,
      id,
      number,
      content: found.content,
      at,
      by: found.by,
      sign: at,
      unwritten: true,
    });
  }
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
    const { spaces, earlier } = onRecord(paths, revisions[0]?.rev);
    const replaced = [...earlier];
    const here = originHere(folder);
    for (const { space, content, timestamp, by, op, actor, plan } of revisions) {
      // The journal says whose that plan is.
      if (plan !== undefined) continue;
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
        actor,
      };
    }
    write(paths, { spaces, earlier: replaced.slice(-MOST_EARLIER) });
  } catch {
    // As said above.
  }
}

function write(paths: SessionPaths, { spaces, earlier }: OnRecord): void {
  const record = { version: VERSION, ...spaces, ...(earlier.length > 0 && { earlier }) };
  writeAtomically(fileIn(paths), `${JSON.stringify(record)}\n`, { durable: false });
}

/** @param before for a pad without a record: the first revision that is not asked for */
function onRecord(paths: SessionPaths, before?: number): OnRecord {
  const kept = membersOf(tryReadJson(fileIn(paths), 'record'));
  if (kept.version !== VERSION) return { spaces: fromJournal(paths, before), earlier: [] };
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
function fromJournal(
  { journal }: SessionPaths,
  before = Number.POSITIVE_INFINITY,
): Partial<Record<SpaceName, Kept>> {
  const origins: Partial<Record<SpaceName, Kept>> = {};
  for (const { rev, space, content, timestamp, actor } of readJournal(journal).revisions) {
    if (rev >= before) break;
    const at = Date.parse(timestamp);
    if (!Number.isNaN(at)) origins[space] = { at, digest: digest(content), actor };
  }
  return origins;
}
