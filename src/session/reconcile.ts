import { dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { writeAtomically } from '../base/fs/index.ts';
import { number, readOwn, record, type Shape, text, type ValueOf } from '../base/fs/json-shape.ts';
import {
  type GitMoment,
  isCheckedOut,
  isMissingInGit,
  readGitMoment,
  readUnmerged,
} from '../base/git/index-file.ts';
import { findGitPlace, followRename } from '../base/git/place.ts';
import { digestText } from '../base/text/strings.ts';
import { parseRefs, renderRefs } from '../pad/budget.ts';
import { type PadDocument, readRegion } from '../pad/document.ts';
import { getFieldPrefix } from '../pad/front-matter.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import {
  type Author,
  isRevisionNumber,
  type JournalContent,
  NO_SPACES,
  type Revision,
  replayRevisions,
  type Spaces,
} from './journal.ts';
import { filterHistory, type Plans, replayPlans } from './plans.ts';
import type { CommitResult } from './store.ts';
import type { SessionPaths } from './workspace.ts';

interface Adoption {
  space: SpaceName;
  content: string;
  by: Author;
  /** Id of the plan that it is for; `undefined` for a new one. */
  plan?: string | undefined;
}

/** Lines that both sides changed: the file keeps the person's version, which replaced `acknowledged`. */
export interface Conflict {
  space: SpaceName;
  acknowledged: string;
  file: string;
}

export interface Reconciliation {
  /** The spaces with a person's edits; their plan is the one that the file shows. */
  spaces: Spaces;
  acknowledged: Spaces;
  plans: Plans;
  adoptions: Adoption[];
  conflicts: Conflict[];
  /** A checkout removed the file; its content belongs to another branch. */
  wasRemovedByCheckout?: true;
}

type FileSpaces = Record<SpaceName, string | undefined>;

/** The file's spaces in the journal's form; `undefined` for one missing from the file. */
export function readFileSpaces(document: PadDocument): FileSpaces {
  const read = (name: SpaceName): string | undefined => {
    if (!document.regions.has(name)) return undefined;
    const content = readRegion(document, name);
    return name === 'refs' ? renderRefs(parseRefs(content)) : content;
  };

  return { plan: read('plan'), notes: read('notes'), refs: read('refs') };
}

/**
 * Reconciles the file with the journal, by the revision that the file was made from (`revision` in its front matter):
 *
 * - the newest: every difference, including deletions, is a person's edit;
 * - an older one, because a kill happened between journal and file, or an editor saved an old buffer: a three-way
 *   merge, which after a kill yields the journal.
 *
 * A space that is missing from the file was not emptied: its content stays.
 *
 * @param document the file; `undefined` if there is none or it is blank
 * @param paths for what git and the record of a tracked pad know of the file; left out to compare the text alone
 */
export async function reconcile(
  document: PadDocument | undefined,
  journal: JournalContent,
  paths?: SessionPaths,
): Promise<Reconciliation> {
  const fileRevision = document && readFileRevision(document, paths);
  // An edit belongs to the plan that the person had on screen.
  const plan = findPlanInFile(journal, fileRevision, document && readOwnField(document, PLAN_FIELD));
  const history = filterHistory(journal, plan);
  const acknowledged = replayRevisions(history.revisions, history.base);
  const git = paths && findGitPlace(dirname(paths.data));
  const unchanged: Reconciliation = {
    spaces: acknowledged,
    acknowledged,
    adoptions: [],
    conflicts: [],
    plans: replayPlans([...journal.bases, ...journal.revisions], (branch, at) =>
      git === undefined ? branch : followRename(git, branch, at),
    ),
  };

  if (document === undefined)
    return paths && journal.revisions.length > 0 && hasTrackedRecord(paths) && isMissingInGit(paths.pad)
      ? adoptRemoval(unchanged, plan)
      : unchanged;

  const file = readFileSpaces(document);
  if (SPACE_NAMES.every((space) => file[space] === undefined || file[space] === acknowledged[space]))
    return unchanged;

  const isFromGit = wasCheckedOut(document, fileRevision, paths);
  // A version written by git is complete: content of other branches is not merged into it.
  const origin = isFromGit
    ? { spaces: acknowledged, isNewest: true }
    : await findOrigin(fileRevision, file, history);
  const author = origin.isNewest ? 'edit' : 'merge';

  return mergeEdits(document, file, {
    unchanged,
    origin: origin.spaces,
    plan,
    by: isFromGit ? 'git' : author,
  });
}

/** Whether git, and no person, made a file what it is. */
function wasCheckedOut(
  document: PadDocument,
  fileRevision: number | undefined,
  paths: SessionPaths | undefined,
): boolean {
  // A tracked file that is unchanged since it was written here, which alone has a revision then (`readFileRevision`), is
  // behind the journal after a kill, whatever git knows about it.
  const isAsWritten = isTracked(document) && fileRevision !== undefined;
  if (paths === undefined || isAsWritten) return false;

  return isCheckedOut(paths.pad, document.text, readTrackedRecord(paths)?.git);
}

/** Merges what a file changed in its origin into the acknowledged spaces. */
async function mergeEdits(
  document: PadDocument,
  file: FileSpaces,
  {
    unchanged,
    origin,
    plan,
    by,
  }: { unchanged: Reconciliation; origin: Spaces; plan?: string | undefined; by: Author },
): Promise<Reconciliation> {
  const { mergeText } = await import('./merge.ts');
  const { acknowledged } = unchanged;
  const isDamaged = document.problems.some(({ kind }) => kind === 'marker-unclosed');
  const spaces = { ...acknowledged };
  const adoptions: Adoption[] = [];
  const conflicts: Conflict[] = [];

  for (const space of SPACE_NAMES) {
    const [ours, theirs] = [acknowledged[space], file[space]];
    if (theirs === undefined || theirs === ours || theirs === origin[space]) continue;
    // A section without its end has lost text with it: that is damage, not an edit.
    if (isDamaged && ours.startsWith(theirs)) continue;

    const { content, conflict } = mergeText(origin[space], ours, theirs);
    if (conflict) conflicts.push({ space, acknowledged: ours, file: theirs });
    if (content === ours) continue;

    spaces[space] = content;
    adoptions.push({ space, content, by, plan });
  }

  return { ...unchanged, spaces, adoptions, conflicts };
}

/** Present only if the file shows a plan other than the last-changed one: its number, or `none`. */
export const PLAN_FIELD = 'shown-plan';
export const NO_PLAN = 'none';

/** Id of the plan that the file shows: the one that it names, else the last one that was changed before it was written. */
function findPlanInFile(
  { bases, revisions }: JournalContent,
  fileRevision: number | undefined,
  field: string | undefined,
): string | undefined {
  const changes = [...bases, ...revisions].filter(({ space }) => space === 'plan');
  const named = changes.findLast(({ plan }) => String(plan?.number ?? 1) === field);
  if (named !== undefined) return getPlanId(named);

  const isTooOld = fileRevision === undefined || fileRevision < (bases[0]?.rev ?? 0);
  const changesBeforeFile = isTooOld ? changes : changes.filter(({ rev }) => rev <= fileRevision);
  if (field === NO_PLAN) return findPlanOfBuffer(changes, changesBeforeFile);

  const newestMarks = new Map(changesBeforeFile.map((change) => [getPlanId(change), change.plan]));
  // The file does not show a plan that was taken to a work tree since.
  const last = changesBeforeFile.findLast(
    (change) => newestMarks.get(getPlanId(change))?.worktree === undefined,
  );

  return last === undefined ? findPlanOfBuffer(changes, changesBeforeFile) : getPlanId(last);
}

/** Id of the plan that the first save of an editor's buffer began: its later saves must reuse it. */
function findPlanOfBuffer(
  changes: readonly Revision[],
  changesBeforeFile: readonly Revision[],
): string | undefined {
  const knownPlanIds = new Set(changesBeforeFile.map(getPlanId));
  return changes
    .filter(({ by }) => by === 'edit' || by === 'merge')
    .map(getPlanId)
    .find((id) => !knownPlanIds.has(id));
}

const getPlanId = ({ plan }: Revision): string => plan?.id ?? '';

/** Adopts a checkout's removal of the file as empty spaces. */
function adoptRemoval(unchanged: Reconciliation, plan: string | undefined): Reconciliation {
  const filled = SPACE_NAMES.filter((space) => unchanged.acknowledged[space] !== '');
  const adoptions = filled.map((space) => ({ space, content: '', by: 'git', plan }) as const);
  return { ...unchanged, spaces: NO_SPACES, adoptions, wasRemovedByCheckout: true };
}

/** The spaces that the file was made from; without a revision in the file, those of the newest. */
async function findOrigin(
  fileRevision: number | undefined,
  file: FileSpaces,
  { revisions, base }: Pick<JournalContent, 'revisions' | 'base'>,
): Promise<{ spaces: Spaces; isNewest: boolean }> {
  const first = revisions[0]?.rev ?? 1;
  const last = revisions.at(-1)?.rev ?? 0;
  if (fileRevision === undefined || fileRevision >= last)
    return { spaces: replayRevisions(revisions, base), isNewest: true };
  // Older than the journal: no deletion is known, so both sides are kept in full.
  if (fileRevision < first - 1) return { spaces: NO_SPACES, isNewest: false };

  const later = revisions.findIndex(({ rev }) => rev > fileRevision);
  const opened = replayRevisions(revisions.slice(0, later), base);
  return { spaces: await rebuildSavedBuffer(opened, revisions.slice(later), file), isNewest: false };
}

/**
 * The spaces of an editor's buffer at its previous save. An editor that does not reload the file saves the same old buffer
 * again and again, and the edits of its earlier saves must not count again.
 * @param opened the spaces as the editor loaded them
 * @param laterRevisions those that were made since
 */
async function rebuildSavedBuffer(
  opened: Spaces,
  laterRevisions: readonly Revision[],
  file: FileSpaces,
): Promise<Spaces> {
  const { mergeText } = await import('./merge.ts');
  const saved = { ...opened };
  let before = opened;

  for (const { space, content, by } of laterRevisions) {
    if (by === 'merge' || by === 'edit') {
      const { content: next, conflict } = mergeText(before[space], saved[space], content);
      const theirs = file[space] ?? '';
      // Heuristic: an edit that takes the text further from the file is not in it, and was made in another editor.
      if (!conflict && countDifferences(theirs, next) <= countDifferences(theirs, saved[space]))
        saved[space] = next;
    }

    before = { ...before, [space]: content };
  }

  return saved;
}

function countDifferences(one: string, other: string): number {
  const collectLines = (text: string) => new Set(text.split('\n').filter((line) => line.trim() !== ''));
  const [left, right] = [collectLines(one), collectLines(other)];
  return [...left, ...right].filter((line) => !left.has(line) || !right.has(line)).length;
}

/** The value of one of our front-matter fields, also from front matter that is unclosed or no valid YAML. */
function readOwnField({ text, frontMatter }: PadDocument, name: string): string | undefined {
  if (frontMatter.kind === 'none') return undefined;

  const end = frontMatter.kind === 'fenced' ? frontMatter.range.innerEnd : frontMatter.fieldsEnd;
  const field = getFieldPrefix(text, frontMatter) + name;
  const line = new RegExp(`^${field}:[ \\t]*([^\\s#]*)[ \\t]*(?:#.*)?\\r?$`, 'm');

  return line.exec(text.slice(0, end))?.[1];
}

export function readRevisionStamp(document: PadDocument): number | undefined {
  const stamp = /^["']?(\d{1,12})["']?$/.exec(readOwnField(document, 'revision') ?? '')?.[1];
  return stamp !== undefined && isRevisionNumber(Number(stamp)) ? Number(stamp) : undefined;
}

/** Whether a pad is for git: without the fields that change with every write, and without a state block. */
export const isTracked = (document: PadDocument): boolean =>
  document.frontMatter.kind === 'fenced' && readOwnField(document, 'tracked') === 'true';

const MOMENT: Shape<GitMoment> = record({ blob: text }, { branch: text, index: text, stash: text });
/**
 * The content of `tracked.json`, which is kept outside the pad so that git does not see it. `written`: digest of the file
 * as it was written.
 */
const TRACKED = record({ revision: number, written: text }, { git: MOMENT });

const getTrackedFile = ({ dir }: SessionPaths): string => join(dir, 'tracked.json');

const readTrackedRecord = (paths: SessionPaths): ValueOf<typeof TRACKED> | undefined =>
  readOwn(getTrackedFile(paths), 'record', TRACKED);

export function writeTrackedRecord(paths: SessionPaths, { document, revision }: CommitResult): void {
  const git = readGitMoment(paths.pad, document.text);
  const tracked: ValueOf<typeof TRACKED> = { revision, written: digestText(document.text), git };

  // After a failure the next assembly writes it again.
  attempt(() => writeAtomically(getTrackedFile(paths), `${JSON.stringify(tracked)}\n`, { durable: false }));
}

/** The revision that a file was made from; for a tracked one, its record tells while the file is unchanged. */
function readFileRevision(document: PadDocument, paths: SessionPaths | undefined): number | undefined {
  if (!isTracked(document)) return readRevisionStamp(document);

  const tracked = paths && readTrackedRecord(paths);
  return tracked?.written === digestText(document.text) ? tracked.revision : undefined;
}

/** The side of a file that git calls unmerged, and whether it was written here; `undefined` for any other file. */
export const readConflictSide = (paths: SessionPaths): { isOurs: boolean } | undefined =>
  readUnmerged(paths.pad, readTrackedRecord(paths)?.git);

export const hasTrackedRecord = (paths: SessionPaths): boolean => readTrackedRecord(paths) !== undefined;
