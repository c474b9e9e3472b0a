import { gitPlace, repositoryIdentity } from '../base/git/place.ts';
import { safeLine } from '../base/safety/index.ts';
import { membersOf } from '../base/text/json.ts';
import { counted, shorten } from '../base/text/strings.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Actor } from './actor.ts';
import type { Author, Revision, Spaces } from './journal.ts';

/** Whose a plan is: the linked work tree, the branch and the host's session that it was made in. */
export interface PlanKey {
  /** Git's common directory, and what the repository is called on every machine. */
  repository?: string | undefined;
  identity?: string | undefined;
  /** Git's name of a linked work tree; none for the main one. */
  worktree?: string | undefined;
  branch?: string | undefined;
  /** The host's session; none for the plan of a person at the shell. */
  session?: string | undefined;
}

/** A plan's identity in a journal. The plain plan of earlier versions, and of places without git, has no id. */
export interface PlanMark extends PlanKey {
  id: string;
  /** What a person calls it: `plan take 2`. */
  number: number;
}

export interface Plan extends PlanMark {
  content: string;
  /** The last change, epoch milliseconds. */
  at: number;
  by: Author;
  actor?: Actor | undefined;
  /** The last change by its own session, epoch milliseconds: a person may have edited it since. */
  sign?: number | undefined;
  /** Known from the records of an earlier version, and to be written into the journal with the next change. */
  unwritten?: true;
}

export type Plans = ReadonlyMap<string, Plan>;

const KEYS = ['repository', 'identity', 'worktree', 'branch', 'session'] as const;

/** Reads the mark of a plan from a journal. */
export function readMark(value: unknown): PlanMark | undefined {
  const { id, number, ...rest } = membersOf(value);
  if (typeof id !== 'string' || typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return { id, number, ...keyIn(rest) };
}

/** The parts of a key in any object. */
export function keyIn(value: Readonly<Record<string, unknown>>): PlanKey {
  return Object.fromEntries(
    KEYS.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key]]] : [])),
  );
}

/** The parts of a key that are known. */
export const keyOf = ({ repository, identity, worktree, branch, session }: PlanKey): PlanKey =>
  keyIn({ repository, identity, worktree, branch, session });

/** The key of a plan that is made in a folder: its place in git. */
export function keyOfFolder(folder: string): PlanKey {
  const place = gitPlace(folder);
  if (place === undefined) return {};
  const { commonDir: repository, linked, branch } = place;
  return keyOf({ repository, identity: repositoryIdentity(place), worktree: linked, branch });
}

export const markOf = (plan: PlanMark): PlanMark => ({ ...keyOf(plan), id: plan.id, number: plan.number });

/** A finished plan has steps, all of them done. */
export function isOpen({ content }: Pick<Plan, 'content'>): boolean {
  const steps = stepsOf(content);
  return content.trim() !== '' && (steps.length === 0 || steps.some(({ done }) => !done));
}

export function sameKey(a: PlanKey, b: PlanKey): boolean {
  return KEYS.every((key) => a[key] === b[key]);
}

/** The plans after some revisions, in the order in which they were begun. */
export function plansAfter(revisions: Iterable<Revision>): Map<string, Plan> {
  const plans = new Map<string, Plan>();
  for (const { space, content, timestamp, by, actor, plan: mark, op } of revisions) {
    if (space !== 'plan') continue;
    const known = plans.get(mark?.id ?? '');
    const { number = known?.number ?? 1, id = '', ...key } = mark ?? {};
    // What is only shown again was not changed.
    const when = op === SHOWN && known ? known : { at: Date.parse(timestamp) || 0, by, actor };
    const { at } = when;
    plans.set(id, {
      ...key,
      id,
      number,
      content,
      at,
      by: when.by,
      actor: when.actor,
      sign: signOf(key, when, known),
    });
  }
  return plans;
}

/** When a session was last at work on its plan. */
export function signOf(
  key: PlanKey,
  { at, actor }: Pick<Plan, 'at'> & { actor?: Actor | undefined },
  before: Plan | undefined,
): number | undefined {
  if (actor?.session !== undefined && actor.session === key.session) return at;
  return before?.session === key.session ? before?.sign : undefined;
}

/** The operation of a revision that changes nothing but which plan the file shows. */
export const SHOWN = 'shown';

/** The number for another plan. */
export function nextNumber(plans: Plans): number {
  return Math.max(0, ...[...plans.values()].map(({ number }) => number)) + 1;
}

/** A history as if there were only one plan: what each caller walks, merges and shares. */
export function ofPlan<
  Kept extends { revisions: readonly Revision[]; base: Spaces; bases: readonly Revision[] },
>(history: Kept, id: string): Kept & { elsewhere?: readonly Revision[] } {
  const isHere = ({ space, plan }: Revision): boolean => space !== 'plan' || (plan?.id ?? '') === id;
  if (history.bases.every(isHere) && history.revisions.every(isHere) && id === '') return history;
  const plan = history.bases.findLast((base) => base.space === 'plan' && isHere(base))?.content ?? '';
  const changes = history.revisions.filter(({ op }) => op !== SHOWN);
  return {
    ...history,
    revisions: changes.filter(isHere),
    elsewhere: changes.filter((revision) => !isHere(revision)),
    base: { ...history.base, plan },
  };
}

/**
 * A journal whose pad is in a linked work tree itself: earlier versions took that for another work tree.
 * @param home git's name of that work tree
 */
export function atHome<Kept extends { revisions: readonly Revision[]; bases: readonly Revision[] }>(
  journal: Kept,
  home: string | undefined,
): Kept {
  if (home === undefined) return journal;
  const ours = (each: Revision): Revision =>
    each.plan?.worktree === home ? { ...each, plan: { ...each.plan, worktree: undefined } } : each;
  return { ...journal, bases: journal.bases.map(ours), revisions: journal.revisions.map(ours) };
}

const TITLE_CHARACTERS = 60;
const SESSION_SHOWN = 8;

/** What a plan is about: its text before the steps, else its first step. */
export function titleOf({ content }: Pick<Plan, 'content'>): string {
  const steps = stepsOf(content);
  const first = content.split('\n').findIndex((line) => line.trim() !== '');
  const step = steps[0];
  const words = step !== undefined && step.line <= first ? step.text : (content.split('\n')[first] ?? '');
  return shorten(oneLine(words.replace(/^[#\s]+/, '')), TITLE_CHARACTERS);
}

/** `2 of 5 done`; without steps `4 lines`. */
export function progressOf({ content }: Pick<Plan, 'content'>): string {
  const steps = stepsOf(content);
  if (steps.length > 0) return `${steps.filter(({ done }) => done).length} of ${steps.length} done`;
  return counted(content.split('\n').filter((line) => line.trim() !== '').length, 'line');
}

/** `session 7c1f0a52 on feat/login`, `work tree feature`; empty for a plan that nothing is known of. */
export function ownerOf({ session, branch, worktree }: PlanKey): string {
  const who = session === undefined ? '' : `session ${session.slice(0, SESSION_SHOWN)}`;
  const where = worktree === undefined ? branch : `the work tree ${worktree}`;
  return oneLine([who, where].filter(Boolean).join(' on '));
}

/** A plan in the list below the one that the file shows. */
function besideLine(plan: Plan): string {
  const owner = ownerOf(plan);
  return `Plan ${plan.number}${owner === '' ? '' : `, of ${owner}`}: ${titleOf(plan)} (${progressOf(plan)})`;
}

/** The lines on other open plans in the file. */
export function linesBeside(plans: Plans, shown: string | undefined): string {
  return [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => `- ${safeLine(besideLine(plan))}`)
    .join('\n');
}

export const oneLine = (text = ''): string => text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').slice(0, 120);
