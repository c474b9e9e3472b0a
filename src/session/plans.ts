import { isDetached } from '../base/git/place.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { DAY_MS, HOUR_MS } from '../base/text/strings.ts';
import { collapseText, getPlanTitle, parseSteps, renderProgress } from '../pad/steps.ts';
import { type Actor, abbreviateSession } from './actor.ts';
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

export function findNextNumber(plans: Plans): number {
  return Math.max(0, ...[...plans.values()].map(({ number }) => number)) + 1;
}

/**
 * A history as if there were only one plan: what each caller walks, merges and shares.
 * @param id `undefined` for no plan at all
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
  const where = worktree === undefined ? branch : `the work tree ${worktree}`;
  return collapseText([who, where].filter(Boolean).join(' on '));
}

/** `plan 2 of session 7c1f0a52 on main (Migrate the database, 0 of 3 done)`. */
export function describePlan(plan: PlanMark & Pick<Plan, 'content'>): string {
  const owner = describeOwner(plan);
  const name = owner === '' ? `plan ${plan.number}` : `plan ${plan.number} of ${owner}`;
  return sanitizeLine(`${name} (${getPlanTitle(plan.content)}, ${renderProgress(plan.content)})`);
}

/** `branch feat/login`, `branch fix in work tree b, which is gone`: where a plan was made; empty for no labels. */
export function describeOrigin({ branch, worktree }: PlanKey, place: PlanPlace): string {
  const tree = worktree === place.worktree || branch === place.branch ? undefined : worktree;
  const names = [branch && `branch ${branch}`, tree && `work tree ${tree}`].filter(Boolean).join(' in ');
  const isGone =
    (branch !== undefined && !place.hasBranch(branch)) || (tree !== undefined && !place.hasWorktree(tree));
  return sanitizeLine(isGone ? `${names}, which is gone` : names);
}

export function renderOtherPlans(plans: Plans, shown: string | undefined): string {
  return [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => `- ${describePlan(plan).replace('p', 'P')}`)
    .join('\n');
}

/** The host's session that asks, and what its window holds. */
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
  hasWorktree(name: string): boolean;
}

/**
 * Whose the plan is that a caller sees: `own`; `parent`: of the session that it was forked from; `left` by a session
 * that has ended, or by a person; `elsewhere`: its own of another branch; `file`: what SCRATCHPAD.md shows to a person.
 */
type PlanOwnership = 'own' | 'parent' | 'left' | 'elsewhere' | 'file';

export interface VisiblePlan {
  plan?: Plan;
  whose?: PlanOwnership;
  /** Where the plan was made, if not here: `branch fix, which is gone`. */
  origin?: string | undefined;
  others: readonly OtherPlan[];
}

export interface OtherPlan extends Plan {
  running: boolean;
  /** Whether it is of this work tree and branch, or of what is gone. */
  isHere: boolean;
  /** Whether it is of this work tree, or of one that is gone: others do other work. */
  isNear: boolean;
  isWorktreeGone: boolean;
}

/** One way to find the plan of a caller: the newest that it matches, if asked an open one before any other. */
interface PlanRule {
  name: PlanOwnership;
  prefersOpen?: true;
  matches(plan: Plan, place: PlanPlace): boolean;
}

const SESSION_RULES: readonly PlanRule[] = [
  { name: 'own', matches: (plan, place) => isOwn(plan, place) && isHere(plan, place) },
  {
    name: 'parent',
    matches: (plan, place) => place.forkedFrom?.includes(plan.session ?? '') === true && isHere(plan, place),
  },
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

/** Whether the labels of a plan fit, or name what was renamed, merged or deleted. */
function isHere(plan: PlanKey, place: PlanPlace): boolean {
  const { worktree, branch } = plan;
  // Git has a branch in one work tree at a time: its plan comes along.
  const isAlong = branch !== undefined && branch === place.branch && !isDetached(branch);
  const isOther = worktree !== place.worktree && !isAlong;
  if (isOther && (worktree === undefined || place.hasWorktree(worktree))) return false;
  return isOnBranch(plan, place) || branch === undefined || !place.hasBranch(branch);
}

function isOnBranch({ branch }: PlanKey, place: PlanPlace): boolean {
  if (branch === undefined || place.branch === undefined) return true;
  return branch === place.branch || (isDetached(branch) && isDetached(place.branch));
}

/** What a person changed since is no sign of the session. */
function isRunning({ session, actor, at }: Plan, place: PlanPlace): boolean {
  return session !== undefined && !place.hasEnded(session, actor?.session === session ? at : 0);
}

/** Beyond this age a plan that somebody else left is one line beside; a branch vouches for its plan over a holiday. */
const PLAN_AGE_MS = DAY_MS;
const BRANCH_PLAN_AGE_MS = 14 * DAY_MS;
/** A plan changed this recently belongs to a loop of one-shot runs. */
const ONE_SHOT_AGE_MS = HOUR_MS;

function isStale(plan: Plan, { toldPlan, oneShot, branch, now }: PlanPlace): boolean {
  const isOfBranch = plan.branch !== undefined && plan.branch === branch && isOpen(plan);
  const usual = isOfBranch ? BRANCH_PLAN_AGE_MS : PLAN_AGE_MS;
  return plan.id !== toldPlan && now - plan.at >= (oneShot === true ? ONE_SHOT_AGE_MS : usual);
}

/** The plan that a caller sees, by the first rule that finds one, and the other open ones. */
export function findVisiblePlan(plans: Plans, place: PlanPlace): VisiblePlan {
  const alive = [...plans.values()].filter(({ content }) => content.trim() !== '').reverse();
  // A plan of this branch goes before one of a branch that is gone.
  const ranked = [
    ...alive.filter((plan) => isOnBranch(plan, place)),
    ...alive.filter((plan) => !isOnBranch(plan, place)),
  ];
  const found = ((): Pick<VisiblePlan, 'plan' | 'whose'> => {
    for (const { name, prefersOpen, matches } of place.session === undefined ? FILE_RULES : SESSION_RULES) {
      const matching = ranked.filter((plan) => matches(plan, place));
      const plan = (prefersOpen && matching.find(isOpen)) || matching[0];
      if (plan !== undefined) return { plan, whose: name };
    }

    return {};
  })();

  const others = alive
    .filter((plan) => plan !== found.plan && !place.forkedFrom?.includes(plan.session ?? ''))
    .filter((plan) => isOpen(plan) || (plan.id === place.toldPlan && isRunning(plan, place)))
    .sort((a, b) => a.number - b.number)
    .map((plan) => ({
      ...plan,
      running: isRunning(plan, place) && !isOwn(plan, place),
      isHere: isHere(plan, place),
      isNear: plan.worktree === place.worktree || isWorktreeGone(plan, place),
      isWorktreeGone: isWorktreeGone(plan, place),
    }))
    // The same plan, such as of a branch that is gone, is not offered beside itself.
    .filter((plan) => plan.running || plan.content !== found.plan?.content);

  const { plan } = found;
  const isAway = plan !== undefined && (!isOnBranch(plan, place) || isWorktreeGone(plan, place));
  return { ...found, origin: isAway ? describeOrigin(plan, place) : undefined, others };
}

const isWorktreeGone = ({ worktree }: PlanKey, place: PlanPlace): boolean =>
  worktree !== undefined && !place.hasWorktree(worktree);

/** The plan that a caller changed last here, if that was an undo: it may be empty since. */
export function findUndonePlan(revisions: readonly Revision[], place: PlanPlace): string | undefined {
  const getUndone = (revision: Revision): PlanMark | undefined => {
    const undone = revisions.find(({ rev }) => revision.op === 'undo' && rev === revision.of);
    return (undone ?? revision).plan;
  };
  const last = revisions.findLast(
    (revision) =>
      revision.space === 'plan' &&
      revision.actor?.session === place.session &&
      isHere(getUndone(revision) ?? {}, place),
  );

  return last?.op === 'undo' ? (getUndone(last)?.id ?? '') : undefined;
}

/** The plan in the main work tree that was changed last: a file that names no plan shows this one. */
export function findLastChanged(plans: Plans): Plan | undefined {
  return [...plans.values()].findLast(({ worktree }) => worktree === undefined);
}

/** Operations that make a plan, instead of changing one. */
const MAKES: ReadonlySet<string> = new Set(['set', 'adopt', 'restore']);

/**
 * The plan that a caller's change is for: the one that they see. Who makes a plan over somebody else's open one sets
 * that aside, and a session that goes on with one owns it.
 */
export function choosePlanToChange(op: string, plans: Plans, place: PlanPlace): PlanMark {
  const { plan, whose } = findVisiblePlan(plans, place);
  const makes = MAKES.has(op);
  const isMine = plan !== undefined && isOwn(plan, place);
  // The plan of a branch that is gone may have come from any other.
  const replaces = isMine && whose !== 'elsewhere' && plan !== undefined && isOnBranch(plan, place);
  const setsAside = makes && plan !== undefined && isOpen(plan) && !replaces;
  if (plan === undefined || whose === 'parent' || setsAside) return createPlan(plans, place);

  // On a branch, what comes from one that is gone belongs to it from now on.
  const isAdopted = !isOnBranch(plan, place) && whose !== 'elsewhere' && !isDetached(place.branch ?? '');
  const stays = !makes && (isMine || place.session === undefined) && !isAdopted;
  return { ...pickKey(stays ? plan : place), id: plan.id, number: plan.number };
}

/** A new plan, or an empty one of the same place. */
export function createPlan(plans: Plans, key: PlanKey): PlanMark {
  const empty = [...plans.values()].find((plan) => plan.content.trim() === '' && isSameKey(plan, key));
  if (empty !== undefined) return pickMark(empty);
  const isPlain = isSameKey(key, {}) && !plans.has('');
  return { ...pickKey(key), id: isPlain ? '' : createId(), number: findNextNumber(plans) };
}

/** Eight hex digits, as in pi's session entries. */
export const createId = (): string =>
  Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
