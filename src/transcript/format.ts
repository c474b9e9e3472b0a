import type { JsonObject } from '../base/text/json.ts';
import type { SessionEvent } from './event.ts';
import type { Home } from './home.ts';

/** How one host writes sessions as JSON records. */
export interface Format {
  readonly name: string;
  /** Its name for people, in error messages. */
  readonly title: string;
  /** What its records are that a person took back, for the counts of what was left out. */
  readonly takenBack?: string;
  /** Whether a record has the shape that this host writes. */
  recognises(record: JsonObject): boolean;
  /** The events of one record, in order: the only function that interprets this host's records. */
  events(record: JsonObject, at: number): SessionEvent[];
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
