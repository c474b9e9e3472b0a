import { membersOf } from '../../base/text/json.ts';
/**
 * What nudges and warnings remember of a host session. It is reset when the host starts the session; losing
 * it costs only a superfluous hint.
 */
export interface Remembered {
  /** Prompts since the session's start or resume. */
  turns: number;
  /** The turn at which the spaces last changed. */
  usedAt: number;
  /** The turn of the last hint about disuse. */
  hintedAt: number;
  /** Digest of the spaces when last seen. */
  seen: string;
  /** Digest of the agent's message that contained a plan and led to a hint. */
  plan: string;
  /** A plan was found in a message that the host passed on, and the hint is still to be given. */
  planWaiting: boolean;
  /** The host's own task list or plan was offered for the plan space; this happens once per session. */
  offered: boolean;
  /** The warning was given in this cycle, which ends with a compaction. */
  warned: boolean;
  /**
   * State of holding a compaction in this cycle: `held` until the model has been `told`; then one more is
   * held for the turn in which it saves, after which it is `over`.
   */
  hold: '' | 'held' | 'told' | 'over';
  /** The model as the host named it at the start, which may say more than the transcript. */
  model: string;
  /** A compaction has happened, and no prompt has followed yet. */
  compacted: boolean;
  /** ISO 8601 time of the last compaction seen. */
  compactedAt: string;
  /** Identifies the last compaction in the transcript. */
  compaction: string;
  /** A compaction was imminent at the last prompt. */
  expected: boolean;
  /** The host announced it before it restarted the session. */
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

/** The valid parts of parsed JSON; the rest is as in a new session. */
export function readRemembered(value: unknown): Remembered {
  const given = membersOf(value);
  const usable = Object.entries(FRESH).map(([key, fresh]) => [
    key,
    typeof given[key] === typeof fresh ? given[key] : fresh,
  ]);
  return Object.fromEntries(usable) as Remembered;
}
