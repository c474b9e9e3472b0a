import type { Times } from '../../assembly/triggers/times.ts';
import type { Target } from './change.ts';
import type { Scope } from './hosts.ts';
import type { Program, Service } from './program.ts';

export interface InstallContext {
  root: string;
  env: NodeJS.ProcessEnv;
  scope: Scope;
  program: Program;
  /** For `agents-md`: the file, relative to the workspace. */
  file?: string | undefined;
  /** For `install claude-code`: whether hooks are wanted where the plugin could be. */
  hooks?: boolean | undefined;
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
  service?: Service;
}
