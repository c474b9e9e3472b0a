import { PAD_FILE } from '../base/fs/index.ts';
import { textOutside } from '../pad/document.ts';
import { type Freshness, freshnessOf, spellAge, spellDuration } from '../pad/freshness.ts';
import type { Invocation } from './invocation.ts';
import { needPad, openSession } from './open.ts';

const UNSOUND = 1;
const STALE = 4;

/**
 * Reports the age of the state block and any damage to the file. Exits 1 if the file is damaged, else 4 unless the
 * block is fresh.
 */
export async function check(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const { store } = opened;
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  const freshness = freshnessOf(pad.state, invocation.now);
  if (freshness.status !== 'fresh') invocation.exitCode = STALE;
  if (pad.notices.length > 0) invocation.exitCode = UNSOUND;
  const { status, updated, ageMs, ttlMs } = freshness;
  // Not damage: the text outside the markers is the person's.
  const problems = [...pad.notices, ...textOutside(pad.document, PAD_FILE)];
  invocation.result(
    {
      session: pad.session,
      pad: store.paths.pad,
      state: status,
      updated: updated ?? null,
      ageMs: ageMs ?? null,
      ttlMs: ttlMs ?? null,
      problems,
    },
    [...(pad.conflicted ? [] : [describe(freshness)]), ...problems].join('\n'),
  );
}

function describe({ status, updated, ageMs, ttlMs }: Freshness): string {
  if (status === 'missing') return 'no state block yet; run: scratchpad assemble';
  if (updated === undefined) return 'stale: the state block has no valid timestamp; run: scratchpad assemble';
  const age =
    ageMs === undefined ? 'of unknown age' : ageMs < 0 ? 'from the future' : `${spellAge(ageMs)} old`;
  const ttl = ttlMs === undefined ? 'no valid TTL' : `TTL ${spellDuration(ttlMs)}`;
  return `${status}: the state block is ${age} (${ttl}, updated ${updated})${status === 'stale' ? '; run: scratchpad assemble' : ''}`;
}
