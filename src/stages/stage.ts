import type { Config } from '../config/config.ts';
import type { RunCommand } from '../config/runner.ts';
import type { Spaces } from '../session/journal.ts';
import type { Trail } from '../trail/index.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { TaskBook } from './alerts/task-book.ts';
import type { Agenda } from './calendar/agenda.ts';
import type { Clock, LocalTime } from './clock.ts';
import type { DailyNote, NoteEntry } from './daily-notes.ts';
import type { Mood } from './mood.ts';

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
  /** Runs a command that the config names, if it is trusted. */
  runCommand: RunCommand;
  /** The mood, read once for all stages that ask. */
  mood(): Promise<Mood>;
  /** What the session's records prove, read once; nothing where no session is read. */
  trail(): Promise<Trail | undefined>;
  /** The tasks in the workspace's lists and notes, read once. */
  tasks(): TaskBook;
  /** What the calendars hold, read once for all stages that ask. */
  agenda(): Promise<Agenda>;
  /** Id of the host's session. */
  session: string | undefined;
  /** The person's home directory, where the caller tells. */
  home: string | undefined;
  /** The sections of the block that is being replaced, by title. */
  previous: ReadonlyMap<string, readonly string[]>;
  /** When that block was written, ISO 8601. */
  previousUpdated: string | undefined;
  /** The daily notes up to today, newest first. */
  notes: readonly DailyNote[];
  /** The lines of a file of the workspace, read once; none when it cannot be read. */
  linesOf(path: string): readonly string[];
  /** The last entry of today's note, or else yesterday's: work of before midnight is still the work at hand. */
  latestNote: NoteEntry | undefined;
}

/** An event in a host's session at which something may be put before the model. */
export type InjectionEvent = 'start' | 'clear' | 'compact' | 'resume' | 'prompt' | 'subagent';

/** What of a line goes before the model. A line without it stays in the file. */
export interface Injectable {
  /** Names the fact, whatever its present wording: what the model was told of it is kept under this key. */
  key: string;
  /** The line by itself, understood without its section's heading; the file's own words unless given. */
  text?: string;
  /** Events at which it may be said; every one but `subagent` unless given. */
  at?: readonly InjectionEvent[];
  /** Said again only after so many milliseconds, however its wording has changed; else whenever the wording changes. */
  everyMs?: number;
}

/** A line of a section. Whole lines go, lowest priority first, when the block is over its budget. */
export interface SectionLine {
  text: string;
  /** 0 (first to go) to 100 (last); the stage's own unless given. */
  priority?: number;
  /** For `--explain`: what put it there. */
  why?: string | undefined;
  inject?: Injectable;
}

export interface Section {
  /** In place of the stage's own. */
  title?: string;
  lines: readonly SectionLine[];
  /** What it could not look at, and why, in words for a person: named in `status`. */
  problems?: readonly string[];
}

/** One section of the state block. It may throw or hang: the others do not notice. */
export interface Stage {
  id: string;
  title: string;
  /** Priority of its lines, 0 to 100. */
  priority: number;
  timeoutMs: number;
  /** @returns `null` when there is nothing worth saying */
  run(context: StageContext, limit: StageLimit): Promise<Section | null> | Section | null;
}

/** A stage of our own: the rest of it is its row in `pad/sections.ts`. */
export type BuiltInStage = Pick<Stage, 'priority' | 'run'>;

/** How long a stage may take. */
export interface StageLimit {
  /** Longest that it may take; after that nobody waits for it. */
  readonly ms: number;
  /** Aborted when it took longer. */
  readonly signal: AbortSignal;
}
