import { shortDuration } from '../pad/freshness.ts';
import { renderState } from '../pad/state.ts';
import type { KeptState } from './state-file.ts';
import type { StateChange } from './store.ts';

/** Fields of earlier versions; `status` says what they said. */
const GONE = ['tokens', 'stages', 'assembled-from'].map((key): [string, null] => [key, null]);

/** The change that writes a state into a pad: rendered from its sections, never read back. */
export function stateChange(state: KeptState): StateChange {
  const { updated, expires, ttlMs, sections } = state;
  return {
    kind: 'state',
    content: renderState(sections, { updated, ttlMs }),
    fields: new Map<string, string | null>([
      ['updated', updated],
      ['ttl', shortDuration(ttlMs)],
      ['expires', expires],
      ...GONE,
    ]),
    state,
  };
}
