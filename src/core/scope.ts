import type { Config } from '../config/config.ts';
import { outlook, stepsOf } from '../pad/steps.ts';
import { defuse } from '../safety/index.ts';
import type { Spaces } from '../session/journal.ts';
import type { Origin } from '../session/origins.ts';
import type { SessionStore, Snapshot } from '../session/store.ts';
import { counted, spellDays } from '../text/counts.ts';
import { digest } from '../text/hash.ts';

/** Where and for what a plan would be shown to a model. */
export interface Here {
  /** Epoch milliseconds. */
  now: number;
  repository?: string | undefined;
  identity?: string | undefined;
  worktree?: string | undefined;
  branch?: string | undefined;
  /** The host's session. */
  session?: string | undefined;
  /** A run that answers one prompt and ends; `prompt` is its question. */
  oneShot?: boolean;
  prompt?: string;
  /** Whether the model was told this plan in its current window. */
  told?: boolean;
}

/** A plan changed this recently belongs to a loop of one-shot runs. */
const ONE_SHOT_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Why a plan is not this session's, so that one line describes it instead of the plan being shown. */
export type AsideReason = 'repository' | 'worktree' | 'branch' | 'age' | 'one-shot';

/**
 * Whether a plan belongs to a session: it was made recently where the session works, or by the session itself.
 * @param oldestMs age at which a plan of another session is old
 * @returns why it does not; `undefined` when it does
 */
function strangeness(
  plan: string,
  origin: Origin | undefined,
  here: Here,
  oldestMs: number,
): AsideReason | undefined {
  if (origin === undefined || plan.trim() === '') return undefined;
  for (const place of ['identity', 'repository', 'worktree', 'branch'] as const) {
    // Where the paths are known they say more: a remote may have been added since.
    if (place === 'identity' && origin.repository !== undefined) continue;
    const [there, now] = [origin[place], here[place]];
    const own = place === 'branch' && isOwn(origin, here);
    if (there !== undefined && now !== undefined && there !== now && !bothDetached(there, now) && !own)
      return place === 'identity' ? 'repository' : place;
  }
  if (isOwn(origin, here) || here.told) return undefined;
  const age = here.now - origin.at;
  if (age >= oldestMs) return 'age';
  return here.oneShot && age >= ONE_SHOT_MS && !concerns(here.prompt ?? '', plan) ? 'one-shot' : undefined;
}

/** Where a plan belongs, as in ` of feat/login`; nothing where only its age or the run sets it apart. */
function whoseIs(origin: Origin, reason: AsideReason): string {
  if (reason === 'repository') return ' of another repository';
  if (reason === 'worktree') return ` of the work tree ${oneLine(origin.worktree)}`;
  return reason === 'one-shot' || origin.branch === undefined ? '' : ` of ${oneLine(origin.branch)}`;
}

function isFinished(plan: string): boolean {
  const steps = stepsOf(plan);
  return steps.length > 0 && steps.every(({ done }) => done);
}

/** A one-line description of a plan: its origin, age and progress. `undefined` for a finished one. */
function planInShort(plan: string, origin: Origin, reason: AsideReason, now: number): string | undefined {
  if (isFinished(plan)) return undefined;
  return defuse(
    `There is a plan${whoseIs(origin, reason)}, last changed ${spellLongAgo(now - origin.at)}: ${progressOf(plan)}. ` +
      'It may not be about this work; ' +
      '`scratchpad plan show` prints it, `scratchpad plan take` makes it the plan here.',
  );
}

/** `2 of 5 done`; without steps `4 lines`. */
function progressOf(plan: string): string {
  const steps = stepsOf(plan);
  if (steps.length > 0) return `${steps.filter(({ done }) => done).length} of ${steps.length} done`;
  return counted(plan.split('\n').filter((line) => line.trim() !== '').length, 'line');
}

type Known = Pick<Snapshot, 'spaces' | 'origins'>;
type Scoped = Pick<Config, 'scope'>;

function reasonFor({ spaces, origins }: Known, here: Here, { scope }: Scoped): AsideReason | undefined {
  const where = {
    ...here,
    ...(scope.branches === 'shared' && { branch: undefined }),
    ...(scope.worktrees === 'shared' && { worktree: undefined }),
  };
  // A branch vouches for the work that a plan is about, and a weekend or a holiday does not end that work. A finished
  // plan is soon of no interest.
  const { branch } = origins?.plan ?? {};
  const vouched = branch !== undefined && branch === here.branch && !isFinished(spaces.plan);
  return strangeness(spaces.plan, origins?.plan, where, vouched ? scope.branchAge : scope.age);
}

/**
 * The spaces for a session here: a plan that does not belong here is replaced by one line, `aside`. One that does,
 * but is a day old or older, comes with its `age`.
 */
export function spacesHere(
  known: Known,
  here: Here,
  config: Scoped,
): { spaces: Spaces; reason?: AsideReason; aside?: string; age?: string } {
  const { spaces } = known;
  const origin = known.origins?.plan;
  if (origin === undefined || spaces.plan.trim() === '') return { spaces };
  const reason = reasonFor(known, here, config);
  const old = here.now - origin.at >= DAY_MS;
  if (reason === undefined)
    return { spaces, ...(old && { age: `last changed ${spellLongAgo(here.now - origin.at)}` }) };
  const aside = planInShort(spaces.plan, origin, reason, here.now);
  return { spaces: { ...spaces, plan: '' }, reason, ...(aside === undefined ? {} : { aside }) };
}

/** An unfinished plan of another branch, work tree or repository: ` of main, 1 of 3 done`; `undefined` otherwise. */
export function planOfElsewhere(
  known: Known,
  here: Here,
  config: Scoped,
): { whose: string; progress: string } | undefined {
  const origin = known.origins?.plan;
  const reason = reasonFor(known, here, config);
  const elsewhere = reason === 'branch' || reason === 'worktree' || reason === 'repository';
  if (!elsewhere || origin === undefined || isFinished(known.spaces.plan)) return undefined;
  return { whose: defuse(whoseIs(origin, reason).trim()), progress: progressOf(known.spaces.plan) };
}

/** The unfinished plan that this branch had until another branch's plan replaced it; `undefined` if there is none. */
export async function planOfBranch(
  store: SessionStore,
  known: Known,
  here: Here,
  config: Scoped,
): Promise<string | undefined> {
  const { earlier = [] } = known.origins?.plan ?? {};
  if (here.branch === undefined || reasonFor(known, here, config) !== 'branch') return undefined;
  const mine = new Set(
    earlier
      .filter(({ branch, worktree }) => branch === here.branch && worktree === here.worktree)
      .map((each) => each.digest),
  );
  if (mine.size === 0) return undefined;
  const { revisions } = await store.history();
  const plan = revisions.findLast(({ space, content }) => space === 'plan' && mine.has(digest(content)));
  return plan === undefined || plan.content.trim() === '' || isFinished(plan.content)
    ? undefined
    : plan.content;
}

/** Tells of such a plan. */
export function replacedInShort(plan: string, by: Origin | undefined): string {
  const steps = stepsOf(plan);
  const next = steps.length > 0 ? `, ${outlook(steps)}` : '';
  return defuse(
    `The plan of this branch (${progressOf(plan)}${next}) was replaced by one of ${oneLine(by?.branch)}; ` +
      '`scratchpad plan take` makes it the plan again.',
  );
}

const oneLine = (name = ''): string => name.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').slice(0, 120);

/** In hours, then days: text shown to a model should not change every minute. */
function spellLongAgo(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 1) return 'within the hour';
  return `${hours < 48 ? `${hours} h` : spellDays(ms)} ago`;
}

function isOwn({ actor }: Origin, { session }: Here): boolean {
  return session !== undefined && actor?.session === session;
}

function bothDetached(a: string, b: string): boolean {
  return a.startsWith('detached at ') && b.startsWith('detached at ');
}

const GOES_ON = /\b(?:plan|continue|proceed|resume|go on|carry on|next (?:step|task|item)|keep going)\b/i;

/** Whether a question is about a plan: it says so, or they share a significant word. */
function concerns(prompt: string, plan: string): boolean {
  if (GOES_ON.test(prompt)) return true;
  const words = new Set(plan.toLowerCase().match(WORD) ?? []);
  return (prompt.toLowerCase().match(WORD) ?? []).some((word) => words.has(word) && !COMMON.has(word));
}

const WORD = /[\p{L}\p{N}_]{4,}/gu;
const COMMON = new Set(
  'about after also been does done each from have into just make need only over some than that them then there these they this what when where which will with work would your test tests file files code'.split(
    ' ',
  ),
);
