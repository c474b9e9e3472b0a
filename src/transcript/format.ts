import type { JsonObject } from '../text/json.ts';
import type { EventSink, SessionEvent } from './event.ts';
import type { Home } from './home.ts';

/** Reads the records of one transcript, newest first, and passes their events to a sink. */
export interface FormatReader {
  /** A record from the start of the file, for facts that hosts write only there. */
  head?(record: JsonObject): void;
  /** False if the line cannot matter, and need not be parsed. */
  wants?(bytes: Buffer): boolean;
  /**
   * The next older record and its offset. Returns `'stop'` if older records do not belong to the
   * conversation.
   */
  take(record: JsonObject, at: number): 'stop' | undefined;
  /**
   * Called at the start of the file: an offset from which to read backwards again, if something is missing.
   */
  again?(): number | undefined;
  /** Called last. */
  finish?(): void;
  /** How the records that were read are connected with those before them. */
  link?(): Link;
}

/** How a range of records is connected with what is before it in the file. */
export interface Link {
  /** The record that the oldest one of the range continues, if the format has such links. */
  follows?: string;
  /** Messages before the range were taken back or replaced in part: they have to be read again. */
  changesBefore?: boolean;
  /** Ids of the last records, any of which the next range may continue; none if the format has no links. */
  ends: readonly string[];
  /** `ends` reach back to the person's last message: continuing an older record takes that message back. */
  complete?: boolean;
}

/** How one host writes sessions as JSON records. */
export interface Format {
  readonly name: string;
  /** Its name for people, in error messages. */
  readonly title: string;
  /** Whether a record has the shape that this host writes. */
  recognises(record: JsonObject): boolean;
  /** Its records are independent: none changes the meaning of later ones. */
  readonly independent?: true;
  /**
   * The events of one record, in order. The reader decides which records count; this function alone
   * interprets them, for the window of messages and for the trail.
   */
  events(record: JsonObject, at: number): SessionEvent[];
  open(out: EventSink): FormatReader;
  /** What a single record says about its session. */
  about?(record: JsonObject): About;
  /** Where the host keeps its sessions. */
  home?: Home;
}

/** What one record says about its session. */
export interface About {
  session?: string | undefined;
  cwd?: string | undefined;
  /** ISO 8601 in UTC. */
  time?: string | undefined;
  /** `record`: this record is a subagent's; `session`: all records of its session are. */
  subagent?: 'record' | 'session' | undefined;
}
