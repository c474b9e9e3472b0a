import { readFileSync, readSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasCode, ScratchpadError } from '../errors.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  workspace?: string;
  session?: string;
  json?: boolean;
  quiet?: boolean;
  now?: string;
}

/** One call of the program: what it was told, and where its words go. Command bodies touch the process only through it. */
export interface Invocation {
  options: GlobalOptions;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The moment of the call, epoch milliseconds: the clock, or `--now`. */
  now: number;
  /** Results, to stdout: `value` as JSON with `--json`, else `text`. */
  result(value: unknown, text: string): void;
  /** Everything else, to stderr; silent with `--quiet`. */
  note(text: string): void;
  /** The exit code when the command ends well; 0 unless set. */
  exitCode: number;
}

const INPUT_LIMIT = 64 * 1024 * 1024;

export function invoke(options: GlobalOptions, env: NodeJS.ProcessEnv, cwd: string): Invocation {
  return {
    options,
    env,
    cwd,
    now: readNow(options.now),
    exitCode: 0,
    result(value, text) {
      const shown = options.json ? JSON.stringify(value, null, 2) : text;
      if (shown !== '') write(1, shown.endsWith('\n') ? shown : `${shown}\n`);
    },
    note(text) {
      if (!options.quiet) write(2, `${text}\n`);
    },
  };
}

/**
 * A text given as an argument, `-` for stdin, or `--file`. One line end at the end of a file
 * or stream is the shell's, not the text's.
 * @throws ScratchpadError `usage` when none is given, or both.
 */
export function readText(argument: string | undefined, file: string | undefined, cwd: string): string {
  if (argument !== undefined && file !== undefined) {
    throw new ScratchpadError('usage', 'the text is given twice', {
      expected: 'an argument or --file, not both',
    });
  }
  if (file !== undefined) return readInputFile(file, cwd).replace(/\r?\n$/, '');
  if (argument === '-') return readStdin().replace(/\r?\n$/, '');
  if (argument !== undefined) return argument;
  throw new ScratchpadError('usage', 'no text is given', {
    expected: 'the text as an argument, - to read it from stdin, or --file PATH',
  });
}

/** @throws ScratchpadError `usage` when the file is not there or not a file, `environment` when it cannot be read. */
export function readInputFile(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadableFile(path, error);
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

/** All of stdin as text. Reads the descriptor itself: the stream object costs milliseconds to load. */
export function readStdin(): string {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    let read: number;
    try {
      read = readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      if (hasCode(error, 'EOF')) break;
      if (!hasCode(error, 'EAGAIN')) throw error;
      // Nothing there yet on a non-blocking descriptor.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      continue;
    }
    if (read === 0) break;
    size += read;
    if (size > INPUT_LIMIT) {
      throw new ScratchpadError('usage', 'the input is too large', {
        expected: `at most ${INPUT_LIMIT >> 20} MB on stdin`,
      });
    }
    chunks.push(chunk.subarray(0, read));
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Writes to a descriptor to the last byte; a reader that has gone away is no error of ours. */
export function write(fd: 1 | 2, text: string | Buffer): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (hasCode(error, 'EPIPE')) return;
      if (!hasCode(error, 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
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
