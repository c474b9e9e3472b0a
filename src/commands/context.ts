import { padContext } from '../core/context.ts';
import { spellAge } from '../pad/freshness.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

/**
 * Prints the injection block, or nothing when there is nothing to say. Shape with `--json`:
 * `{session, context, state: fresh|stale|missing, updated, ageMs}`.
 */
export async function context(invocation: Invocation): Promise<void> {
  const { pad, store } = await openSession(invocation);
  const { text, freshness, notices } = await padContext(pad);
  for (const notice of notices) invocation.note(`warning: ${notice}`);
  if (freshness.status === 'stale') {
    const age = freshness.ageMs === undefined ? 'of unknown age' : `${spellAge(freshness.ageMs)} old`;
    invocation.note(`the state block is stale (${age}) and left out; run: scratchpad assemble`);
  }
  const { status, updated, ageMs } = freshness;
  invocation.result(
    {
      session: store.paths.session,
      context: text,
      state: status,
      updated: updated ?? null,
      ageMs: ageMs ?? null,
    },
    text,
  );
}
