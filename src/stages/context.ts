import type { Config } from '../config/config.ts';
import { commandRunner } from '../config/runner.ts';
import type { FeedbackEvent } from '../feedback/types.ts';
import type { Spaces } from '../session/journal.ts';
import type { Trail } from '../trail/index.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { Sign } from '../transcript/types.ts';
import type { WindowCache } from '../transcript/window-cache.ts';
import type { TaskBook } from './alerts/task-book.ts';
import { readTasks } from './alerts/tasks.ts';
import { type Agenda, readAgenda } from './calendar/agenda.ts';
import type { Clock } from './clock.ts';
import { wordsOf } from './common-words.ts';
import { dailyNotes, newsOf } from './daily-notes.ts';
import { type Mood, readMood } from './mood.ts';
import { linesOfFile } from './quote.ts';
import type { StageContext } from './stage.ts';

const DAY_MS = 86_400_000;
const SPOKEN_MESSAGES = 6;
const SPOKEN_CHARACTERS = 2000;

export interface ContextInput {
  workspace: string;
  /** Epoch milliseconds. */
  now: number;
  clock: Clock;
  messages: readonly Message[];
  /** Calls that the person refused, and times at which they stopped the agent. */
  signs?: readonly Sign[] | undefined;
  facts: SessionFacts | undefined;
  spaces: Spaces;
  config: Config;
  /** Of the caller: what commands of the config run in, and where approvals are kept. Without it none runs. */
  env?: NodeJS.ProcessEnv;
  refreshMemory?: () => void;
  /** What is kept of the window between processes; its owner writes it. */
  kept?: WindowCache;
  /** Opens the trail of the session; asked at most once. */
  openTrail?: () => Promise<Trail | undefined>;
  /** Id of the host's session that `messages` are from. */
  from?: string;
  feedback?: readonly FeedbackEvent[];
  previous: ReadonlyMap<string, readonly string[]>;
  previousUpdated: string | undefined;
  /** Longest that a stage may take, milliseconds, if less than its own limit. */
  withinMs?: number;
}

/** Completes what stages share: the local time, the newest note, and the mood, which is read at most once. */
export function stageContext(input: ContextInput): StageContext {
  const { workspace, now, clock, messages, config } = input;
  const local = clock(now);
  const yesterday = clock(now - DAY_MS).date;
  const notes = dailyNotes(workspace, local.date, input.kept);
  const newest = notes[0];
  const runCommand = commandRunner(workspace, input.env ?? {});
  const linesRead = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    const lines = linesRead.get(path) ?? linesOfFile(workspace, path);
    linesRead.set(path, lines);
    return lines;
  };
  let mood: Promise<Mood> | undefined;
  let trail: Promise<Trail | undefined> | undefined;
  let agenda: Promise<Agenda> | undefined;
  let tasks: TaskBook | undefined;
  const context: StageContext = {
    ...input,
    local,
    notes,
    linesOf,
    runCommand,
    latestNote:
      newest && newest.date >= yesterday
        ? newsOf(newest, linesOf(newest.path), spokenIn(messages))
        : undefined,
    session: input.from,
    home: input.env?.HOME,
    agenda: () => {
      // Several stages ask: what goes wrong with a calendar must not cost them their sections.
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
    trail: () => {
      trail ??= input.openTrail?.() ?? Promise.resolve(undefined);
      return trail;
    },
    tasks: () => {
      tasks ??= readTasks(context);
      return tasks;
    },
    mood: () => {
      mood ??= readMood({
        ...input,
        session: input.from ?? input.facts?.id,
        feedback: { events: input.feedback ?? [], halfLifeMs: config.feedback.halfLife },
        utcOffsetMinutes: local.offsetMinutes,
        runCommand,
      });
      return mood;
    },
  };
  return context;
}

/** Words of the last messages of the person: what a note is compared with. */
function spokenIn(messages: readonly Message[]): Set<string> {
  const spoken = messages.filter(({ role }) => role === 'user').slice(-SPOKEN_MESSAGES);
  return new Set(spoken.flatMap(({ content }) => wordsOf(content.slice(0, SPOKEN_CHARACTERS))));
}
