import { join } from 'node:path';
import { tryStat } from '../base/fs/index.ts';
import type { Config } from '../config/config.ts';
import { commandRunner } from '../config/runner.ts';
import type { Standing } from '../handover/index.ts';
import { DAY } from '../memory/dates.ts';
import type { FeedbackEvent } from '../sentiment/feedback/remarks.ts';
import type { Spaces } from '../session/journal.ts';
import type { KeptState } from '../session/state-file.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { Sign } from '../transcript/types.ts';
import { type Agenda, readAgenda } from './calendar.ts';
import type { Clock } from './clock.ts';
import { linesOfFile } from './quote.ts';
import { type Mood, readMood } from './sentiment.ts';
import type { DailyNote, StageContext } from './stage.ts';
import type { TaskBook } from './tasks.ts';
import { readTasks } from './tasks.ts';

export interface ContextInput {
  workspace: string;
  /** Epoch milliseconds. */
  now: number;
  clock: Clock;
  messages: readonly Message[];
  /** Calls refused by the person, and the times when they stopped the agent. */
  signs?: readonly Sign[] | undefined;
  facts: SessionFacts | undefined;
  spaces: Spaces;
  config: Config;
  /**
   * The caller's environment, in which commands of the config run, and which locates approvals. Without it none
   * runs.
   */
  env?: NodeJS.ProcessEnv;
  refreshMemory?: () => void;
  /** Opens the session's hand-over; called at most once. */
  openHandover?: () => Promise<Standing | undefined>;
  /** Id of the host's session with these `messages`. */
  from?: string;
  /** Name of the host that reads the answer. */
  host?: string;
  feedback?: readonly FeedbackEvent[];
  previous: KeptState | undefined;
  /** Time limit of a stage in milliseconds, if less than its own. */
  withinMs?: number;
}

/** Adds the data that stages share, each read at most once. */
export function stageContext(input: ContextInput): StageContext {
  const { workspace, now, clock, config } = input;
  const local = clock(now);
  const dailyNotes = dailyNotesUntil(workspace, local.date);
  const runCommand = commandRunner(workspace, input.env ?? {});
  const linesRead = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    const lines = linesRead.get(path) ?? linesOfFile(workspace, path);
    linesRead.set(path, lines);
    return lines;
  };
  let mood: Mood | undefined;
  let handover: Promise<Standing | undefined> | undefined;
  let agenda: Promise<Agenda> | undefined;
  let tasks: TaskBook | undefined;
  const context: StageContext = {
    ...input,
    local,
    dailyNotes,
    linesOf,
    runCommand,
    session: input.from,
    home: input.env?.HOME,
    agenda: () => {
      // Several stages ask, and a broken calendar must not cost them their sections.
      agenda ??= readAgenda({
        workspace,
        calendars: config.alerts.calendars,
        home: input.env?.HOME,
        now,
        clock,
      }).catch((error: unknown) => ({
        appointments: [],
        problems: [`the calendars cannot be read: ${error instanceof Error ? error.message : error}`],
      }));
      return agenda;
    },
    handover: () => {
      handover ??= input.openHandover?.() ?? Promise.resolve(undefined);
      return handover;
    },
    tasks: () => {
      tasks ??= readTasks(context);
      return tasks;
    },
    mood: () => {
      mood ??= readMood({
        ...input,
        feedback: { events: input.feedback ?? [], lastsMs: config.feedback.lasts },
      });
      return mood;
    },
  };
  return context;
}

/** Days in which a note counts as one of the daily notes. */
const DAYS = 100;

/** The notes `memory/YYYY-MM-DD.md` of the days up to and including a date, newest first. */
export function dailyNotesUntil(workspace: string, until: string): DailyNote[] {
  const folder = join(workspace, 'memory');
  if (tryStat(folder) === undefined) return [];
  const last = Date.parse(until);
  // Looked up by name: a folder may hold a hundred thousand files.
  return Array.from({ length: DAYS }, (_, ago) => new Date(last - ago * DAY).toISOString().slice(0, 10))
    .filter((date) => tryStat(join(folder, `${date}.md`)) !== undefined)
    .map((date) => ({ path: `memory/${date}.md`, date }));
}
