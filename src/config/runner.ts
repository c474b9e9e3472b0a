import { safeLine } from '../base/safety/index.ts';
import { atHome, type CommandSpec } from './command.ts';
import type { Trust } from './trust.ts';

export interface RunLimits {
  /** Upper limit in milliseconds, if less than the command's own timeout. */
  timeoutMs: number;
  /** Most bytes of output. */
  maxOutput?: number;
  signal?: AbortSignal;
}

/**
 * Runs a command of the config with `input` on its stdin and returns its output.
 * @throws Error with a one-line message: not trusted, timeout, too much output, or an exit code
 */
export type RunCommand = (spec: CommandSpec, input: string, limits: RunLimits) => Promise<string>;

/** A command runner for one assembly: trust is checked once, when the first command runs. */
export function commandRunner(root: string, env: NodeJS.ProcessEnv): RunCommand {
  let trust: Promise<Trust> | undefined;
  return async ({ key, timeoutMs: own }, input, limits) => {
    const { runUserCommand, WITHIN_COMMAND } = await import('../base/safety/user-command.ts');
    if (env[WITHIN_COMMAND]) throw new Error('not run: the caller is such a command itself');
    const { inspectTrust, NOT_TRUSTED } = await import('./trust.ts');
    trust ??= Promise.resolve(inspectTrust(root, env));
    const { commands, workspace } = await trust;
    // Run the command that was checked, not the one in a cache.
    const found = commands.find(({ spec }) => spec.key === key);
    if (found === undefined) throw new Error(NOT_TRUSTED);
    if (found.refused !== undefined) throw new Error(found.refused);
    const timeoutMs = Math.min(own ?? limits.timeoutMs, limits.timeoutMs);
    const result = await runUserCommand({
      ...limits,
      command: atHome(found.spec.command, env),
      args: found.spec.args.map((arg) => atHome(arg, env)),
      cwd: workspace,
      env,
      input,
      timeoutMs,
    });
    if (result.timedOut) throw new Error(`no answer within ${timeoutMs} ms`);
    if (result.flooded) throw new Error('killed: it printed too much');
    if (result.exitCode !== 0) throw new Error(ending(result.exitCode, result.stderr));
    return result.stdout;
  };
}

function ending(code: number | null, stderr: string): string {
  const last = safeLine(stderr.slice(stderr.lastIndexOf('\n') + 1), 160);
  return `${code === null ? 'killed by a signal' : `exit code ${code}`}${last === '' ? '' : `: ${last}`}`;
}
