import type { Config } from '../config/settings.ts';
import type { SectionTitle } from '../pad/state.ts';
import type { SentimentState } from '../sentiment/index.ts';
import type { Spaces } from '../session/journal.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { Clock, LocalTime } from './clock.ts';
import type { NoteEntry } from './daily-notes.ts';

/** What a stage may look at. The same context gives the same section. */
export interface StageContext {
  workspace: string;
  /** Epoch milliseconds. */
  now: number;
  clock: Clock;
  local: LocalTime;
  /** The window, oldest first. */
  messages: readonly Message[];
  facts: SessionFacts | undefined;
  spaces: Spaces;
  config: Config;
  /** Starts bringing the memory index up to date outside this process, where the caller can. */
  refreshMemory?: () => void;
  /** The mood, read once for all stages that ask. */
  mood(): Promise<SentimentState>;
  /** The sections of the block that is being replaced, by title. */
  previous: ReadonlyMap<string, readonly string[]>;
  /** When that block was written, ISO 8601. */
  previousUpdated: string | undefined;
  /** The last entry of today's note, or else yesterday's: work of before midnight is still the work at hand. */
  latestNote: NoteEntry | undefined;
}

/** A line of a section. Whole lines go, lowest priority first, when the block is over its budget. */
export interface SectionLine {
  text: string;
  /** 0 (first to go) to 100 (last); the stage's own unless given. */
  priority?: number;
  /** For `--explain`: what put it there. */
  why?: string;
}

export interface Section {
  lines: readonly SectionLine[];
}

/** One section of the state block. It may throw or hang: the others do not notice. */
export interface Stage {
  id: string;
  title: SectionTitle;
  /** Priority of its lines, 0 to 100. */
  priority: number;
  timeoutMs: number;
  /** `null` when there is nothing worth saying. */
  run(context: StageContext, signal: AbortSignal): Promise<Section | null> | Section | null;
}
