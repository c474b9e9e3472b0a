import type { Times } from '../../assembly/triggers/times.ts';
import type { Target } from './change.ts';
import type { Scope } from './hosts.ts';
import type { Program } from './program.ts';

export interface InstallContext {
  root: string;
  env: NodeJS.ProcessEnv;
  scope: Scope;
  program: Program;
  /** For `agents-md`: the file, relative to the workspace. */
  file?: string | undefined;
  /** For a timer: the session, if it is not the primary one, and the times. */
  session?: string | undefined;
  times?: Times;
}

export interface Installation {
  /** For a host the first target is the one with the hooks. */
  targets: Target[];
  /** The hooks are in another scope: this one adds the person's own parts. */
  withoutHooks?: boolean;
  notes: string[];
  /** The commands that start a service of the system, once its files are there, and that stop it, before they go. */
  service?: { start: readonly string[][]; stop: readonly string[][] };
}
