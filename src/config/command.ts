import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { misuse, type ScratchpadError, tried } from '../base/errors.ts';
import { safeLine } from '../base/safety/index.ts';
import { parseDuration } from '../pad/freshness.ts';
import type { Trust } from './trust.ts';

/**
 * A command that a config file names: a program and its arguments, run without a shell. `trust.ts` decides
 * whether it may run.
 */
export interface CommandSpec {
  /** The setting that names it, such as `stages.weather`. */
  key: string;
  /** The last part of the key. */
  id: string;
  command: string;
  args: readonly string[];
  /** The config file that names it. */
  origin: string;
  timeoutMs?: number | undefined;
  title?: string | undefined;
  /** 0 to 100. */
  priority?: number | undefined;
}

const LONGEST_TIMEOUT_MS = 60_000;
const LONGEST_TITLE = 40;
/** Words without Markdown structure. Needs the flag `u`. */
const TITLE_PATTERN = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} '’&,.:()/-]*$";
const COMMAND_PARTS = ['command', 'args', 'timeout', 'title', 'priority'] as const;

/**
 * Reads a command setting: a program, a list of a program and its arguments, or `{command, args, timeout,
 * title, priority}`.
 * @throws ScratchpadError `usage` with what was expected
 */
export function readCommand(key: string, value: unknown, origin: string): CommandSpec {
  const [first, ...rest] = [value].flat() as unknown[];
  const given: unknown =
    typeof value === 'string' || Array.isArray(value) ? { command: first, args: rest } : value;
  if (given === null || typeof given !== 'object')
    throw unusable(key, 'a program, or {command, args, timeout}', value);
  const parts = new Map<string, unknown>(Object.entries(given));
  const strange = [...parts.keys()].find((part) => !COMMAND_PARTS.some((known) => known === part));
  if (strange !== undefined) throw unusable(key, `only ${COMMAND_PARTS.join(', ')}`, strange);
  const [command, args = []] = [parts.get('command'), parts.get('args')];
  if (typeof command !== 'string' || command.trim() === '' || command.includes('\0'))
    throw unusable(key, 'a command: the name of a program, or a path to one', command);
  if (/\s/.test(command) && !command.includes('/'))
    throw unusable(key, 'only a program; its arguments go into args', command);
  return {
    key,
    id: key.slice(key.lastIndexOf('.') + 1),
    command,
    args: textsOf(key, args),
    origin,
    timeoutMs: parts.has('timeout') ? timeoutOf(key, parts.get('timeout')) : undefined,
    title: parts.has('title') ? titleOf(key, parts.get('title')) : undefined,
    priority: parts.has('priority') ? priorityOf(key, parts.get('priority')) : undefined,
  };
}

/** The command as a person would type it, for display. */
export function spellCommand({ command, args }: Pick<CommandSpec, 'command' | 'args'>): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

function textsOf(key: string, args: unknown): string[] {
  const texts = Array.isArray(args)
    ? args.map((arg: unknown) => (typeof arg === 'number' ? String(arg) : arg))
    : [args];
  if (texts.every((text): text is string => typeof text === 'string' && !text.includes('\0'))) return texts;
  throw unusable(key, 'args as a list of strings', args);
}

function timeoutOf(key: string, value: unknown): number {
  const text = typeof value === 'string' ? value : '';
  const exact = /^(\d{1,5})\s*ms$/.exec(text)?.[1];
  const ms = exact === undefined ? (tried(() => parseDuration(text)) ?? 0) : Number(exact);
  if (ms > 0 && ms <= LONGEST_TIMEOUT_MS) return ms;
  throw unusable(key, 'a timeout such as 2s, at most 60s', value);
}

/** Whether a text may be the heading of a section. */
export function isTitle(text: string): boolean {
  return new RegExp(TITLE_PATTERN, 'u').test(text) && [...text].length <= LONGEST_TITLE;
}

function titleOf(key: string, value: unknown): string {
  if (typeof value === 'string' && isTitle(value)) return value.trim();
  throw unusable(key, `a title of at most ${LONGEST_TITLE} letters, digits and spaces`, value);
}

function priorityOf(key: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 100) return value;
  throw unusable(key, 'a priority from 0 (dropped first) to 100', value);
}

function unusable(key: string, expected: string, value: unknown): ScratchpadError {
  return misuse(`${key} is not valid`, {
    where: key,
    expected,
    found: typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'),
  });
}

/** Expands `~/bin/x` to a path, since no shell does it here. */
export function atHome(word: string, env: NodeJS.ProcessEnv): string {
  return word.startsWith('~/') && env.HOME ? join(env.HOME, word.slice(2)) : word;
}

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
  let trust: Trust | undefined;
  return async ({ key, timeoutMs: own }, input, limits) => {
    if (env[WITHIN_COMMAND]) throw new Error('not run: the caller is such a command itself');
    const { inspectTrust, NOT_TRUSTED } = await import('./trust.ts');
    trust ??= inspectTrust(root, env);
    const { commands, workspace } = trust;
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

/** A command of the user: a program and its arguments, run without a shell. */
export interface UserCommand {
  /** A program on the PATH, or a path to one. */
  command: string;
  args?: readonly string[];
  cwd: string;
  /** Its stdin, usually JSON. */
  input: string;
  timeoutMs: number;
  /** Most bytes of stdout; a command that writes more is killed. */
  maxOutput?: number;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

export interface UserCommandResult {
  /** At most `maxOutput` bytes, neither redacted nor escaped. */
  stdout: string;
  /** The end of its stderr, for a person to read. */
  stderr: string;
  /** `null` if it was killed, by us or by a signal. */
  exitCode: number | null;
  timedOut: boolean;
  flooded: boolean;
}

/**
 * Set for every command of the user, so that a `scratchpad` that it calls does not run such commands again.
 */
export const WITHIN_COMMAND = 'SCRATCHPAD_WITHIN_COMMAND';

const MOST_OUTPUT = 64 * 1024;
const STDERR_KEPT = 2000;
/** How long to wait for the pipes to close after the command has ended. */
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
 * Runs a command with JSON on its stdin. Never rejects because of the command: if it hangs it is killed with
 * its children, too much output is cut, and a missing program is exit code 127 as in a shell. The caller
 * checks trust (`config/trust.ts`).
 */
export async function runUserCommand(request: UserCommand): Promise<UserCommandResult> {
  const { execa } = await import('execa');
  const { command, args = [], cwd, input, timeoutMs, maxOutput = MOST_OUTPUT, signal } = request;
  const grouped = process.platform !== 'win32';
  const [file, argv] = grouped ? ['/bin/sh', ['-c', KEEPER, 'sh', command, ...args]] : [command, [...args]];
  const child = execa(file, argv, {
    cwd,
    env: { ...(request.env ?? process.env), [WITHIN_COMMAND]: '1' },
    extendEnv: false,
    stdio: grouped ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
    detached: grouped,
    buffer: false,
    reject: false,
  });
  // Its own promise waits for pipes that an escaped process may hold open; ours does not.
  child.catch(() => undefined);
  const end = (): void => {
    // It may have ended already.
    tried(() => (grouped && child.pid ? process.kill(-child.pid, 'SIGKILL') : child.kill('SIGKILL')));
  };
  let timedOut = false;
  let flooded = false;
  const timer = globalThis.setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();

  const out: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    if (size < maxOutput) out.push(bytes.subarray(0, maxOutput - size));
    size += bytes.length;
    if (size > maxOutput && !flooded) {
      flooded = true;
      end();
    }
  });
  let stderr = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = (stderr + bytes.toString('utf8')).slice(-STDERR_KEPT);
  });
  // A command need not read its stdin.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);

  const exit = await new Promise<{ code: number | null; fault?: Error }>((resolve) => {
    child.once('exit', (code) => resolve({ code }));
    child.once('error', (fault) => resolve({ code: null, fault }));
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
  // Ends anything that it left running.
  end();
  if (!exit.fault) {
    // A process that has left its group may hold the pipes open forever.
    const open = [child.stdout, child.stderr].filter((stream) => stream?.readable === true);
    const ended = Promise.all(open.map((stream) => stream && once(stream, 'close')));
    await Promise.race([ended, setTimeout(DRAIN_MS, undefined, { ref: false })]);
  }
  for (const stream of child.stdio) stream?.destroy();
  return {
    stdout: Buffer.concat(out).toString('utf8'),
    stderr: exit.fault ? exit.fault.message : stderr.trim(),
    exitCode: timedOut || flooded || signal?.aborted ? null : exit.fault ? 127 : exit.code,
    timedOut,
    flooded,
  };
}
