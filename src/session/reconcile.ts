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

/** The file's spaces in the journal's form; `undefined` for one missing from the file. */
export function readFileSpaces(document: PadDocument): Record<SpaceName, string | undefined> {
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
 * @param document the file, `undefined` if there is none or it is blank
 * @param paths given unless only text is compared: git, and the record of a tracked pad, may know more of the file
 */
export async function reconcile(
  document: PadDocument | undefined,
  journal: JournalContent,
  paths?: SessionPaths,
): Promise<Reconciliation> {
  const fileRevision = document && readFileRevision(document, paths);
  // An edit belongs to the plan that the person had on screen.
  const plan = findPlanInFile(journal, fileRevision, document && readOwnField(document, PLAN_FIELD));
  const { revisions, base } = filterHistory(journal, plan);
  const ours = replayRevisions(revisions, base);
  const git = paths && findGitPlace(dirname(paths.data));
  const found: Reconciliation = {
    spaces: ours,
    acknowledged: ours,
    adoptions: [],
    conflicts: [],
    plans: replayPlans([...journal.bases, ...journal.revisions], (branch, at) =>
      git === undefined ? branch : followRename(git, branch, at),
    ),
  };

  if (document === undefined)
    return paths && journal.revisions.length > 0 && hasTrackedRecord(paths) && isMissingInGit(paths.pad)
      ? adoptRemoval(found, plan)
      : found;

  const file = readFileSpaces(document);
  if (SPACE_NAMES.every((space) => file[space] === undefined || file[space] === ours[space])) return found;

  // A tracked file that is unchanged since it was written here is behind the journal after a kill, whatever git
  // knows about it.
  const isAsWritten = isTracked(document) && fileRevision !== undefined;
  const isFromGit =
    paths !== undefined &&
    !isAsWritten &&
    isCheckedOut(paths.pad, document.text, readTrackedRecord(paths)?.git);
  // A version written by git is complete: content of other branches is not merged into it.
  const origin = isFromGit
    ? { spaces: ours, current: true }
    : await findOrigin(fileRevision, file, { revisions, base });
  const isDamaged = document.problems.some(({ kind }) => kind === 'marker-unclosed');
  const spaces = { ...ours };
  const result: Reconciliation = { ...found, spaces };
  const { mergeText } = await import('./merge.ts');

  for (const space of SPACE_NAMES) {
    const theirs = file[space];
    if (theirs === undefined || theirs === ours[space] || theirs === origin.spaces[space]) continue;
    // A section without its end has lost text with it: that is damage, not an edit.
    if (isDamaged && ours[space].startsWith(theirs)) continue;

    const merged = mergeText(origin.spaces[space], ours[space], theirs);
    if (merged.conflict) result.conflicts.push({ space, acknowledged: ours[space], file: theirs });
    if (merged.content === ours[space]) continue;

    spaces[space] = merged.content;
    const person = origin.current ? 'edit' : 'merge';
    const by = isFromGit ? 'git' : person;
    result.adoptions.push({ space, content: merged.content, by, plan });
  }

  return result;
}

/** Present only if the file shows a plan other than the last-changed one: its number, or `none`. */
export const PLAN_FIELD = 'shown-plan';
export const NO_PLAN = 'none';

/** Id of the plan that the file shows: the one it names, else the one that was changed last as it was written. */
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
  // A plan can have been taken to a work tree since: the file no longer shows it.
  const marks = new Map(changesBeforeFile.map((change) => [getPlanId(change), change.plan]));
  const last = changesBeforeFile.findLast((change) => marks.get(getPlanId(change))?.worktree === undefined);
  if (last !== undefined && field !== NO_PLAN) return getPlanId(last);

  // Repeated saves of one buffer must reuse the plan that its first save made.
  const knownPlanIds = new Set(changesBeforeFile.map(getPlanId));
  return changes
    .filter(({ by }) => by === 'edit' || by === 'merge')
    .map(getPlanId)
    .find((id) => !knownPlanIds.has(id));
}

const getPlanId = ({ plan }: Revision): string => plan?.id ?? '';

/** All spaces as emptied by git, whose checkout removed the file. */
function adoptRemoval(found: Reconciliation, plan: string | undefined): Reconciliation {
  const filled = SPACE_NAMES.filter((space) => found.acknowledged[space] !== '');
  const adoptions = filled.map((space) => ({ space, content: '', by: 'git', plan }) as const);
  return { ...found, spaces: NO_SPACES, adoptions, wasRemovedByCheckout: true };
}

/**
 * The revision that the file was made from. If it is the newest (`current`), every difference is a person's edit. A
 * file without a stamp counts as made from it.
 */
async function findOrigin(
  fileRevision: number | undefined,
  file: Record<SpaceName, string | undefined>,
  { revisions, base }: Pick<JournalContent, 'revisions' | 'base'>,
): Promise<{ spaces: Spaces; current: boolean }> {
  const first = revisions[0]?.rev ?? 1;
  const last = revisions.at(-1)?.rev ?? 0;
  if (fileRevision === undefined || fileRevision >= last)
    return { spaces: replayRevisions(revisions, base), current: true };
  // Older than the journal: no deletion is known, so both sides are kept in full.
  if (fileRevision < first - 1) return { spaces: NO_SPACES, current: false };

  const later = revisions.findIndex(({ rev }) => rev > fileRevision);
  const opened = replayRevisions(revisions.slice(0, later), base);
  return { spaces: await rebuildSavedBuffer(opened, revisions.slice(later), file), current: false };
}

/**
 * What a buffer held when it was saved before: an editor that is not told about our changes saves the same old buffer
 * again and again, and the edits that it had at the last save are no longer news.
 */
async function rebuildSavedBuffer(
  opened: Spaces,
  since: readonly Revision[],
  file: Record<SpaceName, string | undefined>,
): Promise<Spaces> {
  const { mergeText } = await import('./merge.ts');
  const saved = { ...opened };
  let before = opened;

  for (const { space, content, by } of since) {
    if (by === 'merge' || by === 'edit') {
      const { content: next, conflict } = mergeText(before[space], saved[space], content);
      const theirs = file[space] ?? '';
      // An edit that is not in the file was made in another editor.
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

/** The value of one of our front-matter fields, also if the front matter is unclosed or is not valid YAML. */
function readOwnField({ text, frontMatter }: PadDocument, name: string): string | undefined {
  if (frontMatter.kind === 'none') return undefined;

  const head = text.slice(
    0,
    frontMatter.kind === 'fenced' ? frontMatter.range.innerEnd : frontMatter.fieldsEnd,
  );
  const line = new RegExp(
    `^${getFieldPrefix(text, frontMatter)}${name}:[ \\t]*([^\\s#]*)[ \\t]*(?:#.*)?\\r?$`,
    'm',
  );

  return line.exec(head)?.[1];
}

export function readRevisionStamp(document: PadDocument): number | undefined {
  const stamp = /^["']?(\d{1,12})["']?$/.exec(readOwnField(document, 'revision') ?? '')?.[1];
  return stamp !== undefined && isRevisionNumber(Number(stamp)) ? Number(stamp) : undefined;
}

/** Whether git tracks a pad: then it has no fields that change with every write, and no state block. */
export function isTracked(document: PadDocument): boolean {
  return document.frontMatter.kind === 'fenced' && readOwnField(document, 'tracked') === 'true';
}

const MOMENT: Shape<GitMoment> = record({ blob: text }, { branch: text, index: text, stash: text });
/**
 * The content of `tracked.json`. It is kept outside the pad's front matter so that git does not see it. `written` is the
 * digest of the file as it was written.
 */
const TRACKED = record({ revision: number, written: text }, { git: MOMENT });

const getTrackedFile = ({ dir }: SessionPaths): string => join(dir, 'tracked.json');

const readTrackedRecord = (paths: SessionPaths): ValueOf<typeof TRACKED> | undefined =>
  readOwn(getTrackedFile(paths), 'record', TRACKED);

/** It may fail: the next assembly then writes it again. */
export function writeTrackedRecord(paths: SessionPaths, { document, revision }: CommitResult): void {
  const git = readGitMoment(paths.pad, document.text);
  const tracked: ValueOf<typeof TRACKED> = { revision, written: digestText(document.text), git };

  attempt(() => writeAtomically(getTrackedFile(paths), `${JSON.stringify(tracked)}\n`, { durable: false }));
}

/** The revision that a file was made from: of a tracked one, if it is unchanged, what its record says. */
function readFileRevision(document: PadDocument, paths: SessionPaths | undefined): number | undefined {
  if (!isTracked(document)) return readRevisionStamp(document);

  const tracked = paths && readTrackedRecord(paths);
  return tracked?.written === digestText(document.text) ? tracked.revision : undefined;
}

/** Whether git says that the file is unmerged, and then whether our side is as it was written here. */
export function readConflictSide(paths: SessionPaths): { isOurs: boolean } | undefined {
  return readUnmerged(paths.pad, readTrackedRecord(paths)?.git);
}

export const hasTrackedRecord = (paths: SessionPaths): boolean => readTrackedRecord(paths) !== undefined;
