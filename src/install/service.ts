import { ScratchpadError } from '../errors.ts';
import { call, demand } from './call.ts';

/**
 * A system service that has to be notified when files are added or removed; each step is a list of commands.
 */
export interface Service {
  /** Check that it can be notified at all. */
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

/** Stops what is running. It is no error if it is not. */
export function tellQuietly(steps: readonly string[][], env: NodeJS.ProcessEnv): void {
  for (const step of steps) {
    try {
      call(step, env);
    } catch {
      // It is not running, which is no error.
    }
  }
}
