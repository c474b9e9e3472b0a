import type { EventSink, SessionEvent } from './event.ts';
import type { Home } from './home.ts';
import type { JsonObject } from './json.ts';

/** Reads the records of one transcript, newest first, and tells a sink what they say. */
export interface FormatReader {
  /** A record from the start of the file, for facts that hosts write there only. */
  head?(record: JsonObject): void;
  /** False when the line cannot matter, so that it need not be parsed. */
  wants?(bytes: Buffer): boolean;
  /** The next older record and its offset. `'stop'`: nothing older belongs to the conversation. */
  take(record: JsonObject, at: number): 'stop' | undefined;
  /** Asked once the start is reached: an offset to read backwards from again, if something is missing. */
  again?(): number | undefined;
  /** Asked last. */
  finish?(): void;
  /** How the records that were read hang together with those before them. */
  link?(): Link;
}

/** How a stretch of records hangs together with what lies before it in the file. */
export interface Link {
  /** The record that the oldest one of the stretch continues, where the format says so. */
  follows?: string;
  /** What was said before the stretch has been taken back or replaced in part: it has to be read again. */
  changesBefore?: boolean;
  /** Ids of the last records, any of which the next stretch may continue; none where the format says nothing. */
  ends: readonly string[];
  /** `ends` reach back to what the person said last: what continues an older record takes that back. */
  complete?: boolean;
}

/** One host's way of writing sessions as JSON records. */
export interface Format {
  readonly name: string;
  /** What a person would call it, for error messages. */
  readonly title: string;
  /** True when a record has the shape this host gives it. */
  recognises(record: JsonObject): boolean;
  /** Its records stand for themselves: none of the first ones means something else for what comes after it. */
  readonly independent?: true;
  /**
   * What one record says, in its order. The reader decides which records count; what they say is told here
   * alone, for the window of messages as for the trail.
   */
  events(record: JsonObject, at: number): SessionEvent[];
  open(out: EventSink): FormatReader;
  /** What a record tells of the session it is of, without the records around it. */
  about?(record: JsonObject): About;
  /** Where the host keeps its sessions. */
  home?: Home;
}

/** What one record tells of its session. */
export interface About {
  session?: string | undefined;
  cwd?: string | undefined;
  /** ISO 8601 in UTC. */
  time?: string | undefined;
  /** `record`: this one is a subagent's; `session`: so are all of its session. */
  subagent?: 'record' | 'session' | undefined;
}
