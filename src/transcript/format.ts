import type { Collector } from './collector.ts';
import type { JsonObject } from './json.ts';

/** Reads the records of one transcript, newest first, and puts what it finds into a collector. */
export interface FormatReader {
  /** A record from the start of the file, for facts that hosts write there only. */
  head?(record: JsonObject): void;
  /** False when the line cannot matter, so that it need not be parsed. */
  wants?(bytes: Buffer): boolean;
  /** The next older record and its offset. `'stop'`: nothing older belongs to the conversation. */
  take(record: JsonObject, at: number): 'stop' | undefined;
  /** A line that is not JSON. */
  broken?(bytes: Buffer): void;
  /** Asked once the start is reached: an offset to read backwards from again, if something is missing. */
  again?(): number | undefined;
  /** Asked last. */
  finish?(): void;
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
  open(out: Collector): FormatReader;
}
