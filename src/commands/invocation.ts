import { isUtf8 } from 'node:buffer';
import { resolve } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';
import { isTerminal, readArgument, readArgumentBytes, readStdinBytes, write } from '../fs/index.ts';
import { forTerminal, safeJson } from '../safety/visible.ts';

export { readStdin, write } from '../fs/index.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  workspace?: string;
  session?: string;
  json?: boolean;
  quiet?: boolean;
  now?: string;
  /** Make the workspace or the session where there is none. */
  init?: boolean;
}

/** One call of the program: what it was told, and where its words go. Command bodies touch the process only through it. */
export interface Invocation {
  options: GlobalOptions;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The moment of the call, epoch milliseconds: the clock, or `--now`. */
  now: number;
  /**
   * Results, to stdout: `value` as JSON with `--json`, else `text` without what a terminal would obey.
   * @param paint gives a line its colours, once it is safe
   */
  result(value: unknown, text: string, paint?: (line: string) => string): void;
  /** The same for text of whoever asks for it: its bytes as they are, unless stdout is a terminal. */
  exact(value: unknown, text: string): void;
  /** What a change did: as `result`, but nothing with `--quiet` unless `--json` asks for it. */
  done(value: unknown, text: string): void;
  /** Notes that the answer is of a file above the current directory: what a change did names it then. */
  landsIn(pad: string): void;
  /** Everything else, to stderr; silent with `--quiet`. */
  note(text: string): void;
  /** Warnings to stderr, silent with `--quiet`. */
  warn(warnings: readonly string[]): void;
  /** The exit code when the command ends well; 0 unless set. */
  exitCode: number;
}

export function invoke(options: GlobalOptions, env: NodeJS.ProcessEnv, cwd: string): Invocation {
  const result: Invocation['result'] = (value, text, paint = (line) => line) =>
    print(options.json ? safeJson(value, 2) : forTerminal(text).split('\n').map(paint).join('\n'));
  const note: Invocation['note'] = (text) => {
    if (!options.quiet) write(2, `${forTerminal(text)}\n`);
  };
  let above: string | undefined;
  return {
    options,
    env,
    cwd,
    now: readNow(options.now),
    exitCode: 0,
    result,
    done(value, text) {
      if (!options.quiet || options.json) result(value, text);
      if (above !== undefined) note(`in ${above}`);
    },
    exact(value, text) {
      print(options.json ? safeJson(value, 2) : isTerminal(1) ? forTerminal(text) : text);
    },
    landsIn(pad) {
      above = pad;
    },
    note,
    warn(warnings) {
      for (const warning of warnings) note(`warning: ${warning}`);
    },
  };
}

function print(shown: string): void {
  if (shown !== '') write(1, shown.endsWith('\n') ? shown : `${shown}\n`);
}

/** The same call without `--session`, for what names a host's session by it, not a pad. */
export function withoutSession(invocation: Invocation): Invocation {
  const { session: _, ...options } = invocation.options;
  return { ...invocation, options };
}

/**
 * A text given as an argument, `-` for stdin, or `--file`. One line end at the end of a file
 * or stream is the shell's, not the text's.
 * @throws ScratchpadError `usage` when none is given, or both, or what is given is not text.
 */
export function readText(argument: string | undefined, file: string | undefined, cwd: string): string {
  if (argument !== undefined && file !== undefined) {
    throw new ScratchpadError('usage', 'the text is given twice', {
      expected: 'an argument or --file, not both',
    });
  }
  if (file !== undefined) return inputOf(file, cwd, (path) => asText(readArgumentBytes(path), path));
  if (argument === '-') return asText(readStdinBytes(), 'stdin');
  if (argument !== undefined) return argument;
  throw new ScratchpadError('usage', 'no text is given', {
    expected: 'the text as an argument, - to read it from stdin, or --file PATH',
  });
}

/** Bytes that are to be stored as text. @throws ScratchpadError `usage` for bytes that are none */
function asText(bytes: Buffer, where: string): string {
  const nul = bytes.indexOf(0);
  if (nul !== -1 || !isUtf8(bytes)) {
    throw new ScratchpadError('usage', 'that is not text: nothing was changed', {
      where,
      expected: 'UTF-8 without NUL bytes',
      found: nul === -1 ? 'bytes that are not UTF-8' : `a NUL byte at ${nul}`,
      next: 'keep bytes in an entry: scratchpad entry write NAME -; convert text with: iconv -t UTF-8',
    });
  }
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

/** @throws ScratchpadError `usage` when the file is not there or not a file, `environment` when it cannot be read. */
export function readInputFile(file: string, cwd: string): string {
  return inputOf(file, cwd, readArgument);
}

function inputOf(file: string, cwd: string, read: (path: string) => string): string {
  const path = resolve(cwd, file);
  try {
    return read(path);
  } catch (error) {
    throw error instanceof ScratchpadError ? error : unreadableFile(path, error);
  }
}

/** What to say of a file that was named and cannot be read. */
export function unreadableFile(path: string, error: unknown): ScratchpadError {
  const missing = hasCode(error, 'ENOENT', 'EISDIR', 'ENOTDIR');
  return new ScratchpadError(missing ? 'usage' : 'environment', 'cannot read the file', {
    where: path,
    expected: 'a readable file',
    found: error instanceof Error ? error.message : String(error),
    cause: error,
  });
}

function readNow(text: string | undefined): number {
  if (text === undefined) return Date.now();
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new ScratchpadError('usage', '--now is not a time', {
    expected: 'an ISO 8601 time such as 2026-02-06T01:30:00+11:00',
    found: text,
  });
}
