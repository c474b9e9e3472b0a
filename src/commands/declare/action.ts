import type { Command } from 'commander';
import { type GlobalOptions, type Invocation, invoke } from '../invocation.ts';
import { unguard } from './dashes.ts';

/** A command's body: it takes the invocation, the arguments as declared, then the options. */
export type Body<Args extends unknown[]> = (invocation: Invocation, ...args: Args) => Promise<void> | void;

/** Turns a loader of a body into a commander action: the module is loaded when the command runs. */
export type Act = <Args extends unknown[]>(
  load: () => Promise<Body<Args>>,
) => (...args: unknown[]) => Promise<void>;

export function lazily(env: NodeJS.ProcessEnv, cwd: string, exit: (code: number) => void): Act {
  return (load) =>
    async (...args) => {
      // commander ends the list with the options and the command itself.
      const command = args.pop() as Command;
      const invocation = invoke(command.optsWithGlobals<GlobalOptions>(), env, cwd);
      const body = await load();
      await (body as Body<unknown[]>)(invocation, ...args.map(restore));
      exit(invocation.exitCode);
    };
}

function restore(value: unknown): unknown {
  if (typeof value === 'string') return unguard(value);
  if (Array.isArray(value)) return value.map(restore);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restore(inner)]));
  }
  return value;
}
