import { findGitPlace, isDetachedPair } from '../base/git/place.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { toMembers } from '../base/text/json.ts';
import { collapseText, getPlanTitle, parseSteps, renderProgress } from '../pad/steps.ts';
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
  const { id, number, ...rest } = toMembers(value);
  if (typeof id !== 'string' || typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return { id, number, ...parseKey(rest) };
}

export function parseKey(value: Readonly<Record<string, unknown>>): PlanKey {
  return Object.fromEntries(
    KEYS.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key]]] : [])),
  );
}

export const pickKey = ({ worktree, branch, session }: PlanKey): PlanKey =>
  parseKey({ worktree, branch, session });

/** The key of a plan that is made in a folder: its place in git. */
export function readFolderKey(folder: string): PlanKey {
  const { linked, branch } = findGitPlace(folder) ?? {};
  return pickKey({ worktree: linked, branch });
}

export const pickMark = (plan: PlanMark): PlanMark => ({
  ...pickKey(plan),
  id: plan.id,
  number: plan.number,
});

export function isOpen({ content }: Pick<Plan, 'content'>): boolean {
  const steps = parseSteps(content);
  return content.trim() !== '' && (steps.length === 0 || steps.some(({ done }) => !done));
}

export function isSameKey(a: PlanKey, b: PlanKey): boolean {
  return KEYS.every((key) => a[key] === b[key]);
}

export function replayPlans(revisions: Iterable<Revision>): Map<string, Plan> {
  const plans = new Map<string, Plan>();
  for (const { space, content, timestamp, by, actor, plan: mark } of revisions) {
    if (space !== 'plan') continue;
    const existing = plans.get(mark?.id ?? '');
    const { number = existing?.number ?? 1, id = '', ...key } = mark ?? {};
    plans.set(id, { ...key, id, number, content, at: Date.parse(timestamp) || 0, by, actor });
  }

  return plans;
}

export function findNextNumber(plans: Plans): number {
  return Math.max(0, ...[...plans.values()].map(({ number }) => number)) + 1;
}

/** A history as if there were only one plan: what each caller walks, merges and shares. */
export function filterHistory<
  Kept extends { revisions: readonly Revision[]; base: Spaces; bases: readonly Revision[] },
>(history: Kept, id: string): Kept & { elsewhere?: readonly Revision[] } {
  const isSamePlan = ({ space, plan }: Revision): boolean => space !== 'plan' || (plan?.id ?? '') === id;
  if (history.bases.every(isSamePlan) && history.revisions.every(isSamePlan) && id === '') return history;

  const plan = history.bases.findLast((base) => base.space === 'plan' && isSamePlan(base))?.content ?? '';

  return {
    ...history,
    revisions: history.revisions.filter(isSamePlan),
    elsewhere: history.revisions.filter((revision) => !isSamePlan(revision)),
    base: { ...history.base, plan },
  };
}

const SESSION_SHOWN = 8;

/** `session 7c1f0a52 on feat/login`, `work tree feature`; empty for a plan that nothing is known of. */
export function describeOwner({ session, branch, worktree }: PlanKey): string {
  const who = session === undefined ? '' : `session ${session.slice(0, SESSION_SHOWN)}`;
  const where = worktree === undefined ? branch : `the work tree ${worktree}`;
  return collapseText([who, where].filter(Boolean).join(' on '));
}

/** The lines on other open plans in the file: `- Plan 2, of session 7c1f0a52: Migrate the db (0 of 3 done)`. */
export function renderOtherPlans(plans: Plans, shown: string | undefined): string {
  return [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => {
      const owner = describeOwner(plan);
      const of = owner === '' ? '' : `, of ${owner}`;
      return `- ${sanitizeLine(`Plan ${plan.number}${of}: ${getPlanTitle(plan.content)} (${renderProgress(plan.content)})`)}`;
    })
    .join('\n');
}

/** Where and for whom a plan is looked up. */
export interface PlanPlace extends PlanKey {
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
export type PlanOwnership = 'own' | 'parent' | 'left' | 'workspace' | 'elsewhere' | 'running';

export interface VisiblePlan {
  plan?: Plan;
  whose?: PlanOwnership;
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
function findSeenPlan(plans: Plans, shown: string, place: PlanPlace): VisiblePlan {
  const { session, forkedFrom = [] } = place;
  const alive = [...plans.values()]
    .filter(({ content }) => content.trim() !== '')
    .sort((a, b) => b.at - a.at || b.number - a.number);
  const here = alive.filter((plan) => isSamePlan(plan, place));
  const pickOwner = ({ session: owner, actor, at }: Plan): PlanOwnership => {
    if (owner === undefined) return 'workspace';
    // What a person changed since is no sign of the session.
    return place.hasEnded(owner, actor?.session === owner ? at : 0) ? 'left' : 'running';
  };

  const found = ((): Pick<VisiblePlan, 'plan' | 'whose'> => {
    if (session === undefined) {
      const plan = here.find(({ id }) => id === shown) ?? here.find(isOpen) ?? here[0];
      return plan === undefined ? {} : { plan, whose: pickOwner(plan) };
    }

    const own = here.find((plan) => plan.session === session);
    if (own !== undefined) return { plan: own, whose: 'own' };

    const parent = here.find((plan) => forkedFrom.includes(plan.session ?? ''));
    if (parent !== undefined) return { plan: parent, whose: 'parent' };

    const left = here.filter((plan) => pickOwner(plan) !== 'running' && !isStale(plan, place));
    const plan = left.find(isOpen) ?? left[0];

    if (plan !== undefined) return { plan, whose: pickOwner(plan) };

    const elsewhere = alive.find(
      (each) =>
        each.session === session && isOpen(each) && isSamePlan(each, { ...place, branch: each.branch }),
    );

    return elsewhere === undefined ? {} : { plan: elsewhere, whose: 'elsewhere' };
  })();

  const others = alive
    .filter((plan) => plan !== found.plan && isOpen(plan) && !forkedFrom.includes(plan.session ?? ''))
    // The same plan, such as of a branch that is gone, is not offered beside itself.
    .filter((plan) => pickOwner(plan) === 'running' || plan.content !== found.plan?.content)
    .sort((a, b) => a.number - b.number)
    .map((plan) => ({
      ...plan,
      running: pickOwner(plan) === 'running' && plan.session !== session,
      isHere: isSamePlan(plan, place),
      isOfTree: plan.worktree === place.worktree,
    }));

  return { ...found, others };
}

/** Whether a plan is of this work tree and branch. A branch that is not known speaks for it. */
function isSamePlan(
  plan: PlanKey,
  { worktree, branch, formerBranches }: PlanKey & Partial<PlanPlace>,
): boolean {
  if (plan.worktree !== worktree) return false;
  if (plan.branch === undefined || branch === undefined) return true;
  const isRenamed = formerBranches?.includes(plan.branch) === true;
  return plan.branch === branch || isRenamed || isDetachedPair(plan.branch, branch);
}

/** Nobody's work of now any more. */
function isStale(plan: Plan, place: PlanPlace): boolean {
  const vouched = plan.branch !== undefined && plan.branch === place.branch && isOpen(plan);
  return place.told !== true && place.now - plan.at >= (vouched ? BRANCH_PLAN_AGE_MS : PLAN_AGE_MS);
}

/** Operations that make a plan, instead of changing one. */
const MAKES: ReadonlySet<string> = new Set(['set', 'adopt', 'restore']);

/**
 * The plan that a caller's change is for: the one that they see, which a new plan replaces only if it is done, their
 * own, or left by a session that has ended. A session that goes on with a plan, and whoever makes a new one, owns it.
 */
function planToChange({ plan, whose }: VisiblePlan, op: string, plans: Plans, place: PlanPlace): PlanMark {
  const makes = MAKES.has(op);
  const isAnothers =
    whose === 'running' || whose === 'elsewhere' || (whose === 'workspace' && place.session !== undefined);
  if (plan === undefined || whose === 'parent' || (makes && isAnothers && isOpen(plan)))
    return createPlan(plans, place);

  const stays = !makes && (whose === 'own' || whose === 'elsewhere' || place.session === undefined);

  return { ...pickKey(stays ? plan : place), id: plan.id, number: plan.number };
}

function createPlan(plans: Plans, key: PlanKey): PlanMark {
  const empty = [...plans.values()].find((plan) => plan.content.trim() === '' && isSameKey(plan, key));
  if (empty !== undefined) return { ...pickKey(key), id: empty.id, number: empty.number };
  const isPlain = isSameKey(key, {}) && !plans.has('');
  return { ...pickKey(key), id: isPlain ? '' : createId(), number: findNextNumber(plans) };
}

/** Eight hex digits, as in pi's session entries. */
export const createId = (): string =>
  Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');

export interface PlanScope {
  see(plans: Plans, shown: string): VisiblePlan;
  /** The plan that a change of this caller is for. */
  target(op: string, plans: Plans, shown: string): PlanMark;
}

/** One plan of a journal, whoever asks; in a pad that belongs to one session there is only one. */
export function makeSinglePlanScope(id: string): PlanScope {
  return {
    see(plans) {
      const plan = plans.get(id);
      return plan === undefined || plan.content.trim() === ''
        ? { others: [] }
        : { plan, whose: 'workspace', others: [] };
    },
    target: (_, plans) => pickMark(plans.get(id) ?? { id, number: 1 }),
  };
}

/** The pad that the sessions and people of a workspace share. */
export function planScope(place: PlanPlace): PlanScope {
  const see = (plans: Plans, shown: string): VisiblePlan => findSeenPlan(plans, shown, place);
  return {
    see,
    target: (op, plans, shown) => planToChange(see(plans, shown), op, plans, place),
  };
}
