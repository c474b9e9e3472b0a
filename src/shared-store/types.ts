import type { SpaceName } from '../pad/markers.ts';
import type { Actor } from '../session/actor.ts';
import type { Spaces } from '../session/journal.ts';

/** The pad that this machine and the store had when they were last the same. */
export interface PadState {
  revision: number;
  /** The operation of that revision: after a backup was restored, another operation has its number. */
  mark: string | null;
  spaces: Spaces;
  /** What is being sent: the state after it, if no answer came but it has arrived. */
  sending?: { mark: string; spaces: Spaces };
}

/** What happened to a shared pad since a revision. */
export interface PullResult {
  /** The newest, 0 for a pad that nobody wrote. */
  revision: number;
  spaces: Spaces;
  /** The operations of the newest revision, and of the one since which was asked. */
  mark: string | null;
  sinceMark: string | null;
  /** The revision of the operation that was sent without an answer; `null` if it has not arrived. */
  landed: number | null;
  /** Who changed what since, oldest first; the actor as JSON. */
  rows: readonly { space: SpaceName; actor: string | null }[];
}

/** Changes of spaces that are stored together or not at all. */
export interface Batch {
  /** The newest revision that the sender knows; the batch is refused if there is a newer one. */
  since: number;
  changes: readonly {
    /** Globally unique: sending it twice stores it once. */
    operation: string;
    space: SpaceName;
    actor: Actor | undefined;
  }[];
  /** All spaces afterwards, safe to leave this machine. */
  spaces: Spaces;
}

export interface ExchangeReport {
  sessions: number;
  sent: number;
  received: number;
  notices: string[];
}
