import type { InstalledTimer } from '../../assembly/triggers/record.ts';
import type { Target } from './change.ts';
import type { Program } from './program.ts';
import type { Service } from './system.ts';

export type Scope = 'project' | 'local' | 'user';

/** When a timer is to run, as typed. */
export interface TimerOptions {
  every?: string;
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
  file?: string | undefined;
  /** For a timer: the session, if it is not the primary one, and the times. */
  session?: string | undefined;
  times?: TimerOptions;
}

export interface Installation {
  /** For a host the first target is the one with the hooks. */
  targets: Target[];
  /** The hooks are in another scope: this one adds the person's own parts. */
  withoutHooks?: true;
  /** What it does, one line each, for a person who is asked to confirm; without it all changes are shown. */
  does?: string[];
  /** What a person still has to do. */
  notes: string[];
  /** The service to notify about the files. */
  service?: Service;
  /** What `doctor` checks for afterwards. */
  installed?: InstalledTimer;
}
