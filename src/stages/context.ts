import { commandRunner } from '../config/runner.ts';
import type { Config } from '../config/settings.ts';
import type { Standing } from '../handover/index.ts';
import type { FeedbackEvent } from '../sentiment/feedback/remarks.ts';
import type { Spaces } from '../session/journal.ts';
import type { KeptState } from '../session/state-file.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { Sign } from '../transcript/types.ts';
import type { TaskBook } from './alerts/alert.ts';
import { readTasks } from './alerts/tasks.ts';
import { type Agenda, readAgenda } from './calendar/agenda.ts';
import type { Clock } from './clock.ts';
import { dailyNotesUntil } from './daily-notes.ts';
import { type Mood, readMood } from './mood.ts';
import { linesOfFile } from './quote.ts';
import type { StageContext } from './stage.ts';

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
