import { safeLine } from '../safety/index.ts';
import { besideLine } from './plan-words.ts';
import type { PlanMark, Plans } from './plans.ts';
import { isOpen, type Place, type PlanRules, planToChange, type Seen, seenPlan } from './whose.ts';

/** How one caller sees the plans of a journal. */
export interface PlanScope {
  see(plans: Plans, shown: string): Seen;
  /** The plan that a change of this caller is for. */
  target(op: string, plans: Plans, shown: string): PlanMark;
  /** Id of the plan that the file shows while this caller is at work; `undefined` for the one that it shows now. */
  atWork(plans: Plans, shown: string): string | undefined;
  /** The lines on other open plans in the file. */
  beside(plans: Plans, shown: string): string;
}

/** A pad that belongs to one session: there is one plan. */
export const ONE_PLAN: PlanScope = {
  see: (plans) => {
    const plan = plans.get('');
    return { ...(plan && plan.content.trim() !== '' && { plan, whose: 'workspace' }), others: [] };
  },
  target: () => ({ id: '', number: 1 }),
  atWork: () => undefined,
  beside: () => '',
};

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
    beside: (plans, shown) =>
      [...plans.values()]
        .filter((plan) => plan.id !== shown && isOpen(plan))
        .sort((a, b) => a.number - b.number)
        .map((plan) => safeLine(besideLine(plan)))
        .join('\n'),
  };
}
