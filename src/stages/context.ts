import type { Config } from '../config/settings.ts';
import type { SentimentState } from '../sentiment/index.ts';
import type { Spaces } from '../session/journal.ts';
import type { Message, SessionFacts } from '../transcript/read.ts';
import type { Clock } from './clock.ts';
import { dailyNotes, lastEntry } from './daily-notes.ts';
import type { StageContext } from './stage.ts';

const DAY_MS = 86_400_000;

export interface ContextInput {
  workspace: string;
  /** Epoch milliseconds. */
  now: number;
  clock: Clock;
  messages: readonly Message[];
  facts: SessionFacts | undefined;
  spaces: Spaces;
  config: Config;
  refreshMemory?: () => void;
  previous: ReadonlyMap<string, readonly string[]>;
  previousUpdated: string | undefined;
}

/** Completes what stages share: the local time, the newest note, and the mood, which is read at most once. */
export function stageContext(input: ContextInput): StageContext {
  const { workspace, now, clock, messages, config } = input;
  const local = clock(now);
  const yesterday = clock(now - DAY_MS).date;
  const newest = dailyNotes(workspace, local.date)[0];
  let mood: Promise<SentimentState> | undefined;
  const readMood = async (): Promise<SentimentState> => {
    const { analyze, tryLoadModel } = await import('../sentiment/index.ts');
    return analyze(messages, {
      now,
      utcOffsetMinutes: local.offsetMinutes,
      windowMessages: config.window.messages,
      windowMs: config.window.age,
      model: tryLoadModel(),
    });
  };
  return {
    ...input,
    local,
    latestNote: newest && newest.date >= yesterday ? lastEntry(workspace, newest) : undefined,
    mood: () => {
      mood ??= readMood();
      return mood;
    },
  };
}
