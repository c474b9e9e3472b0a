import type { SpaceName } from '../pad/markers.ts';
import type { Actor } from '../session/actor.ts';
import type { Spaces } from '../session/journal.ts';
import type { PostgresRemote } from './postgres-remote.ts';

/**
 * The memory of one workspace in a place that several machines can reach. Every call is atomic; a call that
 * failed may still have taken effect, and can be repeated.
 */
export type Remote = Pick<PostgresRemote, keyof PostgresRemote>;

/** A row that another member wrote and that cannot be taken in: it is left out and named, and the rest goes on. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow';
}

export interface RemoteRevision {
  /** Globally unique: sending it twice stores it once. */
  operation: string;
  space: SpaceName;
  /** The space after the change, safe to leave this machine. */
  content: string;
  op: string;
  by: string;
  actor?: Actor;
  /** ISO 8601, UTC. */
  made: string;
  /** For a merge with a conflict: the text that it replaced. */
  conflict?: string;
}

/** Changes that are stored together or not at all. */
export interface Batch {
  /** The newest revision that the sender knows; the batch is refused if there is a newer one. */
  since: number;
  revisions: readonly RemoteRevision[];
  spaces: Spaces;
}

/** What happened to a shared pad since a revision. */
export interface Pulled {
  /** The newest revision; 0 if there is none. */
  revision: number;
  spaces: Spaces;
  mark: string | null;
  /** The operation of the revision that was asked about: if it differs from before, this is another history. */
  sinceMark: string | null;
  /** The requested operations that are stored, oldest first; `last`: the spaces were stored with it. */
  landed: readonly { operation: string; revision: number; last: boolean }[];
  /** Who last changed each space since. */
  actors: Partial<Record<SpaceName, Actor>>;
  /** Conflicts that other machines have resolved since. */
  conflicts: readonly { operation: string; space: SpaceName; replaced: string; content: string }[];
}

export interface RemoteEntry {
  name: string;
  /** Incremented at every change of the name. */
  version: number;
  /** SHA-256 of the content in hex; `null` if the entry was deleted. */
  hash: string | null;
  bytes: number;
  origin: string;
  /** ISO 8601, UTC. */
  updated: string;
  /** Whether the store has the content; otherwise it was too large to send, or not text. */
  stored: boolean;
}

export interface RemoteTrail {
  session: string;
  /** Epoch milliseconds, by the clock of its machine. */
  updated: number;
}
