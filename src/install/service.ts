import { ScratchpadError } from '../errors.ts';
import { call, demand } from './call.ts';

/** A program of the system that has to be told of new files, and of their end: each step a command. */
export interface Service {
  /** Tells whether it can be told at all. */
  check: readonly string[][];
  /** After the files are written. */
  start: readonly string[][];
  /** Before the files are changed or go. */
  stop: readonly string[][];
  /** After the files have gone. */
  gone: readonly string[][];
  /** For the person. */
  notes: readonly string[];
}

/** @throws ScratchpadError `environment` before anything is written */
export function checkService({ check }: Service, env: NodeJS.ProcessEnv): void {
  for (const step of check) {
    try {
      demand(step, env);
    } catch (error) {
      if (!(error instanceof ScratchpadError)) throw error;
      throw new ScratchpadError('environment', `${error.message}: nothing was changed`, {
        ...error.detail,
        next: 'try another timer: cron, systemd, launchd, openclaw-automation; or scratchpad schedule',
      });
    }
  }
}

/** @throws ScratchpadError `environment` */
export function startService({ start }: Service, env: NodeJS.ProcessEnv): void {
  for (const step of start) demand(step, env);
}

/** Ends what runs. What does not run any more, or never did, is no fault. */
export function tellQuietly(steps: readonly string[][], env: NodeJS.ProcessEnv): void {
  for (const step of steps) {
    try {
      call(step, env);
    } catch {
      // As said above.
    }
  }
}
