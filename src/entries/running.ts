import type { ChildProcess } from 'node:child_process';

/** How a command ended. */
export interface Ended {
  /** `null` when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A command that was started. */
export interface Running {
  child: ChildProcess;
  /** Rejects with the reason when it could not be started. */
  ended: Promise<Ended>;
}
