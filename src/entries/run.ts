import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { failed, messageOf, ScratchpadError } from '../base/errors.ts';
import {
  bytesAt,
  decodeBytes,
  encodeBytes,
  freeBytes,
  type OpenFile,
  openNew,
  setMode,
  sizeOf,
  temporaryPath,
  tryRemove,
} from '../base/fs/index.ts';
import { execa } from '../base/safety/execa.ts';
import { safeLine } from '../base/safety/index.ts';
import { guardChild, relaySignals, signalTree } from './child.ts';
import { charactersIn, decoded, MOST_BYTES } from './contents.ts';
import { publicInfo } from './entry-files.ts';
import type { FileEntries } from './file-entries.ts';
import { automaticName, firstOf, PREVIEW, restOfPreview, SPILL_LIMIT, spellBytes } from './spill.ts';
import type { EntryInfo } from './types.ts';

export interface RunRequest {
  command: readonly [string, ...string[]];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Store the output under this name, however short it is. */
  name?: string;
  /** Characters up to which an output is shown in full; a longer one is stored as an entry. */
  limit?: number;
  preview?: number;
  /** Called with output to show, as it arrives. */
  show: (bytes: Buffer) => void;
  /** Whether a terminal sends Ctrl-C to the command itself. */
  terminal?: boolean;
}

export interface RunResult {
  /** The command's exit code; 128 plus the signal's number if a signal ended it, as in a shell. */
  exitCode: number;
  signal: string | null;
  /** Of the whole output. */
  bytes: number;
  /** Of what an entry holds of it. */
  characters: number;
  /** Where the output is stored; `null` if all of it was shown. */
  entry: EntryInfo | null;
  /** Whether the command was ended because its output did not end. */
  endless: boolean;
  /** Whether the command truncated its own output. */
  emptied: boolean;
}

const LOOK_MS = 20;
/** Free space in bytes that a disk must have for an output to be written there. */
const LEAST_FREE = 1024 * 1024;
/** A command that writes more is ended before it fills the disk. */
const MOST_WRITTEN = 4 * 1024 ** 3;

/**
 * Runs a command with its output going straight into a file: both streams in the order they were written, as
 * fast as a redirection. This process shows the beginning as it arrives, and decides at the end whether to show
 * or store the rest.
 * @throws ScratchpadError `environment` if the command cannot be started, or its output cannot be stored, in
 * which case the preview is shown anyway; `usage` or `refused` for an unusable name, before the command is
 * started
 */
export async function runCommand(entries: FileEntries, request: RunRequest): Promise<RunResult> {
  const { command, limit = SPILL_LIMIT, preview = PREVIEW, show, name } = request;
  if (name !== undefined) entries.files.mayWrite(name);
  const output = openOutput(entries);
  try {
    const half = Math.ceil(preview / 2);
    const beginning = new Beginning(output.fd, Math.min(half, limit), show);
    const { code, signal, endless } = await follow(output, beginning, request);
    const bytes = sizeOf(output.fd);
    const content = contentOf(output.fd, bytes);
    const characters = charactersIn(content);
    const outcome = { exitCode: code, signal, bytes, characters, endless, emptied: beginning.emptied };
    const short = characters <= limit;
    if (short) show(content.subarray(encodeBytes(beginning.text).length));
    if (short && name === undefined) return { ...outcome, entry: null };
    const how = signal ?? `exit ${code}`;
    let entry: EntryInfo | null = null;
    try {
      const origin = `command: ${safeLine(command.join(' '), 200)} (${how})`;
      entry = publicInfo(await entries.files.store(name ?? automaticName(), content, { origin }));
    } catch (error) {
      throw notKept(how, error);
    } finally {
      // The command has run and cannot be repeated: of an output that could not be stored, the preview is shown.
      if (!short)
        show(Buffer.from(restOfPreview(decoded(content), beginning.text, half, { entry, characters })));
    }
    return { ...outcome, entry };
  } finally {
    output.close();
    tryRemove(output.path);
  }
}

/**
 * The file for the command's output: beside the entries; or, if that disk is full or read-only, in the system's
 * temporary folder or in memory.
 */
function openOutput({ files }: FileEntries): OpenFile {
  let failure: unknown;
  for (const folder of [files.dir, tmpdir(), '/dev/shm']) {
    try {
      if (folder === files.dir) files.make();
      if ((freeBytes(folder) ?? 0) >= LEAST_FREE) return openNew(temporaryPath(join(folder, 'draft')));
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return openNew(temporaryPath(join(files.dir, 'draft')));
}

/** The output, or its first and last part if an entry cannot hold all of it. */
function contentOf(fd: number, size: number): Buffer {
  if (size <= MOST_BYTES) return bytesAt(fd, 0, size);
  const part = MOST_BYTES / 2 - 100;
  const leftOut = `\n[… ${spellBytes(size - 2 * part)} left out: an entry holds ${MOST_BYTES >> 20} MB …]\n`;
  return Buffer.concat([bytesAt(fd, 0, part), Buffer.from(leftOut), bytesAt(fd, size - part, part)]);
}

/** Shows the beginning of an output while it is written: up to so many characters, then whole lines. */
class Beginning {
  /** What was shown. */
  text = '';
  /** Whether the command truncated the file and started again, like a script that opens /dev/stdout by name. */
  emptied = false;
  readonly #fd: number;
  readonly #most: number;
  readonly #show: (bytes: Buffer) => void;
  #size = 0;

  constructor(fd: number, most: number, show: (bytes: Buffer) => void) {
    this.#fd = fd;
    this.#most = most;
    this.#show = show;
  }

  /** @returns the size of the output so far, in bytes */
  look(): number {
    const size = sizeOf(this.#fd);
    // One character more than can be shown, without one that has not arrived as a whole.
    const text = decodeBytes(bytesAt(this.#fd, 0, Math.min(size, (this.#most + 1) * 4))).replace(
      /[\u{dc80}-\u{dcff}]{1,3}$/u,
      '',
    );
    if (size < this.#size || !text.startsWith(this.text)) {
      this.emptied = true;
      this.text = '';
    }
    this.#size = size;
    const first = firstOf(text, this.#most);
    const next = first === text ? text : first.slice(0, first.lastIndexOf('\n') + 1) || first;
    if (next.startsWith(this.text)) {
      this.#show(encodeBytes(next.slice(this.text.length)));
      this.text = next;
    }
    return size;
  }
}

/** Starts the command and follows it to its end. */
async function follow(
  { fd, path }: OpenFile,
  beginning: Beginning,
  { command: [file, ...args], cwd, env, terminal = false }: RunRequest,
): Promise<{ code: number; signal: string | null; endless: boolean }> {
  // A script that writes to /dev/stderr by name would open this file again and truncate it.
  setMode(fd, 0o400);
  // A descriptor is documented, but missing in the types.
  const both = fd as unknown as 'inherit';
  const child = execa(file, args, {
    ...{ cwd, env, extendEnv: false, reject: false, buffer: false, cleanup: false },
    stdio: ['inherit', both, both],
  });
  const stopRelaying = relaySignals(child.pid, terminal);
  const stopGuarding = guardChild(child.pid, path);
  let endless = false;
  const timer = setInterval(() => {
    if (beginning.look() <= MOST_WRITTEN || endless) return;
    endless = true;
    signalTree(child.pid, 'SIGTERM');
  }, LOOK_MS);
  try {
    const { exitCode, signal, cause } = await child;
    if (exitCode === undefined && signal === undefined) throw notStarted(file, cwd, cause);
    beginning.look();
    return {
      code: exitCode ?? 128 + constants.signals[signal ?? 'SIGTERM'],
      signal: signal ?? null,
      endless,
    };
  } finally {
    clearInterval(timer);
    stopRelaying();
    stopGuarding();
  }
}

function notKept(how: string, cause: unknown): ScratchpadError {
  return failed(`the command has run (${how}), but its output could not be stored`, {
    found: cause instanceof ScratchpadError ? `${cause.message}: ${cause.detail.found ?? ''}` : String(cause),
    next: 'free space on that disk; run the command again only if it is safe to run twice',
    cause,
  });
}

function notStarted(file: string, cwd: string, cause: unknown): ScratchpadError {
  return failed('the command cannot be run', {
    where: cwd,
    expected: 'a program on the PATH, or a path to one',
    found: `${file}: ${messageOf(cause)}`,
    next: { to: 'check the name; run a shell command line', command: 'scratchpad run -- sh -c LINE' },
    cause,
  });
}
