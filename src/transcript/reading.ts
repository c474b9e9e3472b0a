import type { SessionEvent } from './event.ts';
import type { SessionRecord } from './record.ts';

/** The place up to which a session was read. */
export interface Position {
  /** A byte offset, or a sequence number in a database. */
  offset: number;
  /** Digest of the bytes before the offset, to detect another file in its place. */
  mark: string;
}

export interface Reading {
  record: SessionRecord;
  position: Position;
  /** Whether it continues `SessionOptions.after`; otherwise everything was read anew. */
  continues: boolean;
  /** Time ran out before the end of the session: the next reading continues there. */
  behind?: boolean;
}

export interface SessionOptions {
  root: string;
  /** The session to read from a database: key or id. */
  session?: string | undefined;
  /** An earlier reading, to continue. Its record is changed. */
  after?: { record: SessionRecord; position: Position } | undefined;
  limit?: number;
  /** `Date.now()` at which to stop. */
  until?: number | undefined;
  /** The record of an earlier file that this one continues. It is changed. */
  onto?: SessionRecord;
  /** Byte offset at which to stop. */
  upTo?: number | undefined;
  /** Most bytes to read; of a longer file, only the beginning and the end are read. */
  mostBytes?: number;
  /** Gets the events of each row of a file before they are folded; not called for a database. */
  onEvents?(events: readonly SessionEvent[]): void;
}

/** Most messages of a window by default. */
export const DEFAULT_LIMIT = 20;
