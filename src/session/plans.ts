import { isDetached } from '../base/git/place.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { DAY_MS, HOUR_MS } from '../base/text/durations.ts';
import { quoteName } from '../base/text/strings.ts';
import { renderPlanTitle, renderProgress } from '../pad/plan-title.ts';
import { parseSteps } from '../pad/steps.ts';
import { type Actor, abbreviateSession, isOfOtherChat } from './actor.ts';
import type { Author, Revision, Spaces } from './journal.ts';
import { isSameKey, type PlanKey, type PlanMark, pickKey, pickMark } from './plan-key.ts';

export interface Plan extends PlanMark {
  content: string;
  /** The last change, epoch milliseconds. */
  at: number;
  by: Author;
  actor?: Actor | undefined;
}

/** All plans of a journal, the one that was changed last at the end. */
export type Plans = ReadonlyMap<string, Plan>;

export function isOpen({ content }: Pick<Plan, 'content'>): boolean {
  const steps = parseSteps(content);
  return content.trim() !== '' && (steps.length === 0 || steps.some(({ done }) => !done));
}

/** @param follow the present name of a branch that had a name at a time: a plan stays with it */
export function replayPlans(
  revisions: Iterable<Revision>,
  follow: (branch: string, at: number) => string = (branch) => branch,
): Map<string, Plan> {
  const plans = new Map<string, Plan>();
  for (const { space, content, timestamp, by, actor, plan: mark } of revisions) {
    if (space !== 'plan') continue;
    const before = plans.get(mark?.id ?? '');
    const { number = before?.number ?? 1, id = '', ...key } = mark ?? {};
    putPlan(plans, { ...key, id, number, content, at: Date.parse(timestamp) || 0, by, actor });
  }

  for (const plan of plans.values())
    if (plan.branch !== undefined && plan.content.trim() !== '') plan.branch = follow(plan.branch, plan.at);

  return plans;
}

/** Adds or changes a plan, which is then the last. */
export function putPlan(plans: Map<string, Plan>, plan: Plan): void {
  plans.delete(plan.id);
  plans.set(plan.id, plan);
}

export const findNextNumber = (plans: Plans): number =>
  Math.max(0, ...[...plans.values()].map(({ number }) => number)) + 1;

/**
 * The history of the notes, the refs and one plan. The revisions of other plans are in `elsewhere`.
 * @param id of the plan; `undefined` for none
 */
export function filterHistory<
  Journal extends { revisions: readonly Revision[]; base: Spaces; bases: readonly Revision[] },
>(history: Journal, id: string | undefined): Journal & { elsewhere?: readonly Revision[] } {
  const isSamePlan = ({ space, plan }: Revision): boolean => space !== 'plan' || (plan?.id ?? '') === id;
  if (history.bases.every(isSamePlan) && history.revisions.every(isSamePlan)) return history;

  const plan = history.bases.findLast((base) => base.space === 'plan' && isSamePlan(base))?.content ?? '';

  return {
    ...history,
    revisions: history.revisions.filter(isSamePlan),
    elsewhere: history.revisions.filter((revision) => !isSamePlan(revision)),
    base: { ...history.base, plan },
  };
}

/** `session 7c1f0a52 on feat/login`, `the work tree feature`; empty for a plan without labels. */
export function describeOwner({ session, branch, worktree }: PlanKey): string {
  const who = session === undefined ? '' : `session ${abbreviateSession(session)}`;
  const where = worktree === undefined ? branch && quoteName(branch) : `the work tree ${quoteName(worktree)}`;
  return [who, where].filter(Boolean).join(' on ');
}

/** `plan 2 of session 7c1f0a52 on main (Migrate the database, 0 of 3 done)`. */
export function describePlan(plan: PlanMark & Pick<Plan, 'content'> & { isOfOtherChat?: boolean }): string {
  const owner = describeOwner(plan);
  const name = owner === '' ? `plan ${plan.number}` : `plan ${plan.number} of ${owner}`;
  return sanitizeLine(
    `${name} (${renderPlanTitle(plan.content, plan.isOfOtherChat)}, ${renderProgress(plan.content)})`,
  );
}

/** `branch feat/login`, `branch fix in work tree b, which is gone`: where a plan was made; empty for no labels. */
export function describeOrigin({ branch, worktree }: PlanKey, place: PlanPlace): string {
  const tree = worktree === place.worktree || branch === place.branch ? undefined : worktree;
  const names = [branch && `branch ${quoteName(branch)}`, tree && `work tree ${quoteName(tree)}`]
    .filter(Boolean)
    .join(' in ');
  if (names === '') return '';

  const isGone =
    (branch !== undefined && !place.hasBranch(branch)) || (tree !== undefined && !place.hasWorktree(tree));
  return sanitizeLine(isGone ? `${names}, which is gone` : names);
}

export const renderOtherPlans = (plans: Plans, shown: string | undefined): string =>
  [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => `- ${describePlan(plan).replace('p', 'P')}`)
    .join('\n');

/** The host's session of a caller, and which plan its window holds. */
export interface PlanReader {
  session?: string | undefined;
  /** Sessions whose window this one holds, because it was forked from them. */
  forkedFrom?: readonly string[] | undefined;
  /** Id of the plan that the model was shown in its current window. */
  toldPlan?: string | undefined;
  /** A run that answers one prompt and ends. */
  oneShot?: boolean | undefined;
}

export interface PlanPlace extends PlanKey, PlanReader {
  /** Epoch milliseconds. */
  now: number;
  /** @param lastSign a time at which the session was at work, epoch milliseconds */
  hasEnded(session: string, lastSign: number): boolean;
  hasBranch(name: string): boolean;
  /** Whether a branch was made after a time, epoch milliseconds. */
  isBranchNewer(name: string, at: number): boolean;
  hasWorktree(name: string): boolean;
}

/**
 * The owner of the plan that a caller sees. `own`: of its session; `parent`: of the session that it was forked from; `left`: by a session
 * that has ended, or by a person; `elsewhere`: its own, on another branch; `file`: the one in SCRATCHPAD.md, for a person.
 */
type PlanOwnership = 'own' | 'parent' | 'left' | 'elsewhere' | 'file';

export interface VisiblePlan {
  plan?: Plan;
  whose?: PlanOwnership;
  /** The branch or work tree of the plan, if it is not here: `branch fix, which is gone`. */
  origin?: string | undefined;
  others: readonly OtherPlan[];
}

export interface OtherPlan extends Plan {
  running: boolean;
  /** Whether it was made in this work tree and branch, or in one that is gone. */
  isHere: boolean;
  /** Whether it was made in this work tree, or in one that is gone. */
  isNear: boolean;
  isWorktreeGone: boolean;
  /** Whether other people than the reader may have given its words. */
  isOfOtherChat: boolean;
}

interface PlanRule {
  name: PlanOwnership;
  /** An open plan goes before a newer one that is done. */
  prefersOpen?: true;
  matches(plan: Plan, place: PlanPlace): boolean;
}

const SESSION_RULES: readonly PlanRule[] = [
  { name: 'own', matches: (plan, place) => isOwn(plan, place) && isHere(plan, place) },
  { name: 'parent', matches: (plan, place) => isOfParent(plan, place) && isHere(plan, place) },
  {
    name: 'left',
    prefersOpen: true,
    matches: (plan, place) => isHere(plan, place) && !isRunning(plan, place) && !isStale(plan, place),
  },
  {
    name: 'elsewhere',
    matches: (plan, place) => isOwn(plan, place) && isOpen(plan) && plan.worktree === place.worktree,
  },
];

/** A person at the shell and the file have the same view, so that they agree. */
const FILE_RULES: readonly PlanRule[] = [{ name: 'file', matches: isHere }];

const isOwn = (plan: PlanKey, place: PlanPlace): boolean => plan.session === place.session;

const isOfParent = ({ session }: PlanKey, { forkedFrom }: PlanPlace): boolean =>
  session !== undefined && forkedFrom?.includes(session) === true;

/**
 * Whether a plan's labels fit the place, or name a work tree and branch that were merged or deleted. A branch that was made
 * after the plan's last change, at `at`, starts empty.
 */
function isHere(plan: PlanKey & { at?: number }, place: PlanPlace): boolean {
  const { worktree, branch, at = Infinity } = plan;
  // Git has a branch in one work tree at a time: where the branch moved, its plan moved along.
  const isSameBranch = branch !== undefined && branch === place.branch && !isDetached(branch);
  const isOtherWorktree = worktree !== place.worktree && !isSameBranch;
  // A tracked file is git's: without a branch, nothing says that a plan of a removed work tree belongs in it.
  if (isOtherWorktree && (branch === undefined || !isWorktreeGone(plan, place))) return false;

  if (isOnBranch(plan, place) || branch === undefined || place.branch === undefined) return true;
  return !place.hasBranch(branch) && !place.isBranchNewer(place.branch, at);
}

function isOnBranch({ branch }: PlanKey, place: PlanPlace): boolean {
  if (branch === undefined || place.branch === undefined) return true;
  return branch === place.branch || (isDetached(branch) && isDetached(place.branch));
}

/** Whether the session of a plan is at work; a change that a person made to its plan does not show that. */
const isRunning = ({ session, actor, at }: Plan, place: PlanPlace): boolean =>
  session !== undefined && !place.hasEnded(session, actor?.session === session ? at : 0);

/** An older plan that somebody else left is only listed beside. */
const PLAN_AGE_MS = DAY_MS;
/** The same for an open plan of the branch that is checked out, which outlasts a holiday. */
const BRANCH_PLAN_AGE_MS = 14 * DAY_MS;
/** The same for a run that answers one prompt: a recent plan belongs to the same loop of runs. */
const ONE_SHOT_AGE_MS = HOUR_MS;

function isStale(plan: Plan, { toldPlan, oneShot, branch, now }: PlanPlace): boolean {
  if (plan.id === toldPlan) return false;

  const age = now - plan.at;
  if (oneShot === true) return age >= ONE_SHOT_AGE_MS;

  const isOfBranch = plan.branch !== undefined && plan.branch === branch && isOpen(plan);
  return age >= (isOfBranch ? BRANCH_PLAN_AGE_MS : PLAN_AGE_MS);
}

/** The plan that a caller sees, by the first rule that finds one, and the other open ones. */
export function findVisiblePlan(plans: Plans, place: PlanPlace): VisiblePlan {
  const newestFirst = [...plans.values()].filter(({ content }) => content.trim() !== '').reverse();
  const visible = applyRules(newestFirst, place);
  const { plan } = visible;
  const isAway = plan !== undefined && (!isOnBranch(plan, place) || isWorktreeGone(plan, place));
  const origin = isAway ? describeOrigin(plan, place) : undefined;
  return { ...visible, origin, others: listOtherPlans(newestFirst, plan, place) };
}

function applyRules(newestFirst: readonly Plan[], place: PlanPlace): Pick<VisiblePlan, 'plan' | 'whose'> {
  // A plan of this branch goes before one of a branch that is gone.
  const ranked = [
    ...newestFirst.filter((plan) => isOnBranch(plan, place)),
    ...newestFirst.filter((plan) => !isOnBranch(plan, place)),
  ];

  for (const { name, prefersOpen, matches } of place.session === undefined ? FILE_RULES : SESSION_RULES) {
    const matching = ranked.filter((plan) => matches(plan, place));
    const plan = (prefersOpen && matching.find(isOpen)) || matching[0];
    if (plan !== undefined) return { plan, whose: name };
  }

  return {};
}

function listOtherPlans(plans: readonly Plan[], visible: Plan | undefined, place: PlanPlace): OtherPlan[] {
  return (
    plans
      .filter((plan) => plan !== visible && !isOfParent(plan, place))
      .filter((plan) => isOpen(plan) || (plan.id === place.toldPlan && isRunning(plan, place)))
      .sort((a, b) => a.number - b.number)
      .map((plan) => ({
        ...plan,
        running: isRunning(plan, place) && !isOwn(plan, place),
        isHere: isHere(plan, place),
        isNear: plan.worktree === place.worktree || isWorktreeGone(plan, place),
        isWorktreeGone: isWorktreeGone(plan, place),
        isOfOtherChat: isOfOtherChat(plan.session, place.session),
      }))
      // The same plan, such as of a branch that is gone, is not offered beside itself.
      .filter((plan) => plan.running || plan.content !== visible?.content)
  );
}

const isWorktreeGone = ({ worktree }: PlanKey, place: PlanPlace): boolean =>
  worktree !== undefined && !place.hasWorktree(worktree);

/** Id of the plan that a caller changed last here, if that change was an undo; the plan may be empty since. */
export function findUndonePlan(revisions: readonly Revision[], place: PlanPlace): string | undefined {
  const getUndone = (revision: Revision): PlanMark | undefined => {
    const undone = revisions.find(({ rev }) => revision.op === 'undo' && rev === revision.of);
    return (undone ?? revision).plan;
  };
  const last = revisions
    .filter(({ space, actor }) => space === 'plan' && actor?.session === place.session)
    .findLast((revision) => isHere(getUndone(revision) ?? {}, place));

  return last?.op === 'undo' ? (getUndone(last)?.id ?? '') : undefined;
}

/** The last changed plan of the main work tree, which a file without `PLAN_FIELD` shows. */
export const findLastChanged = (plans: Plans): Plan | undefined =>
  [...plans.values()].findLast(({ worktree }) => worktree === undefined);

/** Operations that write a whole plan, instead of changing one. */
const WHOLE_PLAN_OPERATIONS: ReadonlySet<string> = new Set(['set', 'adopt', 'restore']);

/**
 * The plan that a caller's change is for: the one that they see. A whole new plan sets somebody else's open one aside, and
 * a session that changes another's plan owns it from then on.
 */
export function choosePlanToChange(op: string, plans: Plans, place: PlanPlace): PlanMark {
  const { plan, whose } = findVisiblePlan(plans, place);
  if (plan === undefined || whose === 'parent') return createPlan(plans, place);

  const isWhole = WHOLE_PLAN_OPERATIONS.has(op);
  const isMine = isOwn(plan, place);
  // A plan of another branch, even of one that is gone, is not replaced.
  const isReplaceable = isMine && whose !== 'elsewhere' && isOnBranch(plan, place);
  if (isWhole && isOpen(plan) && !isReplaceable) return createPlan(plans, place);

  // On a branch, the plan of one that is gone becomes its own.
  const isAdopted = !isOnBranch(plan, place) && whose !== 'elsewhere' && !isDetached(place.branch ?? '');
  const keepsOwner = !isWhole && (isMine || place.session === undefined) && !isAdopted;
  return { ...pickKey(keepsOwner ? plan : place), id: plan.id, number: plan.number };
}

/** The mark of a new plan, or of an empty one with the same labels. */
export function createPlan(plans: Plans, key: PlanKey): PlanMark {
  const empty = [...plans.values()].find((plan) => plan.content.trim() === '' && isSameKey(plan, key));
  if (empty !== undefined) return pickMark(empty);

  const isFirstWithoutLabels = isSameKey(key, {}) && !plans.has('');
  return { ...pickKey(key), id: isFirstWithoutLabels ? '' : createId(), number: findNextNumber(plans) };
}

/** Eight hex digits, as in pi's session entries. */
export const createId = (): string => crypto.randomUUID().slice(0, 8);
