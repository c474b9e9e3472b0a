import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { failure, getMessage, hasCode, refusal, ScratchpadError, usageError } from '../base/errors.ts';
import {
  decodeText,
  isInside,
  isTerminal,
  readArgumentBytes,
  readPiped,
  readStdin,
  readStdinBytes,
  resolvePlace,
  tryStat,
  write,
} from '../base/fs/index.ts';
import { findGitPlace } from '../base/git/place.ts';
import { renderSafeJson, sanitizeForTerminal } from '../base/safety/outgoing.ts';
import { detectHost } from '../session/actor.ts';
import { findSessionWorkspace } from '../session/host-session.ts';
import { findWorkspace, type Workspace } from '../session/workspace.ts';
import { findSessionFolder } from '../transcript/started-in.ts';

export { readStdin, write } from '../base/fs/index.ts';

/** The text of an answer, line by line; what is false or missing is left out. */
export type Lines = string | false | null | undefined | readonly Lines[];

export interface GlobalOptions {
  workspace?: string;
  session?: string;
  init?: boolean;
  json?: boolean;
  quiet?: boolean;
  now?: string;
}

/** One call of the program: its options, and where its output goes. Command bodies touch the process only through it. */
export interface Invocation {
  options: GlobalOptions;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The time of the call in epoch milliseconds: the clock, or `--now`. */
  now: number;
  /**
   * Prints to stdout: `value` as JSON with `--json`, else the lines without control sequences.
   * @param paint colours a line after it was made safe
   */
  print(value: unknown, lines: Lines, paint?: (line: string) => string): void;
  /** Prints the caller's own text: its bytes unchanged, unless stdout is a terminal. */
  printExact(value: unknown, text: string): void;
  /** Prints the outcome of a change: nothing with `--quiet`, unless `--json` is given. */
  report(value: unknown, lines: Lines): void;
  /** Has the outcome of a change name a pad that is above the current directory. */
  nameDistantPad(pad: string): void;
  /** Prints to stderr; nothing with `--quiet`. */
  note(text: string): void;
  /** Prints to stderr; with `--quiet` only what concerns a change that was asked for, which is `always`. */
  warn(warnings: readonly string[], always?: 'always'): void;
  exitCode: number;
}

export function invoke(options: GlobalOptions, env: NodeJS.ProcessEnv, cwd: string): Invocation {
  const printOutput = (value: unknown, text: string): void => {
    const output = options.json ? renderSafeJson(value, 2) : text;
    if (output !== '') write(1, output.endsWith('\n') ? output : `${output}\n`);
  };
  const paintLines = (text: string, paint: (line: string) => string): string =>
    sanitizeForTerminal(text).split('\n').map(paint).join('\n');
  let distantPad: string | undefined;

  return {
    options,
    env,
    cwd,
    now: parseNow(options.now),
    exitCode: 0,
    print(value, lines, paint = paintLine) {
      const text = [lines].flat(9).filter((line) => typeof line === 'string');
      printOutput(value, paintLines(text.join('\n'), paint));
    },
    report(value, lines) {
      if (!options.quiet || options.json) this.print(value, lines);
      if (distantPad !== undefined) this.note(`in ${distantPad}`);
    },
    printExact: (value, text) => printOutput(value, isTerminal(1) ? paintLines(text, paintLine) : text),
    nameDistantPad(pad) {
      distantPad = pad;
    },
    note(text) {
      if (!options.quiet) write(2, `${sanitizeForTerminal(text)}\n`);
    },
    warn(warnings, always) {
      if (options.quiet && !always) return;
      for (const warning of warnings)
        write(2, `${paint('yellow', 'warning:', 2)} ${sanitizeForTerminal(warning)}\n`);
    },
  };
}

/** The same call for work that prints its own events. */
export function silence(call: Invocation): Invocation {
  return { ...call, options: { ...call.options, quiet: true }, note: () => undefined };
}

/** The same call without `--session`, for commands that use it to name a host's session, not a pad. */
export function dropSession(call: Invocation): Invocation {
  return { ...call, options: { ...call.options, session: undefined } };
}

type Caller = Pick<Invocation, 'options' | 'env' | 'cwd'>;
type CallerPlace = Pick<Caller, 'env' | 'cwd'>;

/**
 * A text given as an argument, `-` for stdin, `--file`, or what is piped in. One newline at the end of a file
 * or stream belongs to the shell, not to the text.
 * @throws ScratchpadError `usage` when none or both are given, or the content is not text.
 */
export function readTextArgument(
  argument: string | undefined,
  file: string | undefined,
  place: CallerPlace,
): string {
  if (argument !== undefined && file !== undefined)
    throw usageError('two texts were given', { expected: 'an argument or --file, not both' });
  if (file !== undefined) return decodeArgument(readInput(resolveFile(file, place)), file);
  if (argument === '-') return decodeArgument(readStdinBytes(), 'stdin');
  if (argument !== undefined) return argument;

  const piped = readPipedText();
  if (piped?.trim()) return piped;

  throw usageError('no text was given', {
    expected: 'the text as an argument, - to read it from stdin, or --file PATH',
  });
}

/** Words as arguments, `-` for stdin, or what is piped in. A file on stdin may belong to a loop around the command. */
export function readWords(words: readonly string[]): string {
  if (words.length === 0) return readPipedText({ files: false, optional: true })?.trim() ?? '';
  return (words.length === 1 && words[0] === '-' ? readStdin() : words.join(' ')).trim();
}

/** The text that a shell pipes or redirects into this program; `undefined` if it does not. */
export function readPipedText(from?: { files?: boolean; optional?: boolean }): string | undefined {
  const bytes = readPiped(from);
  return bytes && decodeArgument(bytes, 'stdin');
}

/**
 * The new text of a whole space. An empty pipe or file is refused: the program that should have written it has
 * probably failed.
 * @throws ScratchpadError `usage`, and as `readTextArgument` does
 */
export function readReplacement(
  space: string,
  argument: string | undefined,
  file: string | undefined,
  place: CallerPlace,
): string {
  const text = readTextArgument(argument, file, place);
  const isFile = argument !== undefined && tryStat(resolve(place.cwd, argument))?.isFile() === true;
  if (isFile && argument !== '-' && space !== 'refs')
    throw usageError('the text is the name of a file: nothing was changed', {
      expected: `the content of the file: --file ${argument}`,
      found: argument,
      next: `to keep the name: scratchpad ${space} add`,
    });

  if (text.trim() !== '') return text;
  throw usageError('the input is empty: nothing was changed', {
    where: file ?? (argument === '-' ? 'stdin' : undefined),
    expected: 'a text',
    next: `to empty the space: scratchpad ${space} clear`,
  });
}

function decodeArgument(bytes: Buffer, where: string): string {
  const { text, encoding } = decodeText(bytes);
  const nul = text.indexOf('\0');
  if (nul === -1 && encoding.startsWith('UTF-')) return text.replace(/\r?\n$/, '');

  throw usageError('the input is not text: nothing was changed', {
    where,
    expected: 'UTF-8 or UTF-16 without NUL bytes',
    found: nul === -1 ? 'bytes that are not UTF-8' : `a NUL byte at ${nul}`,
    next: 'keep bytes in an entry: scratchpad entry write NAME -; convert text with: iconv -t UTF-8',
  });
}

/** @throws ScratchpadError `usage` if there is no file of that name, `environment` if it cannot be read. */
export function readInput(path: string): Buffer {
  try {
    return readArgumentBytes(path);
  } catch (error) {
    if (error instanceof ScratchpadError) throw error;
    const missing = hasCode(error, 'ENOENT', 'EISDIR', 'ENOTDIR');
    const detail = { where: path, expected: 'a readable file', found: getMessage(error), cause: error };
    throw (missing ? usageError : failure)('cannot read the file', detail);
  }
}

function parseNow(text: string | undefined): number {
  const time = text === undefined ? Date.now() : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw usageError('--now is not a valid time', {
    expected: 'an ISO 8601 time such as 2026-02-06T01:30:00+11:00',
    found: text,
  });
}

export const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text);

/** @throws ScratchpadError `usage` if it is not a number, or a smaller one than `least` */
export function parseNumber(text: string, what: string, least = 0): number {
  if (isNumber(text) && Number(text) >= least) return Number(text);
  throw usageError(`not ${what}`, { expected: 'a number such as 2', found: text });
}

export const OUTSIDE = 'run the command in a terminal of your own, outside the agent';

/** @throws ScratchpadError `refused` for a command of an agent, which may run unasked */
export function refuseAgent({ env }: Pick<Caller, 'env'>, message: string): void {
  if (detectHost(env) !== undefined) throw refusal(message, { next: OUTSIDE });
}

/**
 * The workspace of a command. A person's commands work anywhere. Those of an agent run unasked, so they stay in the
 * workspace of its session.
 * @param anywhere for commands that an agent's host starts, or asks the person about
 * @param exactly see `findWorkspace`
 * @throws ScratchpadError `refused` if an agent names another one than its session's
 */
export function resolveWorkspace(
  { options, env, cwd }: Caller,
  { anywhere = false, exactly = false } = {},
): Workspace {
  const workspace = findWorkspace(options.workspace, env, cwd, { exactly });
  if (anywhere || detectHost(env) === undefined) return workspace;

  const own = findSessionWorkspace(env, cwd, findSessionFolder);
  const isNamed = options.workspace !== undefined;

  if (own !== undefined && (!isNamed || resolvePlace(own.root) === resolvePlace(workspace.root))) return own;

  throw refusal('an agent works in the workspace of its session: nothing was done', {
    where: isNamed ? '--workspace' : 'SCRATCHPAD_WORKSPACE',
    expected: own?.root ?? findWorkspace(undefined, {}, cwd).root,
    found: options.workspace ?? env.SCRATCHPAD_WORKSPACE,
    next: OUTSIDE,
  });
}

export function canCreate({ options, env }: Pick<Caller, 'options' | 'env'>): boolean {
  if (!['', '0', 'off'].includes(env.SCRATCHPAD_INIT ?? '')) return true;
  return options.init === true && detectHost(env) === undefined;
}

/** Our own files, which hold the pads of other sessions, too. */
const OWN_FILE = /[\\/](?:\.scratchpad|\.git[\\/](?:.*[\\/])?scratchpad)[\\/]/;

/**
 * The path of a file that a command was given.
 * @throws ScratchpadError `refused` if an agent names a file outside the workspace of its session, or one of ours
 */
export function resolveFile(file: string, { env, cwd }: CallerPlace): string {
  const path = resolve(cwd, file);
  if (detectHost(env) === undefined) return path;

  const own = resolveWorkspace({ options: {}, env, cwd });
  const worktree = own.worktree === undefined ? undefined : findGitPlace(own.from ?? cwd)?.top;
  const tops = [own.root, worktree ?? own.root];
  const real = resolvePlace(path);
  if (own.exists && tops.some((top) => isInside(resolvePlace(top), real)) && !OWN_FILE.test(real))
    return path;

  throw refusal('an agent works on files of its workspace: nothing was done', {
    where: path,
    expected: own.exists
      ? `a file in ${own.root}, but none of .scratchpad`
      : 'a workspace that holds the file',
    next: `pass a text on stdin, which the host checks: - < FILE; or ${OUTSIDE}`,
  });
}

type Style = Parameters<typeof styleText>[0];

/** Styles a text where colours are wanted: on a terminal unless NO_COLOR is set, elsewhere if FORCE_COLOR is. */
export function paint(style: Style, text: string, descriptor: 1 | 2 = 1): string {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  const isForced = FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const isWanted =
    FORCE_COLOR === undefined ? !NO_COLOR && TERM !== 'dumb' && isTerminal(descriptor) : isForced;
  return isWanted ? styleText(style, text, { validateStream: false }) : text;
}

const LINE_STYLES: readonly { matches: RegExp; style: Style }[] = [
  { matches: /^#{1,6} /, style: 'bold' },
  // A step, not a row of `history`.
  { matches: /^\s*(?:[-*+|]|\d+[.)]).*~~ DONE\b/, style: 'dim' },
  { matches: /^(?:warn|problem)\b/, style: 'yellow' },
  { matches: /^(?:error|failed|FAIL)\b/, style: 'red' },
];

function paintLine(line: string): string {
  const row = LINE_STYLES.find(({ matches }) => matches.test(line));
  return row === undefined ? line : paint(row.style, line);
}
