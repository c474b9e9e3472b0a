import { PAD_FILE, tryReadText } from '../base/fs/index.ts';
import { formatAge, formatDuration } from '../base/text/durations.ts';
import { parsePad, warnOfTextOutside } from '../pad/document.ts';
import { type Freshness, judgeFreshness } from '../pad/freshness.ts';
import { defineCommand } from './command.ts';
import { openSession, requirePad } from './open.ts';

const DAMAGED = 1;
const STALE = 4;
const RENEW = '; run: scratchpad assemble';

/** Exits 1 if the file is damaged, else 4 unless the block is fresh. */
export const check = defineCommand({
  examples: ['scratchpad check', 'scratchpad check --quiet || scratchpad assemble'],
  run: async (call) => {
    const opened = await openSession(call);
    const { store } = opened;
    const snapshot = await opened.pad.store.read();

    requirePad(snapshot.exists, opened);
    const { state = snapshot.elsewhere, changed } = snapshot;
    const freshness = judgeFreshness(state, call.now, changed?.plan?.at);
    const { status, updated = null, ageMs = null, ttlMs = null } = freshness;

    if (status !== 'fresh') call.exitCode = STALE;
    if (snapshot.notices.length > 0) call.exitCode = DAMAGED;
    // A remark is no damage: the text outside the markers is the person's.
    const remarks = warnOfTextOutside(parsePad(tryReadText(store.paths.pad, 'pad') ?? ''), PAD_FILE);
    const problems = [...snapshot.notices, ...remarks];
    // `--quiet` asks for the exit code alone.
    call.report(
      { session: snapshot.session, pad: store.paths.pad, state: status, updated, ageMs, ttlMs, problems },
      [!snapshot.conflicted && describeFreshness(freshness), problems],
    );
  },
});

function describeFreshness({ status, updated, ageMs, ttlMs }: Freshness): string {
  if (updated === undefined || ageMs === undefined) return `no state block yet${RENEW}`;

  const age = ageMs < 0 ? 'from the future' : `${formatAge(ageMs)} old`;
  const ttl = ttlMs === undefined || ttlMs < 0 ? 'no valid TTL' : `TTL ${formatDuration(ttlMs)}`;
  const change = status === 'stale' && ageMs >= 0 && ageMs < (ttlMs ?? 0) ? ', the plan is newer' : '';

  return `${status}: the state block is ${age} (${ttl}, updated ${updated})${change}${status === 'fresh' ? '' : RENEW}`;
}
