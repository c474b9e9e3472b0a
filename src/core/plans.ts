import { refusal, type ScratchpadError } from '../base/errors.ts';
import { defuse } from '../base/safety/index.ts';
import { formatCount } from '../base/text/strings.ts';
import { seeSpace, TAKE_ONE } from '../pad/advice.ts';
import { measureUsage } from '../pad/budget.ts';
import { pickKey } from '../session/plan-key.ts';
import { describeOwner, describePlan } from '../session/plans.ts';
import type { Snapshot } from '../session/store.ts';
import type { Pad } from './context.ts';
import { summarizeOtherPlans } from './scope.ts';

/**
 * Makes another open plan the one here, by its number; without a number the only other one. One undo moves it back.
 * @throws ScratchpadError `refused` if there is no such plan, or several and no number
 */
export async function takePlan(pad: Pad, number?: number) {
  let message = '';
  // Assigned anew, as a change may be decided twice.
  let warnings: string[] = [];
  const { spaces, revision, notices } = await pad.store.change((now) => {
    const { here } = pad.store;
    const others = now.seen?.others ?? [];
    const [only] = others.length === 1 ? others : [];
    const plan = number === undefined ? only : others.find((each) => each.number === number);

    if (plan === undefined || here === undefined) throw planNotFound(now, number);

    const { content, id, session } = plan;
    const isElsewhere = plan.running && session !== undefined && session !== here.session;
    warnings = isElsewhere ? [`${describeOwner(plan)} may be running, and has lost it`] : [];

    const before = now.seen?.plan;
    const place = before === undefined ? '' : ` in place of ${describePlan(before)}, which is set aside`;
    message = defuse(`${describePlan(plan)} was moved here${place}; scratchpad undo moves it back`);
    return [{ space: 'plan', content, op: 'take', plan: { ...pickKey(here), id, number: plan.number } }];
  });
  return {
    ...measureUsage('plan', spaces.plan, pad.config.limits),
    content: spaces.plan,
    message,
    revision,
    changed: true,
    warnings: [...notices, ...warnings],
  };
}

function planNotFound({ seen = { others: [] } }: Snapshot, number: number | undefined): ScratchpadError {
  if (number !== undefined && seen.plan?.number === number)
    return refusal(`plan ${number} is the plan here: nothing was changed`);

  const others = summarizeOtherPlans(seen);
  const next = others === undefined ? seeSpace('plan') : TAKE_ONE;

  const count = seen.others.length;
  const none =
    count > 1 ? `there are ${formatCount(count, 'other open plan')}` : 'there is no other open plan to take';
  const missing = number === undefined ? none : `there is no open plan ${number}, or it is gone`;
  return refusal(`${missing}: nothing was changed`, { expected: others, found: number?.toString(), next });
}
