import type { ChildProcess } from 'node:child_process';

/** How a command ended. */
export interface Ended {
  /** `null` if a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A command that was started. */
export interface Running {
  child: ChildProcess;
  /** Rejects if the command could not be started. */
  ended: Promise<Ended>;
}
