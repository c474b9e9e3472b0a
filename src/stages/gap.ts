import { spellGap } from '../base/text/counts.ts';
import type { Message } from '../transcript/types.ts';

const HOUR_MS = 3_600_000;
/** Clocks of two machines differ; a message slightly in the future counts as now. */
const SKEW_MS = 5 * 60_000;

/** How long the session was silent, and what that means for the next answer. */
export interface Gap {
  ms: number;
  /** `2h`, `9 days` */
  spelt: string;
  meaning: string;
  /** Four hours or more: the earlier context cannot be assumed to be present. */
  long: boolean;
}

/** Id of the current message; the gap is the silence before it. */
export const PROMPT_IN_HAND = 'prompt-in-hand';

/**
 * When the person last spoke before the current prompt, epoch milliseconds; undefined if nobody did, or if the clock
 * was set back since.
 */
export function lastSpoken(messages: readonly Message[], now: number): number | undefined {
  const before = messages.findLast(({ id, role }) => role === 'user' && id !== PROMPT_IN_HAND);
  const at = Date.parse(before?.timestamp ?? '');
  return Number.isNaN(at) || at - now > SKEW_MS ? undefined : at;
}

/** The gap until now; undefined if unknown. */
export function gapOf(messages: readonly Message[], now: number): Gap | undefined {
  const at = lastSpoken(messages, now);
  if (at === undefined) return undefined;
  const ms = Math.max(0, now - at);
  const meaning =
    ms < 4 * HOUR_MS
      ? 'short, no context resurrection needed'
      : ms < 24 * HOUR_MS
        ? 'pick up where it was left'
        : 'long: recall the state of things before going on';
  return { ms, spelt: spellGap(ms), meaning, long: ms >= 4 * HOUR_MS };
}
