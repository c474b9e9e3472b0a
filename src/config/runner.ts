import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { attempt } from '../base/errors.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { type CommandSpec, expandHome } from './command.ts';
import type { Trust } from './trust.ts';

interface RunLimits {
  /** Upper limit in milliseconds, if less than the command's own timeout. */
  timeoutMs: number;
  /** Most bytes of stdout; a command that writes more is killed. */
  maxOutput?: number;
  signal?: AbortSignal;
}

/** @returns the output @throws Error with a one-line message: not trusted, timeout, too much output, an exit code */
export type RunCommand = (spec: CommandSpec, input: string, limits: RunLimits) => Promise<string>;

/** A command runner for one assembly: trust is checked once, when the first command runs. */
export function createCommandRunner(root: string, env: NodeJS.ProcessEnv): RunCommand {
  let trust: Trust | undefined;
  return async ({ key, timeoutMs: own }, input, limits) => {
    if (env[WITHIN_COMMAND]) throw new Error('not run: the caller is such a command itself');

    const { inspectTrust, NOT_TRUSTED } = await import('./trust.ts');
    trust ??= inspectTrust(root, env);
    const { commands, workspace } = trust;
    // The command that was checked is run: the config may have changed since it was loaded.
    const checked = commands.find(({ spec }) => spec.key === key);

    if (checked === undefined) throw new Error(NOT_TRUSTED);
    if (checked.refused !== undefined) throw new Error(checked.refused);

    return runUserCommand({
      ...limits,
      command: expandHome(checked.spec.command, env),
      args: checked.spec.args.map((arg) => expandHome(arg, env)),
      cwd: workspace,
      env,
      input,
      timeoutMs: Math.min(own ?? limits.timeoutMs, limits.timeoutMs),
    });
  };
}

interface UserCommand extends RunLimits {
  command: string;
  args?: readonly string[];
  cwd: string;
  input: string;
  env?: NodeJS.ProcessEnv;
}

/** Set for every command of the user, so that a `scratchpad` that it calls does not run such commands again. */
const WITHIN_COMMAND = 'SCRATCHPAD_WITHIN_COMMAND';

const MOST_OUTPUT = 64 * 1024;
const STDERR_KEPT = 2000;
const DRAIN_MS = 100;

/**
 * The shell that runs the command, in a process group of its own. Its watcher waits on a pipe that closes
 * when this process ends, for whatever reason: a host that kills a hook must not leave the hook's commands
 * running. The shell waits for the watcher too: in a container whose first process does not collect orphans,
 * each watcher would remain as a zombie.
 */
const KEEPER = `(read -r _ <&3; kill -9 0) >/dev/null 2>&1 & watcher=$!
"$@" 3<&-
code=$?
kill -9 $watcher
wait $watcher 2>/dev/null
exit $code`;

/**
 * Runs a command with JSON on its stdin; if it hangs it is killed with its children. The caller checks trust
 * (`config/trust.ts`).
 * @returns its output, neither redacted nor escaped
 * @throws Error with a one-line message: timeout, too much output, or an exit code, 127 for a missing program
 */
export async function runUserCommand(request: UserCommand): Promise<string> {
  const { command, args = [], cwd, input, timeoutMs, maxOutput = MOST_OUTPUT, signal } = request;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', command, ...args], {
    cwd,
    env: { ...(request.env ?? process.env), [WITHIN_COMMAND]: '1' },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });

  const timeout = AbortSignal.timeout(timeoutMs);
  const flood = new AbortController();
  const stop = AbortSignal.any([timeout, flood.signal, ...(signal ? [signal] : [])]);
  // The group may have ended already.
  const killGroup = (): void => void attempt(() => child.pid && process.kill(-child.pid, 'SIGKILL'));
  stop.addEventListener('abort', killGroup);
  if (stop.aborted) killGroup();

  const stdout: Buffer[] = [];
  let room = maxOutput;
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => {
    stdout.push(bytes);
    room -= bytes.length;
    if (room < 0) flood.abort();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString('utf8')).slice(-STDERR_KEPT);
  });
  // A command need not read its stdin.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);

  const { code, fault } = await waitForExit(child);
  const isStopped = stop.aborted;
  stop.removeEventListener('abort', killGroup);
  // The command may have left something running.
  killGroup();
  await closePipes(child);

  if (flood.signal.aborted) throw new Error('killed: it printed too much');
  if (isStopped) throw new Error(timeout.aborted ? `no answer within ${timeoutMs} ms` : 'killed');
  if (code === 0) return Buffer.concat(stdout).toString('utf8');

  const lastLine = sanitizeLine(fault?.message ?? stderr.trim().split('\n').at(-1) ?? '', 160);
  const ending = code === null ? 'killed by a signal' : `exit code ${code}`;
  throw new Error(lastLine === '' ? ending : `${ending}: ${lastLine}`);
}

/** @returns the code 127 if the command could not be started, `null` if a signal ended it */
const waitForExit = (child: ChildProcess): Promise<{ code: number | null; fault?: Error }> =>
  new Promise((resolve) => {
    child.once('exit', (code) => resolve({ code }));
    child.once('error', (fault) => resolve({ code: 127, fault }));
  });

/** Waits for the end of the output, but not forever: a process that has left its group may hold the pipes open. */
async function closePipes({ pid, stdout, stderr, stdio }: ChildProcess): Promise<void> {
  const open = [stdout, stderr].filter((stream) => stream?.readable === true && pid !== undefined);
  const closed = Promise.all(open.map((stream) => stream && once(stream, 'close')));
  await Promise.race([closed, setTimeout(DRAIN_MS, undefined, { ref: false })]);
  for (const stream of stdio) stream?.destroy();
}
