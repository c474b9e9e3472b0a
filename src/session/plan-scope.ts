import type { PlanMark, Plans } from './plans.ts';
import { markOf, type Place, type PlanRules, planToChange, type Seen, seenPlan } from './whose.ts';

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
