import { join } from 'node:path';
import { attempt, type ScratchpadError, usageError } from '../base/errors.ts';
import { isObject } from '../base/text/json.ts';
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

/** What a part of a command accepts, and its value; `undefined` for what it does not accept. */
type Part = readonly [expected: string, read: (value: unknown) => unknown];

const PARTS: ReadonlyMap<string, Part> = new Map(
  Object.entries<Part>({
    command: [
      'a command: the name of a program, or a path to one',
      (value) => (isWord(value) && value.trim() !== '' ? value : undefined),
    ],
    args: [
      'args as a list of strings',
      (value) => {
        const texts = [value].flat().map((arg) => (typeof arg === 'number' ? String(arg) : arg));
        return texts.every(isWord) ? texts : undefined;
      },
    ],
    timeout: ['a timeout such as 2s, at most 60s', parseTimeout],
    title: [
      `a title of at most ${LONGEST_TITLE} letters, digits and spaces`,
      (value) => (typeof value === 'string' && isTitle(value) ? value.trim() : undefined),
    ],
    priority: [
      'a priority from 0 (dropped first) to 100',
      (value) => (typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined),
    ],
  }),
);

/**
 * Reads a command setting: a program, a list of a program and its arguments, or `{command, args, timeout,
 * title, priority}`.
 * @throws ScratchpadError `usage` with what was expected
 */
export function readCommand(key: string, value: unknown, origin: string): CommandSpec {
  const [first, ...rest] = [value].flat() as unknown[];
  const input = typeof value === 'string' || Array.isArray(value) ? { command: first, args: rest } : value;
  if (!isObject(input)) throw invalidCommand(key, 'a program, or {command, args, timeout}', value);

  const read = Object.entries({ command: undefined, ...input }).map(([name, part]) => {
    const readPart = PARTS.get(name);
    if (readPart === undefined) throw invalidCommand(key, `only ${[...PARTS.keys()].join(', ')}`, name);

    const [expected, reader] = readPart;
    const taken = reader(part);

    if (taken === undefined) throw invalidCommand(key, expected, part);

    return [name, taken];
  });

  const { command, timeout, ...parts } = Object.fromEntries(read) as Partial<CommandSpec> & {
    timeout?: number;
  };

  if (command === undefined || (/\s/.test(command) && !command.includes('/')))
    throw invalidCommand(key, 'only a program; its arguments go into args', command);

  return {
    args: [],
    ...parts,
    key,
    id: key.slice(key.lastIndexOf('.') + 1),
    command,
    origin,
    timeoutMs: timeout,
  };
}

const isWord = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

function parseTimeout(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value : '';
  const exact = /^(\d{1,5})\s*ms$/.exec(text)?.[1];
  const ms = exact === undefined ? (attempt(() => parseDuration(text)) ?? 0) : Number(exact);
  return ms > 0 && ms <= LONGEST_TIMEOUT_MS ? ms : undefined;
}

export function isTitle(text: string): boolean {
  return new RegExp(TITLE_PATTERN, 'u').test(text) && [...text].length <= LONGEST_TITLE;
}

export function formatCommand({ command, args }: Pick<CommandSpec, 'command' | 'args'>): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

export function invalidCommand(key: string, expected: string, value: unknown): ScratchpadError {
  return usageError(`${key} is not valid`, {
    where: key,
    expected,
    found: typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'),
  });
}

/** Expands `~/bin/x` to a path, since no shell does it here. */
export function expandHome(word: string, env: NodeJS.ProcessEnv): string {
  return word.startsWith('~/') && env.HOME ? join(env.HOME, word.slice(2)) : word;
}
