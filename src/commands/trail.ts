import { ScratchpadError } from '../errors.ts';
import { numberedFacts, trailText } from '../trail/describe.ts';
import { forget as forgetFacts, openTrail, type Trail, type TrailOptions, trailOf } from '../trail/index.ts';
import { type Invocation, withoutSession } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { fileArgument } from './reach.ts';
import { localTimes } from './terminal.ts';

/** Facts that the session's own records prove, each with its reason and source. */
export async function show(
  invocation: Invocation,
  options: { all?: boolean; transcript?: string },
): Promise<void> {
  const opened = await openSession(withoutSession(invocation));
  const trail =
    options.transcript === undefined
      ? (await trailIn(invocation, opened)).trail
      : await trailOf(fileArgument(options.transcript, invocation), invocation.now);
  const { from, session, branch, updated } = trail;
  const value = {
    from,
    session,
    branch,
    updated: updated === undefined ? undefined : new Date(updated).toISOString(),
    facts: numberedFacts(trail, options.all),
  };
  if (from === 'nothing') invocation.note('no session of this workspace has a trail yet');
  invocation.result(
    value,
    trailText(trail, invocation.now, {
      ...options,
      time: localTimes(opened.config, opened.workspace.root),
    }),
  );
}

/** Leaves facts out of the trail from now on, by the numbers that `trail` shows. */
export async function forget(invocation: Invocation, numbers: string[]): Promise<void> {
  const { trail, options, mayMake } = await trailHere(invocation);
  const facts = numbers.map((number) => {
    const fact = /^[1-9]\d{0,3}$/.test(number) ? trail.facts[Number(number) - 1] : undefined;
    if (fact !== undefined) return fact;
    throw new ScratchpadError('usage', 'no fact has that number', {
      expected: trail.facts.length === 0 ? 'a trail with facts' : `a number from 1 to ${trail.facts.length}`,
      found: number,
      next: 'see the numbers with: scratchpad trail --all',
    });
  });
  mayMake();
  if (trail.session !== undefined) await forgetFacts(options, trail.session, facts);
  invocation.done(
    { forgotten: facts.map(({ id, text }) => ({ id, text })) },
    facts.map(({ text }) => `forgotten: ${text}`).join('\n'),
  );
}

interface FoundTrail {
  trail: Trail;
  options: TrailOptions;
  mayMake(): void;
}

/** The trail of the session that `--session` names, else of the most recently active one. */
export async function trailHere(invocation: Invocation): Promise<FoundTrail> {
  return trailIn(invocation, await openSession(withoutSession(invocation)));
}

async function trailIn(invocation: Invocation, opened: Opened): Promise<FoundTrail> {
  const { session } = invocation.options;
  const { workspace, config, mayMake } = opened;
  const options: TrailOptions = {
    root: workspace.root,
    ...(workspace.worktree !== undefined && { cwd: invocation.cwd }),
    ...(session !== undefined && { session }),
    now: invocation.now,
    withBefore: true,
    config,
    env: invocation.env,
  };
  const trail = await openTrail(options);
  invocation.warn(trail.problems);
  return { trail, options, mayMake };
}
