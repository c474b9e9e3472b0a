import type { InstalledTimer } from '../triggers/installed.ts';
import type { Target } from './change.ts';
import type { Program } from './program.ts';
import type { Service } from './service.ts';

export type Scope = 'project' | 'local' | 'user';

/** When a timer is to run, as it was typed. */
export interface TimerOptions {
  every?: string;
  cron?: string;
  activeHours?: string;
  timezone?: string;
}

export interface InstallContext {
  /** The workspace. */
  root: string;
  env: NodeJS.ProcessEnv;
  scope: Scope;
  program: Program;
  /** For `agents-md`: the file, relative to the workspace. */
  file?: string;
  /** For a timer: the session, when it is not the primary one, and when it runs. */
  session?: string;
  times?: TimerOptions;
}

export interface Installation {
  /** For a host the first is the one that has the hooks. */
  targets: Target[];
  /** The hooks are another scope's: this one adds what is the person's own. */
  withoutHooks?: true;
  /** What it does, a line each, for a person who is asked for a yes; without it they see every change. */
  does?: string[];
  /** What a person still has to do. */
  notes: string[];
  /** What has to be told of the files. */
  service?: Service;
  /** What `doctor` looks for from then on. */
  installed?: InstalledTimer;
}
