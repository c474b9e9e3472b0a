import { join } from 'node:path';
import { exists, tryReadJson, tryStat } from '../base/fs/index.ts';
import { bothDetached } from '../base/git/place.ts';
import { membersOf } from '../base/text/json.ts';
import {
  isOpen,
  keyOf,
  markOf,
  nextNumber,
  type Plan,
  type PlanKey,
  type PlanMark,
  type Plans,
} from './plans.ts';
import { fileNameFor } from './workspace.ts';

/** Where and for whom a plan is looked up. */
export interface Place extends PlanKey {
  /** Epoch milliseconds. */
  now: number;
  /** Sessions whose window this one holds, because it was forked from them. */
  forkedFrom?: readonly string[];
  /** Whether the model was told the plan of another in its current window. */
  told?: boolean;
}

/** What the settings `scope` say. */
export interface PlanRules {
  branches: 'apart' | 'shared';
  worktrees: 'apart' | 'shared';
  /** Whether plans are shown however old they are. */
  anyAge?: true;
}

export const ONE_FOR_ALL: PlanRules = { branches: 'apart', worktrees: 'apart', anyAge: true };

const DAY_MS = 86_400_000;
/** Beyond this age a plan that somebody else left is described in one line: elsewhere, and on a branch of its own. */
const OLD_MS = DAY_MS;
const OLD_OF_BRANCH_MS = 14 * DAY_MS;

/**
 * Whose the plan is that a caller sees: `own` of this session here; `parent`: of the one that it was forked from;
 * `left` by a session that has ended; `workspace`: of no session; `elsewhere`: its own of another branch; `running`:
 * of a session that may be running, which only a person at the shell sees as the plan here.
 */
export type Whose = 'own' | 'parent' | 'left' | 'workspace' | 'elsewhere' | 'running';

export interface Seen {
  plan?: Plan;
  whose?: Whose;
  /** The other open plans of the workspace, by number. */
  others: readonly OtherPlan[];
}

export interface OtherPlan extends Plan {
  /** Whether it is of a session that may be running. */
  running: boolean;
  /** Whether it is of this branch and work tree, or at least of this work tree. */
  isHere: boolean;
  isOfTree: boolean;
  /** Whether it is of another repository, as where files were copied. */
  isForeign: boolean;
}

/**
 * The plan that a caller sees: a session its own on this branch; else that of the session it was forked from; else
 * the newest that an ended session or a person left on this branch; else its own of another branch. A person at the
 * shell sees the one that the file shows if it is of this branch, else the newest of this branch.
 * @param shown id of the plan in the file
 */
export function seenPlan(
  plans: Plans,
  shown: string,
  place: Place,
  rules: PlanRules,
  hasEnded: (session: string, lastSign: number) => boolean,
): Seen {
  const alive = [...plans.values()].filter(({ content }) => content.trim() !== '').sort(newestFirst);
  const here = alive.filter((plan) => isHere(plan, place, rules));
  const { session, forkedFrom = [] } = place;
  const whoseOf = (plan: Plan): Whose =>
    plan.session === undefined ? 'workspace' : hasEnded(plan.session, plan.sign ?? 0) ? 'left' : 'running';
  const found = ((): Pick<Seen, 'plan' | 'whose'> => {
    if (session === undefined) {
      const open = here.filter(isOpen);
      const plan = here.find(({ id }) => id === shown) ?? open[0] ?? here[0];
      return plan === undefined ? {} : { plan, whose: whoseOf(plan) };
    }
    const isOwn = (plan: Plan): boolean => plan.session === session;
    const own = here.find(isOwn);
    if (own !== undefined) return { plan: own, whose: 'own' };
    const parent = here.find((plan) => forkedFrom.includes(plan.session ?? ''));
    if (parent !== undefined) return { plan: parent, whose: 'parent' };
    const left = here.filter((plan) => whoseOf(plan) !== 'running' && !isStale(plan, place, rules));
    const plan = left.find(isOpen) ?? left.find(({ at }) => place.now - at < DAY_MS);
    if (plan !== undefined) return { plan, whose: whoseOf(plan) };
    const elsewhere = alive.find(
      (each) => isOwn(each) && isOpen(each) && isHere(each, { ...place, branch: each.branch }, rules),
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
      isHere: isHere(plan, place, rules),
      isOfTree: rules.worktrees === 'shared' || plan.worktree === place.worktree,
      isForeign: !isOfRepository(plan, place),
    }));
  return { ...found, others };
}

/** Whether a plan is of this work tree and branch. What is not known of it speaks for it. */
export function isHere(plan: PlanKey, place: PlanKey, rules: PlanRules): boolean {
  if (!isOfRepository(plan, place)) return false;
  const { branch: there } = plan;
  const { branch: here } = place;
  const sameTree = rules.worktrees === 'shared' || plan.worktree === place.worktree;
  const differs = there !== undefined && here !== undefined && there !== here && !bothDetached(there, here);
  return sameTree && (rules.branches === 'shared' || !differs);
}

/** A path says more than an address: a remote may have been added since. Where it is gone the repository was moved. */
export function isOfRepository(plan: PlanKey, place: PlanKey): boolean {
  const by = plan.repository !== undefined && exists(plan.repository) ? 'repository' : 'identity';
  const [there, here] = [plan[by], place[by]];
  return there === undefined || here === undefined || there === here;
}

/** Nobody's work of now any more. A branch vouches for its plan: a holiday does not end that work. */
function isStale(plan: Plan, place: Place, rules: PlanRules): boolean {
  if (place.told || rules.anyAge) return false;
  const vouched = plan.branch !== undefined && plan.branch === place.branch && isOpen(plan);
  return place.now - plan.at >= (vouched ? OLD_OF_BRANCH_MS : OLD_MS);
}

function newestFirst(a: Plan, b: Plan): number {
  return b.at - a.at || b.number - a.number;
}

/** Operations that make a plan, instead of changing one. */
const MAKES: ReadonlySet<string> = new Set(['set', 'adopt', 'restore']);

/**
 * The plan that a caller's change is for: the one that they see, which a new plan replaces only if it is done, their
 * own, or left by a session that has ended. A session that goes on with a plan, and whoever makes a new one, owns it.
 */
export function planToChange({ plan, whose }: Seen, op: string, plans: Plans, place: Place): PlanMark {
  const own = keyOf(place);
  const makes = MAKES.has(op);
  const isAnothers =
    whose === 'running' || whose === 'elsewhere' || (whose === 'workspace' && place.session !== undefined);
  if (plan === undefined || whose === 'parent' || (makes && isAnothers && isOpen(plan)))
    return another(plans, own);
  const stays = !makes && (whose === 'own' || whose === 'elsewhere' || place.session === undefined);
  return { ...(stays ? keyOf(plan) : own), id: plan.id, number: plan.number };
}

/** A new plan, or an empty one of the same place. */
export function another(plans: Plans, key: PlanKey): PlanMark {
  const empty = [...plans.values()].find(
    (plan) =>
      plan.content.trim() === '' &&
      (['worktree', 'branch', 'session'] as const).every((part) => plan[part] === key[part]),
  );
  if (empty !== undefined) return { ...keyOf(key), id: empty.id, number: empty.number };
  const number = nextNumber(plans);
  const plain = (['worktree', 'branch', 'session'] as const).every((part) => key[part] === undefined);
  const id =
    plain && !plans.has('')
      ? ''
      : Math.floor(Math.random() * 0x1_0000_0000)
          .toString(16)
          .padStart(8, '0');
  return { ...keyOf(key), id, number };
}

/** How one caller sees the plans of a journal. */
export interface PlanScope {
  see(plans: Plans, shown: string): Seen;
  /** The plan that a change of this caller is for. */
  target(op: string, plans: Plans, shown: string): PlanMark;
  /** Id of the plan that the file shows while this caller is at work; `undefined` for the one that it shows now. */
  atWork(plans: Plans, shown: string): string | undefined;
}

/** One plan of a journal, whoever asks. */
export function onePlan(id: string): PlanScope {
  return {
    see: (plans) => {
      const plan = plans.get(id);
      return { ...(plan && plan.content.trim() !== '' && { plan, whose: 'workspace' }), others: [] };
    },
    target: (_, plans) => {
      const plan = plans.get(id);
      return plan === undefined ? { id, number: 1 } : markOf(plan);
    },
    atWork: () => undefined,
  };
}

/** A pad that belongs to one session: there is one plan. */
export const ONE_PLAN = onePlan('');

/** The pad that the sessions and people of a workspace share. */
export function planScope(
  place: Place,
  rules: PlanRules,
  hasEnded: (session: string, lastSign: number) => boolean,
): PlanScope {
  const see = (plans: Plans, shown: string): Seen => seenPlan(plans, shown, place, rules, hasEnded);
  return {
    see,
    target: (op, plans, shown) => planToChange(see(plans, shown), op, plans, place),
    atWork: (plans, shown) => {
      const { plan, whose } = see(plans, shown);
      const isOfFile = place.worktree === undefined && plan?.worktree === undefined;
      // What another session left is shown once somebody goes on with it.
      const isTheirs = place.session !== undefined && (whose === 'left' || whose === 'parent');
      return isOfFile && !isTheirs ? plan?.id : undefined;
    },
  };
}

/**
 * A session that has been silent for so long has ended, if its host has not said so: no event, no record in its
 * transcript, no change of its plan.
 */
export const SILENT_MS = 30 * 60_000;
/** What happens within this time after an end is part of it. */
const ENDING_MS = 5000;
/** A time this far ahead is that of another clock. */
const AHEAD_MS = 120_000;

/**
 * Whether a host's session has ended: its end was reported and nothing came after it, or it has been silent.
 * @param data the workspace's `.scratchpad`
 * @param lastSign a time at which it was at work, epoch milliseconds
 */
export function sessionEnded(data: string, session: string, now: number, lastSign = 0): boolean {
  const file = recordOf(data, session);
  const { ended, place } = membersOf(tryReadJson(file, 'record'));
  const { path } = membersOf(place);
  const signs = [lastSign, changedAt(file), typeof path === 'string' ? changedAt(path) : 0];
  const last = Math.max(...signs.filter((at) => at < now + AHEAD_MS));
  if (typeof ended === 'number' && last - ended < ENDING_MS) return true;
  return now - last > SILENT_MS;
}

/** The sessions whose window a session holds, because it was forked from them. */
export function forkedFrom(data: string, session: string): string[] {
  const { forkedFrom: from } = membersOf(tryReadJson(recordOf(data, session), 'record'));
  return Array.isArray(from) ? from.filter((id): id is string => typeof id === 'string') : [];
}

/** What the hooks remember of a session. */
const recordOf = (data: string, session: string): string =>
  join(data, 'hosts', `${fileNameFor(session)}.json`);

function changedAt(path: string): number {
  return tryStat(path)?.mtimeMs ?? 0;
}
