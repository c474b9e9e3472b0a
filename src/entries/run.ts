import { constants, tmpdir } from 'node:os';
import { messageOf, ScratchpadError } from '../base/errors.ts';
import { freeBytes, LARGEST, setMode } from '../base/fs/index.ts';
import { Draft } from './blob.ts';
import { type Ended, guardChild, relaySignals, signalTree, startCommand } from './child.ts';
import { publicInfo } from './entry-files.ts';
import type { FileEntries } from './file-entries.ts';
import { RunReader } from './run-reader.ts';
import {
  automaticName,
  charactersOf,
  type KeptEntry,
  PREVIEW,
  type PreviewEnd,
  previewEnd,
  SPILL_LIMIT,
  spellBytes,
} from './spill.ts';

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
  bytes: number;
  /** `null` if the output was too long to count while it was written. */
  characters: number | null;
  /** Where the output is stored; `null` if all of it was shown. */
  entry: KeptEntry | null;
  /** Whether the command was ended because its output did not end. */
  endless: boolean;
  /** Whether the command truncated its own output. */
  emptied: boolean;
}

const SHORTEST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 40;
/** Free space in bytes that a disk must have for an output to be written there. */
const LEAST_FREE = 1024 * 1024;
/** Bytes to read per step. */
const TAKEN_AT_ONCE = 4 * 1024 * 1024;
/**
 * If more than this is unread when the command ends, counting is left to the first use. A command that is
 * this far ahead is not read until it pauses, because reading would slow it down.
 */
const FAR_BEHIND = 16 * 1024 * 1024;
/** Longest part of an output, in bytes, that is searched for errors. */
const READ_FOR_ERRORS = 4 * 1024 * 1024;

/**
 * Runs a command with its output going straight into an entry's file: both streams in the order they were
 * written, as fast as a redirection, in constant memory. This process shows the beginning as it arrives, and
 * decides at the end whether to show or store the rest.
 * @throws ScratchpadError `environment` if the command cannot be started, or its output cannot be stored, in
 * which case the preview is shown anyway; `usage` or `refused` for an unusable name, before the command is
 * started
 */
export async function runCommand(entries: FileEntries, request: RunRequest): Promise<RunResult> {
  const { command, limit = SPILL_LIMIT, preview = PREVIEW, show } = request;
  if (request.name !== undefined) entries.files.mayWrite(request.name);
  const { draft, spare } = openOutput(entries);
  try {
    const reader = new RunReader(draft, Math.min(Math.ceil(preview / 2), limit), show);
    const { end: ended, endless, emptied } = await follow(draft, reader, request);
    const outcome = {
      exitCode: ended.code ?? 128 + (constants.signals[ended.signal ?? 'SIGTERM'] ?? 0),
      signal: ended.signal,
      endless,
      emptied,
    };
    const bytes = reader.written;
    if (bytes - draft.tally.bytes <= FAR_BEHIND) reader.step(Number.POSITIVE_INFINITY);
    const characters = draft.tally.bytes === bytes ? draft.tally.end().characters : null;
    const short = characters !== null && characters <= limit;
    if (short) reader.showRest();
    if (short && request.name === undefined) {
      draft.discard();
      return { ...outcome, bytes, characters, entry: null };
    }
    const end = short ? undefined : endOf(reader, bytes, characters, preview);
    const how = ended.signal === null ? `exit ${outcome.exitCode}` : ended.signal;
    let entry: KeptEntry | null = null;
    let lost: unknown;
    try {
      const kept = await entries.files.commit(
        request.name ?? automaticName(),
        spare ? moved(draft, entries) : draft,
        {
          origin: `command: ${await shownCommand(command)} (${how})`,
          ...(characters === null && !spare ? { uncounted: bytes } : {}),
        },
      );
      entry = publicInfo(kept);
    } catch (error) {
      lost = notKept(how, error);
    }
    // The command has run and cannot be repeated: show as much of an output that could not be stored as a
    // preview holds.
    if (end) show(Buffer.from(previewEnd({ ...end, entry })));
    if (lost !== undefined) throw lost;
    return { ...outcome, bytes, characters, entry };
  } catch (error) {
    draft.discard();
    throw error;
  }
}

/**
 * Opens the file for the command's output: beside the entries; or, if that disk is full or read-only and the
 * output would be lost, in the system's temporary folder or in memory.
 */
function openOutput(entries: FileEntries): { draft: Draft; spare: boolean } {
  let failure: unknown;
  try {
    const draft = entries.files.draft();
    if ((freeBytes(entries.files.dir) ?? LEAST_FREE) >= LEAST_FREE) return { draft, spare: false };
    draft.discard();
  } catch (error) {
    failure = error;
  }
  for (const folder of [tmpdir(), '/dev/shm']) {
    if ((freeBytes(folder) ?? 0) < LEAST_FREE) continue;
    try {
      return { draft: new Draft(folder), spare: true };
    } catch {
      // Try the next folder.
    }
  }
  if (failure !== undefined) throw failure;
  return { draft: entries.files.draft(), spare: false };
}

/** Moves output that was written elsewhere to a draft beside the entries. */
function moved(draft: Draft, entries: FileEntries): Draft {
  const there = entries.files.draft();
  try {
    there.copy(draft.fd);
    return there;
  } catch (error) {
    there.discard();
    throw error;
  } finally {
    draft.discard();
  }
}

/** What the preview shows after the beginning that was shown already. */
function endOf(
  reader: RunReader,
  bytes: number,
  characters: number | null,
  preview: number,
): Omit<PreviewEnd, 'entry'> {
  const { shown, shownBytes, endsLine } = reader;
  const tail = reader.tail(Math.ceil(preview / 2));
  const left = bytes - shownBytes - tail.bytes;
  const size = characters === null ? spellBytes(left) : charactersOf(characters - shown - tail.characters);
  const errors = left === 0 || left > READ_FOR_ERRORS ? undefined : reader.errorsWithin(shownBytes, left);
  return {
    ...{ shown, endsLine, leftOut: left === 0 ? null : size, tail: tail.text },
    ...(errors === undefined ? {} : { errors }),
  };
}

/** Starts the command and follows it to its end. */
async function follow(
  draft: Draft,
  reader: RunReader,
  { command, cwd, env, terminal = false }: RunRequest,
): Promise<{ end: Ended; endless: boolean; emptied: boolean }> {
  // A script that writes to /dev/stderr by name would open this file again and truncate it.
  setMode(draft.fd, 0o400);
  const { child, ended } = await startCommand(command, {
    cwd,
    env,
    stdio: ['inherit', draft.fd, draft.fd],
  });
  const stopRelaying = relaySignals(child, terminal);
  const stopGuarding = await guardChild(child.pid, draft.path);
  let end: Ended | undefined;
  const noted = ended.then(
    (how) => {
      end = how;
    },
    (cause: unknown) => {
      throw notStarted(command[0], cwd, cause);
    },
  );
  let [endless, emptied, before] = [false, false, 0];
  const look = (): number => {
    const { written } = reader;
    const busy = written > before;
    before = written;
    emptied = reader.restarted() || emptied;
    if (written > LARGEST.entry && !endless) {
      endless = true;
      signalTree(child.pid, 'SIGTERM');
    }
    if (busy && reader.headIsFull && written - draft.tally.bytes > FAR_BEHIND) return 0;
    return reader.step(TAKEN_AT_ONCE);
  };
  try {
    for (let pause = SHORTEST_PAUSE_MS; !end; ) {
      await Promise.race([noted, new Promise((resolve) => setTimeout(resolve, pause))]);
      pause = look() > 0 ? SHORTEST_PAUSE_MS * 4 : Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
    emptied = reader.restarted() || emptied;
  } finally {
    stopRelaying();
    stopGuarding();
  }
  return { end, endless, emptied };
}

/** The command line on one line, without secrets. */
async function shownCommand(command: readonly string[]): Promise<string> {
  const { safeLine } = await import('../base/safety/index.ts');
  return safeLine(command.join(' '), 200);
}

function notKept(how: string, cause: unknown): ScratchpadError {
  return new ScratchpadError(
    'environment',
    `the command has run (${how}), but its output could not be stored`,
    {
      found:
        cause instanceof ScratchpadError ? `${cause.message}: ${cause.detail.found ?? ''}` : String(cause),
      next: 'free space on that disk; run the command again only if it is safe to run twice',
      cause,
    },
  );
}

function notStarted(file: string, cwd: string, cause: unknown): ScratchpadError {
  return new ScratchpadError('environment', 'the command cannot be run', {
    where: cwd,
    expected: 'a program on the PATH, or a path to one',
    found: `${file}: ${messageOf(cause)}`,
    next: 'check the name; run a shell command line with: scratchpad run -- sh -c LINE',
    cause,
  });
}
