import { defuse, redactSecrets } from '../base/safety/index.ts';
import { DAY_MS, formatRoughAge } from '../base/text/durations.ts';
import { formatCount, quoteName } from '../base/text/strings.ts';
import type { Config } from '../config/settings.ts';
import { renderPlanTitle, renderProgress } from '../pad/plan-title.ts';
import { describePlan, type OtherPlan, type VisiblePlan } from '../session/plans.ts';
import type { Snapshot } from '../session/store.ts';
import { isSessionId } from '../session/workspace.ts';

/** The session whose pad a caller works on without naming one, by `spaces.scope`; `undefined` for the workspace's. */
export function chooseSession(
  { spaces }: Pick<Config, 'spaces'>,
  session: string | undefined,
): string | undefined {
  return spaces.scope === 'session' && session !== undefined && isSessionId(session) ? session : undefined;
}

const MOST_LINES = 3;

export interface PlanSummary {
  /** What to say of the plan: `left 16 h ago by an earlier session, 1 of 3 done`. */
  fact?: string | undefined;
  /** One line for each other open plan; `isTaken`: the model was shown it, and another session or branch has it now. */
  others: { id: string; text: string; isTaken?: boolean }[];
}

/**
 * Describes the plan that a session sees, and the other open ones, each in one line.
 * @param shownPlan id of the plan that the model was shown in its window
 */
export function describePlans(
  { seen = { others: [] } }: Pick<Snapshot, 'seen'>,
  now: number,
  shownPlan?: string,
): PlanSummary {
  const near = seen.others.filter(({ isNear }) => isNear);
  const newest = [...near].sort((a, b) => b.at - a.at).slice(0, MOST_LINES);
  const more = near.length - newest.length;
  const lines = newest.map((plan) => {
    const isTaken = plan.id === shownPlan && (plan.running || !plan.isHere);
    return { id: plan.id, text: redactSecrets(defuse(renderPlanLine(plan, now, isTaken))), isTaken };
  });
  const text = `There are ${formatCount(more, 'more open plan')}; \`scratchpad plan take\` lists them.`;

  return { fact: describePlanOwner(seen, now), others: more > 0 ? [...lines, { id: 'more', text }] : lines };
}

function describePlanOwner({ plan, whose, origin }: Partial<VisiblePlan>, now: number): string | undefined {
  if (plan === undefined) return undefined;

  const age = now - plan.at;
  const isLeft = whose === 'left' && plan.session !== undefined;
  const facts = [
    isLeft && `left ${formatRoughAge(age)} by an earlier session, ${renderProgress(plan.content)}`,
    origin !== undefined && `made on ${origin}`,
    !isLeft && age >= DAY_MS && `last changed ${formatRoughAge(age)}`,
  ].filter((fact) => fact !== false);

  return facts.length === 0 ? undefined : redactSecrets(facts.join(', '));
}

/** One other open plan: what it is about, how far it is, where it is and how to switch to it. */
function renderPlanLine(plan: OtherPlan, now: number, isTaken: boolean): string {
  const take = `\`scratchpad plan take ${plan.number}\``;
  const title = `${renderPlanTitle(plan.content, plan.isOfOtherChat)}, ${renderProgress(plan.content)}`;
  if (isTaken && !plan.running)
    return `Plan ${plan.number} (${title}), which you were shown, is ${describeLocation(plan)} and not the plan here; ${take} brings it here.`;

  if (isTaken)
    return `Plan ${plan.number} (${title}), which you were shown, is the plan of another session now; ${take} takes it over.`;

  if (plan.running) {
    const where = plan.isHere || plan.branch === undefined ? '' : ` on ${quoteName(plan.branch)}`;
    return `Another session${where}: ${title}; it may be running. ${take} takes its plan over.`;
  }

  const facts = [title, describeLocation(plan), `last changed ${formatRoughAge(now - plan.at)}`];
  return `Plan ${plan.number} (${facts.filter((fact) => fact !== '').join(', ')}) is not shown; ${take} switches to it.`;
}

function describeLocation({ worktree, branch = '', isWorktreeGone }: OtherPlan): string {
  if (worktree === undefined) return branch === '' ? '' : `on ${quoteName(branch)}`;
  return `in the work tree ${quoteName(worktree)}${isWorktreeGone ? ', which is gone' : ''}`;
}

/** The other open plans, for a person: `plan 2 of session 4f2a on main (Migrate the db, 0 of 3 done)`. */
export function summarizeOtherPlans({ others }: VisiblePlan): string | undefined {
  if (others.length === 0) return undefined;

  const parts = others.slice(0, MOST_LINES).map(describePlan);
  if (others.length > MOST_LINES) parts.push(`${others.length - MOST_LINES} more`);
  return redactSecrets(defuse(parts.join('; ')));
}
