import { join } from 'node:path';
import { misuse, type ScratchpadError, tried } from '../base/errors.ts';
import { parseDuration } from '../pad/freshness.ts';

/**
 * A command that a config file names: a program and its arguments, run without a shell. `trust.ts` decides
 * whether it may run.
 */
export interface CommandSpec {
  /** The setting that names it, such as `stages.weather`. */
  key: string;
  id: string;
  command: string;
  args: readonly string[];
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
