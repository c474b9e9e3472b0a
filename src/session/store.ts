import type { PadDocument } from '../pad/document.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { Actor } from './actor.ts';
import type { Author, Revision, Spaces } from './journal.ts';
import type { Origins } from './origins.ts';

/** One session's memory at one moment, human edits included. */
export interface Snapshot {
  session: string;
  /** Whether anything was ever written for this session. */
  exists: boolean;
  document: PadDocument;
  spaces: Spaces;
  /** Number of the newest revision, 0 before the first. */
  revision: number;
  /** Whether git's conflict marks stand in the file: the spaces are those of before, and nothing can be written. */
  conflicted?: boolean;
  /** Where, when and by whom each space was changed last, as far as that is kept. */
  origins?: Origins;
  /** What the reader should know: damage found, edits merged, conflicts kept. */
  notices: readonly string[];
}

export interface SpaceChange {
  kind: 'space';
  space: SpaceName;
  content: string;
  /** What was done, as the command is called. */
  op: string;
  /** For undo and redo: the revision concerned. */
  of?: number;
  /** Whose change it is, where it is not that of whoever makes it: it came from another machine. */
  actor?: Actor;
}

/** A new state block. It is not journalled: it is derived, and worthless when stale. */
export interface StateChange {
  kind: 'state';
  /** The text between the state markers. */
  content: string;
  /** Front matter fields that describe the block. */
  fields: ReadonlyMap<string, string | null>;
}

export type Change = SpaceChange | StateChange;

export interface Committed extends Snapshot {
  /** Revisions that this change made; adopted edits of a person come first. */
  revisions: readonly Revision[];
}

/** Everything that happened to a session's spaces, as far back as it is kept. */
export interface History {
  revisions: readonly Revision[];
  /** The spaces before the first of `revisions`. */
  base: Spaces;
  /** Journal lines that could not be read. */
  skipped: number;
}

/**
 * Where one session's memory is kept. Changes are atomic and isolated: `change` hands the
 * current memory to `decide` while nobody else can write, and what it returns is durable
 * when the promise resolves. When `decide` throws, nothing has changed.
 */
export interface SessionStore {
  read(): Promise<Snapshot>;
  change(
    decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
    by?: Author,
  ): Promise<Committed>;
  history(): Promise<History>;
  /** When the file was saved that a person may have edited, epoch milliseconds; of stores that have one. */
  savedAt?(): number | undefined;
}
