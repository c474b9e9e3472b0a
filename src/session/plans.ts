import { bothDetached, gitPlace } from '../base/git/place.ts';
import { safeLine } from '../base/safety/index.ts';
import { membersOf } from '../base/text/json.ts';
import { oneLine, progressOf, stepsOf, titleOf } from '../pad/steps.ts';
import type { Actor } from './actor.ts';
import type { Author, Revision, Spaces } from './journal.ts';

/** Whose a plan is: the linked work tree, the branch and the host's session that it was made in. */
export interface PlanKey {
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
}

export type Plans = ReadonlyMap<string, Plan>;

const KEYS = ['worktree', 'branch', 'session'] as const;

export function readMark(value: unknown): PlanMark | undefined {
  const { id, number, ...rest } = membersOf(value);
  if (typeof id !== 'string' || typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return { id, number, ...keyIn(rest) };
}

export function keyIn(value: Readonly<Record<string, unknown>>): PlanKey {
  return Object.fromEntries(
    KEYS.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key]]] : [])),
  );
}

export const keyOf = ({ worktree, branch, session }: PlanKey): PlanKey =>
  keyIn({ worktree, branch, session });

/** The key of a plan that is made in a folder: its place in git. */
export function keyOfFolder(folder: string): PlanKey {
  const { linked, branch } = gitPlace(folder) ?? {};
  return keyOf({ worktree: linked, branch });
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
  for (const { space, content, timestamp, by, actor, plan: mark } of revisions) {
    if (space !== 'plan') continue;
    const known = plans.get(mark?.id ?? '');
    const { number = known?.number ?? 1, id = '', ...key } = mark ?? {};
    plans.set(id, { ...key, id, number, content, at: Date.parse(timestamp) || 0, by, actor });
  }
  return plans;
}

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
  return {
    ...history,
    revisions: history.revisions.filter(isHere),
    elsewhere: history.revisions.filter((revision) => !isHere(revision)),
    base: { ...history.base, plan },
  };
}

const SESSION_SHOWN = 8;

/** `session 7c1f0a52 on feat/login`, `work tree feature`; empty for a plan that nothing is known of. */
export function ownerOf({ session, branch, worktree }: PlanKey): string {
  const who = session === undefined ? '' : `session ${session.slice(0, SESSION_SHOWN)}`;
  const where = worktree === undefined ? branch : `the work tree ${worktree}`;
  return oneLine([who, where].filter(Boolean).join(' on '));
}

/** The lines on other open plans in the file: `- Plan 2, of session 7c1f0a52: Migrate the db (0 of 3 done)`. */
export function linesBeside(plans: Plans, shown: string | undefined): string {
  return [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => {
      const owner = ownerOf(plan);
      const of = owner === '' ? '' : `, of ${owner}`;
      return `- ${safeLine(`Plan ${plan.number}${of}: ${titleOf(plan.content)} (${progressOf(plan.content)})`)}`;
    })
    .join('\n');
}

/** Where and for whom a plan is looked up. */
export interface Place extends PlanKey {
  /** Names that the branch had before it was renamed. */
  formerBranches?: readonly string[];
  /** Epoch milliseconds. */
  now: number;
  /** Sessions whose window this one holds, because it was forked from them. */
  forkedFrom?: readonly string[];
  /** Whether the model was told the plan of another in its current window. */
  told?: boolean;
  /** @param lastSign a time at which the session was at work, epoch milliseconds */
  hasEnded(session: string, lastSign: number): boolean;
}

/**
 * Whose the plan is that a caller sees: `own` of this session here; `parent`: of the one that it was forked from;
 * `left` by a session that has ended; `workspace`: of no session; `elsewhere`: its own of another branch; `running`:
 * of a session that may be running, which only a person at the shell sees as the plan here.
 */
export type Whose = 'own' | 'parent' | 'left' | 'workspace' | 'elsewhere' | 'running';

export interface Seen {
  plan?: Plan;
  whose?: Whose;
  others: readonly OtherPlan[];
}

export interface OtherPlan extends Plan {
  /** Whether it is of a session that may be running. */
  running: boolean;
  /** Whether it is of this branch and work tree, or at least of this work tree. */
  isHere: boolean;
  isOfTree: boolean;
}

const DAY_MS = 86_400_000;
/** Beyond this age a plan that somebody else left is one line beside; a branch vouches for its plan over a holiday. */
const PLAN_AGE_MS = DAY_MS;
const BRANCH_PLAN_AGE_MS = 14 * DAY_MS;

/**
 * The plan that a caller sees: a session its own on this branch; else that of the session it was forked from; else
 * the newest that an ended session or a person left on this branch; else its own of another branch. A person at the
 * shell sees the one that the file shows if it is of this branch, else the newest of this branch.
 * @param shown id of the plan in the file
 */
function seenPlan(plans: Plans, shown: string, place: Place): Seen {
  const { session, forkedFrom = [] } = place;
  const alive = [...plans.values()]
    .filter(({ content }) => content.trim() !== '')
    .sort((a, b) => b.at - a.at || b.number - a.number);
  const here = alive.filter((plan) => isHere(plan, place));
  const whoseOf = ({ session: owner, actor, at }: Plan): Whose => {
    if (owner === undefined) return 'workspace';
    // What a person changed since is no sign of the session.
    return place.hasEnded(owner, actor?.session === owner ? at : 0) ? 'left' : 'running';
  };
  const found = ((): Pick<Seen, 'plan' | 'whose'> => {
    if (session === undefined) {
      const plan = here.find(({ id }) => id === shown) ?? here.find(isOpen) ?? here[0];
      return plan === undefined ? {} : { plan, whose: whoseOf(plan) };
    }
    const own = here.find((plan) => plan.session === session);
    if (own !== undefined) return { plan: own, whose: 'own' };
    const parent = here.find((plan) => forkedFrom.includes(plan.session ?? ''));
    if (parent !== undefined) return { plan: parent, whose: 'parent' };
    const left = here.filter((plan) => whoseOf(plan) !== 'running' && !isStale(plan, place));
    const plan = left.find(isOpen) ?? left[0];
    if (plan !== undefined) return { plan, whose: whoseOf(plan) };
    const elsewhere = alive.find(
      (each) => each.session === session && isOpen(each) && isHere(each, { ...place, branch: each.branch }),
    );
    return elsewhere === undefined ? {} : { plan: elsewhere, whose: 'elsewhere' };
  })();
  const others = alive
    .filter((plan) => plan !== found.plan && isOpen(plan) && !forkedFrom.includes(plan.session ?? ''))
    // The same plan, such as of a branch that is gone, is not offered beside itself.
    .filter((plan) => whoseOf(plan) === 'running' || plan.content !== found.plan?.content)
    .sort((a, b) => a.number - b.number)
    .map((plan) => ({
      ...plan,
      running: whoseOf(plan) === 'running' && plan.session !== session,
      isHere: isHere(plan, place),
      isOfTree: plan.worktree === place.worktree,
    }));
  return { ...found, others };
}

/** Whether a plan is of this work tree and branch. A branch that is not known speaks for it. */
function isHere(plan: PlanKey, { worktree, branch, formerBranches }: PlanKey & Partial<Place>): boolean {
  if (plan.worktree !== worktree) return false;
  if (plan.branch === undefined || branch === undefined) return true;
  const isRenamed = formerBranches?.includes(plan.branch) === true;
  return plan.branch === branch || isRenamed || bothDetached(plan.branch, branch);
}

/** Nobody's work of now any more. */
function isStale(plan: Plan, place: Place): boolean {
  const vouched = plan.branch !== undefined && plan.branch === place.branch && isOpen(plan);
  return place.told !== true && place.now - plan.at >= (vouched ? BRANCH_PLAN_AGE_MS : PLAN_AGE_MS);
}

/** Operations that make a plan, instead of changing one. */
const MAKES: ReadonlySet<string> = new Set(['set', 'adopt', 'restore']);

/**
 * The plan that a caller's change is for: the one that they see, which a new plan replaces only if it is done, their
 * own, or left by a session that has ended. A session that goes on with a plan, and whoever makes a new one, owns it.
 */
function planToChange({ plan, whose }: Seen, op: string, plans: Plans, place: Place): PlanMark {
  const makes = MAKES.has(op);
  const isAnothers =
    whose === 'running' || whose === 'elsewhere' || (whose === 'workspace' && place.session !== undefined);
  if (plan === undefined || whose === 'parent' || (makes && isAnothers && isOpen(plan)))
    return another(plans, place);
  const stays = !makes && (whose === 'own' || whose === 'elsewhere' || place.session === undefined);
  return { ...keyOf(stays ? plan : place), id: plan.id, number: plan.number };
}

/** A new plan, or an empty one of the same place. */
function another(plans: Plans, key: PlanKey): PlanMark {
  const empty = [...plans.values()].find((plan) => plan.content.trim() === '' && sameKey(plan, key));
  if (empty !== undefined) return { ...keyOf(key), id: empty.id, number: empty.number };
  const isPlain = sameKey(key, {}) && !plans.has('');
  return { ...keyOf(key), id: isPlain ? '' : randomId(), number: nextNumber(plans) };
}

/** Eight hex digits, as in pi's session entries. */
export const randomId = (): string =>
  Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');

export interface PlanScope {
  see(plans: Plans, shown: string): Seen;
  /** The plan that a change of this caller is for. */
  target(op: string, plans: Plans, shown: string): PlanMark;
}

/** One plan of a journal, whoever asks; in a pad that belongs to one session there is only one. */
export function onePlan(id: string): PlanScope {
  return {
    see(plans) {
      const plan = plans.get(id);
      return plan === undefined || plan.content.trim() === ''
        ? { others: [] }
        : { plan, whose: 'workspace', others: [] };
    },
    target: (_, plans) => markOf(plans.get(id) ?? { id, number: 1 }),
  };
}

/** The pad that the sessions and people of a workspace share. */
export function planScope(place: Place): PlanScope {
  const see = (plans: Plans, shown: string): Seen => seenPlan(plans, shown, place);
  return {
    see,
    target: (op, plans, shown) => planToChange(see(plans, shown), op, plans, place),
  };
}
