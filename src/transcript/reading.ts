import type { SessionEvent } from './event.ts';
import type { SessionRecord } from './record.ts';

export interface Position {
  /** The end of what was read: a byte offset, or a sequence number in a database. */
  offset: number;
  /** Digest of what precedes the offset, to detect a different file in its place. */
  mark: string;
}

export interface Reading {
  record: SessionRecord;
  position: Position;
  /** Whether it continues the record that was given; otherwise everything was read anew. */
  continues: boolean;
  /** Time ran out before its end: the next reading goes on from there. */
  behind?: boolean;
}

export interface SessionOptions {
  root: string;
  /** In a database the session to read (key or id). */
  session?: string | undefined;
  /** An earlier reading, to continue. Its record is changed. */
  after?: { record: SessionRecord; position: Position } | undefined;
  limit?: number;
  /** `Date.now()` at which to stop, with what has been read by then. */
  until?: number | undefined;
  /** The record of what came before this file. It is changed. */
  onto?: SessionRecord;
  upTo?: number | undefined;
  /** Most bytes to read; of more, only the beginning and the end are read. */
  mostBytes?: number;
  /** Sees the events of each record of a file before they are folded; not called for a database. */
  onEvents?(events: readonly SessionEvent[]): void;
}

/** Messages of a window, unless it is asked for more. */
export const DEFAULT_LIMIT = 20;
