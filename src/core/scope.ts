import { basename } from 'node:path';
import { findWorktree } from '../base/git/place.ts';
import { defuse } from '../base/safety/index.ts';
import { formatCount, formatDays } from '../base/text/strings.ts';
import type { Config } from '../config/settings.ts';
import { collapseText, getPlanTitle, renderProgress } from '../pad/steps.ts';
import type { Spaces } from '../session/journal.ts';
import {
  describeOwner,
  type OtherPlan,
  type Plan,
  type PlanKey,
  type VisiblePlan,
} from '../session/plans.ts';
import type { Snapshot } from '../session/store.ts';
import { isSessionId } from '../session/workspace.ts';

/** The session whose pad a caller works on without naming one, by `spaces.scope`; `undefined` for the workspace's. */
export function chooseSession(
  { spaces }: Pick<Config, 'spaces'>,
  session: string | undefined,
): string | undefined {
  return spaces.scope === 'session' && session !== undefined && isSessionId(session) ? session : undefined;
}

/** When, where and for what a plan would be shown to a model. */
export interface PlanReader {
  /** Epoch milliseconds. */
  now: number;
  /** The workspace, to find out which branches and work trees it has. */
  root: string;
  /** A run that answers one prompt and ends. */
  oneShot?: boolean;
  /** Whether the model was told this plan in its current window. */
  told?: boolean;
}

/** A plan changed this recently belongs to a loop of one-shot runs. */
const ONE_SHOT_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Most other plans that are described, one in a line. */
const MOST_LINES = 3;

export interface PlanSummary {
  spaces: Spaces;
  /** What to say of the plan: `left 16 h ago by the last session, 1 of 3 done`. */
  fact?: string;
  /** One line for each other open plan. */
  others: { id: string; text: string }[];
}

/**
 * What a session is shown: the plan that it sees, said as what it is, and the other open ones in one line each. A
 * one-shot run gets no plan of somebody else as its own, unless it was changed within the hour.
 */
export function describePlans(
  { spaces, seen }: Pick<Snapshot, 'spaces' | 'seen'>,
  asking: PlanReader,
): PlanSummary {
  const { plan, whose, others } = seen ?? NOTHING;
  const isOld = plan !== undefined && asking.now - plan.at >= ONE_SHOT_MS;
  const aside = isOld && whose !== 'own' && asking.oneShot === true && asking.told !== true;
  // Other work trees do other work, and are told of it; what is gone is offered here.
  const near = others.filter(({ isOfTree, worktree }) => isOfTree || isGone(asking.root, worktree));
  const listed = aside ? [{ ...plan, running: false, isHere: true, isOfTree: true }, ...near] : near;
  const fact = aside || plan === undefined ? undefined : describePlanOwner(plan, whose, asking.now);

  return {
    spaces: aside ? { ...spaces, plan: '' } : spaces,
    fact,
    others: summarizePlans(listed, asking),
  };
}

const NOTHING: VisiblePlan = { others: [] };

function describePlanOwner(plan: Plan, whose: VisiblePlan['whose'], now: number): string | undefined {
  const age = now - plan.at;
  if (whose === 'left') return `left ${formatAge(age)} by the last session, ${renderProgress(plan.content)}`;

  const facts = [
    whose === 'elsewhere' && plan.branch !== undefined ? `made on ${collapseText(plan.branch)}` : undefined,
    age >= DAY_MS ? `last changed ${formatAge(age)}` : undefined,
  ].filter((fact) => fact !== undefined);

  return facts.length === 0 ? undefined : facts.join(', ');
}

/** The newest of some plans, one in a line. */
function summarizePlans(plans: readonly OtherPlan[], asking: PlanReader): PlanSummary['others'] {
  const newest = [...plans].sort((a, b) => b.at - a.at).slice(0, MOST_LINES);
  const more = plans.length - newest.length;
  const lines = newest.map((plan) => ({ id: plan.id, text: defuse(planInShort(plan, asking)) }));

  if (more <= 0) return lines;

  const text = `There are ${formatCount(more, 'more open plan')}; \`scratchpad plan take\` lists them.`;

  return [...lines, { id: 'more', text }];
}

/** One other open plan: whose it is, what it is about, how far it is. */
export function planInShort(plan: OtherPlan, { now, root }: PlanReader): string {
  const take = `\`scratchpad plan take ${plan.number}\``;
  const where = plan.isHere || plan.branch === undefined ? '' : ` on ${collapseText(plan.branch)}`;
  if (plan.running)
    return `Another session${where}: ${getPlanTitle(plan.content)}, ${renderProgress(plan.content)}; it may be running. ${take} takes its plan over.`;

  return (
    `There is a plan${describeLocation(plan, root)}, last changed ${formatAge(now - plan.at)}: ${renderProgress(plan.content)}. ` +
    `It is about: ${getPlanTitle(plan.content)}. ${take} makes it the plan here.`
  );
}

function isGone(root: string, worktree: string | undefined): boolean {
  return worktree !== undefined && findWorktree(root, worktree) === undefined;
}

function describeLocation({ worktree, branch }: OtherPlan, root: string): string {
  if (worktree === undefined) return branch === undefined ? '' : ` of ${collapseText(branch)}`;
  const top = findWorktree(root, worktree);
  return ` of the work tree ${collapseText(basename(top ?? worktree))}${top === undefined ? ', which is gone' : ''}`;
}

/** What is left beside the plan here, for a person: `plan 2, of session 4f2a: Migrate the db (0 of 3 done)`. */
export function summarizeOtherPlans({ others }: VisiblePlan): string | undefined {
  if (others.length === 0) return undefined;

  const each = others.slice(0, MOST_LINES).map((plan) => {
    const owner = describeOwner(plan);
    return `plan ${plan.number}${owner === '' ? '' : ` of ${owner}`} (${getPlanTitle(plan.content)}, ${renderProgress(plan.content)})`;
  });
  const more = others.length - each.length;

  return defuse([...each, ...(more > 0 ? [`${more} more`] : [])].join('; '));
}

/** `session 4f2a on main`, `the workspace on main`. */
export function abbreviateOwner(plan: PlanKey): string {
  const owner = describeOwner(plan);
  if (plan.session !== undefined) return defuse(owner);
  return defuse(owner === '' ? 'the workspace' : `the workspace on ${owner}`);
}

/** In hours, then days: text shown to a model should not change every minute. */
function formatAge(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 1) return 'within the hour';
  return `${hours < 48 ? `${hours} h` : formatDays(ms)} ago`;
}
