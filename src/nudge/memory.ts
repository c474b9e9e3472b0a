/**
 * What nudges and warnings go by in one host session. It begins anew when the host starts the
 * session; losing it costs a hint too many, nothing else.
 */
export interface Remembered {
  /** Prompts since the session's start or resume. */
  turns: number;
  /** The turn at which the spaces had changed last. */
  usedAt: number;
  /** The turn of the last hint about disuse. */
  hintedAt: number;
  /** Digest of the spaces as they were last seen. */
  seen: string;
  /** Digest of the agent's words in which a plan was found and hinted at. */
  plan: string;
  /** A plan was found in words that the host handed over, and not hinted at yet. */
  planWaiting: boolean;
  /** The host's own list or plan was offered for the plan space: said once a session, taken or not. */
  offered: boolean;
  /** The warning was given in this cycle, which ends with a compaction. */
  warned: boolean;
  /**
   * How far the holding of a compaction is in this cycle: `held` until the model has been `told` of it, then one more
   * is held for the turn in which it saves, and that is `over`.
   */
  hold: '' | 'held' | 'told' | 'over';
  /** The model as the host named it at the start, with what its transcript leaves out. */
  model: string;
  /** A compaction has happened that no prompt has followed yet. */
  compacted: boolean;
  /** ISO 8601 of the last compaction seen. */
  compactedAt: string;
  /** What tells the last compaction that the transcript shows from others. */
  compaction: string;
  /** One was about to come at the last prompt. */
  expected: boolean;
  /** The host told of it before the session's new start. */
  announced: boolean;
}

const FRESH: Remembered = {
  turns: 0,
  usedAt: 0,
  hintedAt: 0,
  seen: '',
  plan: '',
  planWaiting: false,
  offered: false,
  warned: false,
  hold: '',
  model: '',
  compacted: false,
  compactedAt: '',
  compaction: '',
  expected: false,
  announced: false,
};

export const forgotten = (): Remembered => ({ ...FRESH });

/** What can be used of parsed JSON; the rest is as in a fresh session. */
export function readRemembered(value: unknown): Remembered {
  const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const usable = Object.entries(FRESH).map(([key, fresh]) => [
    key,
    typeof given[key] === typeof fresh ? given[key] : fresh,
  ]);
  return Object.fromEntries(usable) as Remembered;
}
