import type { Config } from '../config/config.ts';
import type { RunCommand } from '../config/runner.ts';
import type { Message } from '../transcript/read.ts';
import type { WindowCache } from '../window-cache.ts';

/** What a mood is read from. */
export interface MoodInput {
  workspace: string;
  /** Id of the host's session. */
  session: string | undefined;
  /** The window, oldest first. */
  messages: readonly Message[];
  /** Epoch milliseconds; `undefined` for the time of the last message. */
  now: number | undefined;
  /** `undefined` where the zone is not known. */
  utcOffsetMinutes: number | undefined;
  config: Config;
  runCommand: RunCommand;
  /** What is kept of the window; its owner writes it. */
  kept?: WindowCache;
  /** Milliseconds that the caller has in all. */
  withinMs?: number;
}
