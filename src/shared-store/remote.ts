import type { SpaceName } from '../pad/markers.ts';
import type { Actor } from '../session/actor.ts';
import type { Spaces } from '../session/journal.ts';

/** A row that another member wrote and that cannot be taken in: it is left out and named, and the rest goes on. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow';

  /** Several bundles contain the class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'DamagedRow';
  }
}

/** One change of one space, for the shared store. */
export interface RemoteRevision {
  /** Globally unique: sending it twice stores it once. */
  operation: string;
  space: SpaceName;
  /** The space after the change, safe to leave this machine. */
  content: string;
  /** The command that made the change. */
  op: string;
  by: string;
  actor?: Actor;
  /** ISO 8601, UTC. */
  made: string;
  /** For a merge with a conflict: the text that it replaced. */
  conflict?: string;
}

/** Revisions that are stored together or not at all. */
export interface Batch {
  /** The newest revision that the sender knows; the batch is refused if there is a newer one. */
  since: number;
  revisions: readonly RemoteRevision[];
  /** The spaces afterwards; `undefined` if the same change continues in another batch. */
  spaces: Spaces | undefined;
}

/** What happened to a shared pad since a revision. */
export interface Pulled {
  /** The newest revision; 0 if there is none. */
  revision: number;
  spaces: Spaces;
  /** The operation of the newest revision. */
  mark: string | null;
  /**
   * The operation of the revision that was asked about: if it differs from before, this is another history.
   */
  sinceMark: string | null;
  /** The requested operations that are stored, oldest first. */
  landed: readonly { operation: string; revision: number; last: boolean }[];
  /** Who last changed each space since. */
  actors: Partial<Record<SpaceName, Actor>>;
  /** Conflicts that other machines have resolved since. */
  conflicts: readonly { operation: string; space: SpaceName; replaced: string; content: string }[];
}

/** Metadata of a shared pad. */
export interface RemotePad {
  session: string;
  revision: number;
  /** ISO 8601, UTC. */
  updated: string;
}

/** An entry of a session in the shared store. */
export interface RemoteEntry {
  name: string;
  /** Incremented at every change of the name. */
  version: number;
  /** SHA-256 of the content in hex; `null` if the entry was deleted. */
  hash: string | null;
  bytes: number;
  /** Where it came from, for people. */
  origin: string;
  /** ISO 8601, UTC. */
  updated: string;
  /** Whether the store has the content; otherwise it was too large to send, or not text. */
  stored: boolean;
}

/** Metadata of the trail of one host session. */
export interface RemoteTrail {
  session: string;
  /** Epoch milliseconds, by the clock of its machine. */
  updated: number;
}

/**
 * The memory of one workspace in a place that several machines can reach. Every call is atomic; a call that
 * failed may still have taken effect, and can be repeated.
 * All methods throw a ScratchpadError of kind `environment` if the store cannot be reached, and `refused` if
 * it is of another version or denies access.
 */
export interface Remote {
  /**
   * @param since the newest revision known here
   * @param operations operations that were sent without an answer
   */
  pull(session: string, since: number, operations: readonly string[]): Promise<Pulled>;
  /**
   * @returns the newest revision afterwards, or `behind` if somebody else was faster: nothing is stored then
   */
  push(session: string, batch: Batch): Promise<number | 'behind'>;
  pads(): Promise<RemotePad[]>;
  /** Entries of a session, including deleted names. */
  entries(session: string): Promise<RemoteEntry[]>;
  /**
   * Points a name to a stored content, or deletes it (`hash: null`).
   * @param expected the version known here, 0 for a new name
   * @returns false if somebody else was faster
   */
  putEntry(session: string, entry: Omit<RemoteEntry, 'version'>, expected: number): Promise<boolean>;
  hasContent(hash: string): Promise<boolean>;
  /** Stores a content in pieces; nobody sees it before it is complete. */
  putContent(hash: string, bytes: number, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void>;
  /** @throws DamagedRow if it is not what its row says */
  content(hash: string): AsyncIterable<Buffer>;
  /** The newest trails, at most 40. */
  trails(): Promise<RemoteTrail[]>;
  /** The JSON of a session's trail; `undefined` if there is none. */
  trail(session: string): Promise<string | undefined>;
  /** Stores a trail unless there is a newer one of the session. */
  putTrail(trail: RemoteTrail, body: string): Promise<void>;
  /** Deletes a session's pad, history, entries and trail from the store. */
  forget(session: string): Promise<void>;
  close(): Promise<void>;
}
