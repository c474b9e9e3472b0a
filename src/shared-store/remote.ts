import type { SpaceName } from '../pad/markers.ts';
import type { Actor } from '../session/actor.ts';
import type { Spaces } from '../session/journal.ts';

/** One change of one space on its way to the shared store. */
export interface RemoteRevision {
  /** Unique to this change for ever: sending it twice stores it once. */
  operation: string;
  space: SpaceName;
  /** The space after the change, as it may leave this machine. */
  content: string;
  /** What was done, as the command is called. */
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
  /** The newest revision that the sender knows; with any other the batch is refused. */
  since: number;
  revisions: readonly RemoteRevision[];
  /** The spaces afterwards; `undefined` where more revisions of the same change follow in another batch. */
  spaces: Spaces | undefined;
}

/** What happened to a shared pad since a revision. */
export interface Pulled {
  /** The newest revision, 0 where the store has none. */
  revision: number;
  spaces: Spaces;
  /** The operation of the newest revision. */
  mark: string | null;
  /** The operation of the revision that was asked about: another one than before means another history. */
  sinceMark: string | null;
  /** Those of the operations asked about that are stored, oldest first. */
  landed: readonly { operation: string; revision: number; last: boolean }[];
  /** Who changed a space last since. */
  actors: Partial<Record<SpaceName, Actor>>;
  /** Conflicts that other machines settled since. */
  conflicts: readonly { operation: string; space: SpaceName; replaced: string; content: string }[];
}

/** What is known of a shared pad without reading it. */
export interface RemotePad {
  session: string;
  revision: number;
  /** ISO 8601, UTC. */
  updated: string;
}

/** A named content that a session keeps in the shared store. */
export interface RemoteEntry {
  name: string;
  /** Counts up by one at every change of the name. */
  version: number;
  /** SHA-256 of the content in hex; `null` for a name whose entry was deleted. */
  hash: string | null;
  bytes: number;
  /** Where it came from, for people. */
  origin: string;
  /** ISO 8601, UTC. */
  updated: string;
  /** Whether the store has the content, or only knows of it: it was too large to send, or no text. */
  stored: boolean;
}

/** The trail of one host session, without its text. */
export interface RemoteTrail {
  session: string;
  /** Epoch milliseconds, by the clock of the machine that it ran on. */
  updated: number;
}

/**
 * The memory of one workspace in a place that several machines reach. Every call is one step that happens whole or
 * not at all; one that failed may have happened all the same, and can be repeated.
 *
 * All methods throw a ScratchpadError of kind `environment` when the store cannot be reached, and `refused` when it
 * is of another version or does not let this user in.
 */
export interface Remote {
  /**
   * @param since the newest revision known here
   * @param operations operations that were sent without an answer
   */
  pull(session: string, since: number, operations: readonly string[]): Promise<Pulled>;
  /** @returns the newest revision afterwards, or `behind` when somebody else was quicker: nothing is stored then */
  push(session: string, batch: Batch): Promise<number | 'behind'>;
  pads(): Promise<RemotePad[]>;
  /** Entries of a session, deleted names among them. */
  entries(session: string): Promise<RemoteEntry[]>;
  /**
   * Gives a name a content that is stored already, or deletes it (`hash: null`).
   * @param expected the version known here, 0 for a new name
   * @returns false when somebody else was quicker
   */
  putEntry(session: string, entry: Omit<RemoteEntry, 'version'>, expected: number): Promise<boolean>;
  hasContent(hash: string): Promise<boolean>;
  /** Stores a content in pieces; nobody sees it before its last piece is there. */
  putContent(hash: string, bytes: number, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void>;
  /** @throws ScratchpadError `refused` when pieces are missing */
  content(hash: string): AsyncIterable<Buffer>;
  /** The newest trails, 40 at most. */
  trails(): Promise<RemoteTrail[]>;
  /** The JSON of a session's trail; `undefined` when there is none. */
  trail(session: string): Promise<string | undefined>;
  /** Stores a trail unless a newer one of the session is there. */
  putTrail(trail: RemoteTrail, body: string): Promise<void>;
  /** Deletes what the store has of a session: its pad, history, entries and trail. */
  forget(session: string): Promise<void>;
  close(): Promise<void>;
}
