import type { RunCommand } from '../config/runner.ts';
import type { Config } from '../config/settings.ts';
import type { CurrentWork } from '../handover/index.ts';
import type { AdjustedStrategy, FeedbackEvent } from '../sentiment/feedback/remarks.ts';
import type { SentimentState, Strategy } from '../sentiment/types.ts';
import type { Revision, Spaces } from '../session/journal.ts';
import type { KeptState } from '../session/state-file.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { Sign } from '../transcript/types.ts';
import type { Clock, LocalTime } from './clock.ts';
import type { CalendarEntry } from './ics.ts';

export interface Mood {
  state: SentimentState;
  strategy: Strategy;
  why: AdjustedStrategy['why'];
  wish: string | undefined;
  /** The moods of the others in the window, by name, in order of their first message. */
  others: readonly (readonly [sender: string, state: SentimentState])[];
}

/** A line of Proactive Alerts; `key` is set if a model may be told of it, and names the item and how near it is. */
export interface Alert extends Pick<SectionLine, 'ofSpaces'>, Partial<Omit<Injectable, 'text' | 'at'>> {
  subject: string;
  text: string;
  inHours: number;
  why: string;
  /** Its name, with the time if it has one, if it takes place or is due today. */
  today?: string | undefined;
}

export interface DatedTask {
  what: string;
  /** `memory/2026-02-05.md:11` */
  place: string;
  inDays: number;
  alert: Alert;
}

export interface TaskBook {
  dated: readonly DatedTask[];
  /** Lines (`memory/2026-02-05.md:11`) with a task that a newer list changes. */
  superseded: ReadonlySet<string>;
  problems: readonly string[];
}

export interface Appointment extends CalendarEntry {
  calendar: string;
}

export interface Agenda {
  appointments: Appointment[];
  problems: string[];
}

export interface ContextInput {
  workspace: string;
  cwd?: string | undefined;
  /** Epoch milliseconds. */
  now: number;
  clock: Clock;
  messages: readonly Message[];
  signs?: readonly Sign[] | undefined;
  facts: SessionFacts | undefined;
  spaces: Spaces;
  config: Config;
  /** Commands of the config run in it, and it locates approvals: without it none runs. */
  env?: NodeJS.ProcessEnv;
  /** Updates a large memory's index in a process of its own; without it, the index is updated here. */
  refreshMemory?: () => void;
  /** Opens the session's hand-over; called at most once. */
  openHandover?: () => Promise<CurrentWork | undefined>;
  openHistory?: () => Promise<readonly Revision[]>;
  /** Id of the host's session with these `messages`; default: from the transcript. */
  from?: string;
  host?: string;
  feedback?: readonly FeedbackEvent[];
  previous: KeptState | undefined;
  /** Time limit of a stage in milliseconds, if less than its own. */
  withinMs?: number | undefined;
  /** Whether the files of the workspace may be a stranger's: then none of them is told. */
  isForeign?: boolean;
  /** A model waits: lines that only the file has are made later, from the same input. */
  forModel?: boolean | undefined;
}

/** The input of a stage. The same context gives the same section. What stages share is read once. */
export interface StageContext extends ContextInput {
  local: LocalTime;
  linesOf(path: string): readonly string[];
  runCommand: RunCommand;
  mood(): Promise<Mood>;
  handover(): Promise<CurrentWork | undefined>;
  tasks(): Promise<TaskBook>;
  agenda(): Promise<Agenda>;
}

export type InjectionEvent = 'start' | 'clear' | 'compact' | 'resume' | 'prompt' | 'subagent';

/** The part of a line for the model. A line without it stays in the file. */
interface Injectable {
  /** Identifies the fact, whatever its current wording: the ledger uses this key. */
  key: string;
  /** The line, understandable without its section's heading; that of the file unless given. */
  text?: string;
  /** Events at which it may be said; by default all except `subagent`. */
  at?: readonly InjectionEvent[];
  /** Repeated only after so long, even if its wording changes; unless given, whenever the wording changes. */
  everyMs?: number;
  /** Keys of other facts that the line says as well, in short. */
  covers?: readonly string[];
}

/** A line of a section. If the block is over its budget, whole lines are dropped, lowest priority first. */
export interface SectionLine {
  text: string;
  /** From 0 (dropped first) to 100; the stage's own unless given. */
  priority?: number;
  why?: string | undefined;
  inject?: Injectable;
  step?: string;
  /** Whether it is made from the spaces (plan, notes, refs), and outdated when they change. */
  ofSpaces?: boolean | undefined;
  /** The branch that it names: it is outdated on another one. */
  branch?: string | undefined;
}

export interface Section {
  title?: string;
  lines: readonly SectionLine[];
  /** Inputs that it could not read, and why, for `status`. */
  problems?: readonly string[];
}

export interface Stage {
  id: string;
  title: string;
  /** Priority of its lines, 0 to 100. */
  priority: number;
  timeoutMs: number;
  /** What a model may be told: every line, or a part, to which the stage limits itself with `context.forModel`. */
  tells?: 'all' | 'part';
  /**
   * @param limit its time limit, at which the signal aborts and the result is ignored
   * @returns `null` if there is nothing worth saying
   */
  run(
    context: StageContext,
    limit: { ms: number; signal: AbortSignal },
  ): Promise<Section | null> | Section | null;
}

/** A built-in stage, completed by its row in `pad/sections.ts`. */
export type BuiltInStage = Pick<Stage, 'priority' | 'run' | 'tells'>;

/**
 * Priorities of lines, 0 to 100. If the block is over its budget, whole lines are dropped, lowest priority first. The lines of the
 * design's schema come before additions of ours. Lines of custom stages have 50 unless their config says otherwise.
 */
export const PRIORITY = {
  localTime: 95,
  style: 92,
  alertWithinHours: 91,
  mood: 90,
  tone: 88,
  verbosity: 86,
  workingOn: 85,
  preamble: 84,
  alertToday: 82,
  valence: 81,
  confidence: 80,
  longGap: 79,
  firstMemory: 78,
  lastTopic: 77,
  secondMood: 76,
  quietHours: 75,
  routing: 74,
  gap: 73,
  lastNote: 71,
  secondMemory: 70,
  trajectory: 68,
  alertLater: 64,
  speaker: 62,
  thirdMemory: 60,
  handover: 59,
  files: 58,
  suggestion: 56,
  branch: 40,
} as const;
