import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { attempt, failure, getMessage, hasCode, renderNextStep, ScratchpadError } from '../base/errors.ts';
import {
  getSize,
  makeTemporaryPath,
  type OpenFile,
  openNew,
  readBytesFrom,
  setMode,
  tryList,
  tryReadText,
  tryRemove,
} from '../base/fs/index.ts';
import { sanitizeLine } from '../base/safety/index.ts';
import { countCharactersOfBytes, MOST_BYTES } from './contents.ts';
import type { FileEntries } from './file-entries.ts';
import { toPublicInfo } from './index-file.ts';
import { formatBytes, makeAutomaticName, PREVIEW, renderPreview, SPILL_LIMIT } from './spill.ts';
import type { EntryInfo } from './types.ts';

interface RunRequest {
  command: readonly [string, ...string[]];
  cwd: string;
  env: NodeJS.ProcessEnv;
  name?: string;
  /** Characters up to which an output is shown in full; a longer one is stored as an entry. */
  limit?: number;
  preview?: number;
  /** Called with the output or its preview, even if the output cannot be stored. */
  show: (bytes: Buffer) => void;
  /** Show the first of it as it is written: at a terminal the command may ask something. */
  live?: boolean;
  /** Entries that are looked up by the same names. */
  beside?: FileEntries | undefined;
  /** Whether a terminal sends Ctrl-C to the command itself. */
  terminal?: boolean;
}

interface RunResult {
  /** The command's exit code; 128 plus the signal's number if a signal ended it, as in a shell. */
  exitCode: number;
  signal: string | null;
  /** Of the whole output. */
  bytes: number;
  /** Of what an entry holds of it. */
  characters: number;
  entry: EntryInfo | null;
  endless: boolean;
  notKept?: ScratchpadError | undefined;
}

/** A command that writes more is ended before it fills the disk. */
const MOST_WRITTEN = 1024 ** 3;
const LOOK_MS = 100;

/**
 * Runs a command with its output going straight into a file: both streams in the order they were written, as
 * fast as a redirection. The output, or its preview, is shown when the command has ended.
 * @throws ScratchpadError `environment` with exit code 126 or 127 if the command cannot be started; `usage` or `refused` for an unusable name, before the command is started
 */
export async function runCommand(entries: FileEntries, request: RunRequest): Promise<RunResult> {
  const { command, limit = SPILL_LIMIT, preview = PREVIEW, show, name } = request;
  if (name !== undefined) entries.mayWrite(name);
  const output = openOutput();
  try {
    let shown = 0;
    const showNew = (): void => {
      const size = Math.min(getSize(output.fd), limit);
      if (size > shown) show(readBytesFrom(output.fd, shown, size - shown));
      shown = Math.max(shown, size);
    };

    const { code, signal, endless } = await follow(output, request, request.live ? showNew : () => undefined);
    const bytes = getSize(output.fd);
    const content = readOutput(output.fd, bytes);
    const characters = countCharactersOfBytes(content);
    const outcome = { exitCode: code, signal, bytes, characters, endless };
    const short = characters <= limit;

    if (short) show(content.subarray(shown));
    if (short && name === undefined) return { ...outcome, entry: null };

    const how = signal ?? `exit ${code}`;
    const origin = `command: ${sanitizeLine(command.join(' '), 200)} (${how})`;
    let entry: EntryInfo | null = null;
    let lost: ScratchpadError | undefined;

    try {
      const as = name ?? makeAutomaticName(undefined, request.beside);
      entry = toPublicInfo(await entries.store(as, content, { origin }));
    } catch (error) {
      lost = outputNotKept(how, error);
    }

    // The command has run and cannot be repeated: of an output that could not be stored, the preview is shown.
    if (!short) show(Buffer.from(renderPreview(content.toString(), preview, { entry, characters })));

    return { ...outcome, entry, notKept: lost };
  } finally {
    output.close();
    // Windows keeps the name of an open file.
    tryRemove(output.path);
  }
}

/** A file for the command's output that has no name any more: whatever happens to this process, it leaves nothing. */
function openOutput(): OpenFile {
  const output = openNew(makeTemporaryPath(join(tmpdir(), 'scratchpad-output')));
  tryRemove(output.path);
  return output;
}

/** The output, or its first and last part if an entry cannot hold all of it. */
function readOutput(fd: number, size: number): Buffer {
  if (size <= MOST_BYTES) return readBytesFrom(fd, 0, size);

  const part = MOST_BYTES / 2 - 100;
  const leftOut = `\n[… ${formatBytes(size - 2 * part)} left out: an entry holds ${MOST_BYTES >> 20} MB …]\n`;

  return Buffer.concat([
    readBytesFrom(fd, 0, part),
    Buffer.from(leftOut),
    readBytesFrom(fd, size - part, part),
  ]);
}

async function follow(
  { fd }: OpenFile,
  { command: [file, ...args], cwd, env, terminal = false }: RunRequest,
  look: () => void,
): Promise<{ code: number; signal: string | null; endless: boolean }> {
  // A script that writes to /dev/stderr by name would open this file again and truncate it.
  setMode(fd, 0o400);
  // A descriptor is documented, but missing in the types.
  const both = fd as unknown as 'inherit';
  let pid: number | undefined;
  const stopRelaying = relaySignals(() => pid, terminal);
  const child = execa(file, args, {
    ...{ cwd, env, extendEnv: false, reject: false, buffer: false, cleanup: false },
    stdio: ['inherit', both, both],
  });

  pid = child.pid;
  let endless = false;
  const timer = setInterval(() => {
    look();
    const size = getSize(fd);
    // A command that ignores the first signal goes on writing.
    if (size > 2 * MOST_WRITTEN) signalTree(pid, 'SIGKILL');
    else if (size > MOST_WRITTEN && !endless) signalTree(pid, 'SIGTERM');
    endless ||= size > MOST_WRITTEN;
  }, LOOK_MS);

  try {
    const { exitCode, signal, cause } = await child;
    if (exitCode === undefined && signal === undefined) throw commandNotStarted(file, cwd, cause);
    const code = exitCode ?? 128 + constants.signals[signal ?? 'SIGTERM'];
    return { code, signal: signal ?? null, endless };
  } finally {
    clearInterval(timer);
    stopRelaying();
  }
}

function outputNotKept(how: string, cause: unknown): ScratchpadError {
  const own = cause instanceof ScratchpadError ? cause : undefined;
  const full = own?.detail.cause !== undefined && hasCode(own.detail.cause, 'ENOSPC', 'EDQUOT');
  const why = full ? 'free space on that disk' : renderNextStep(own?.detail.next, 'command');

  return failure(`the command has run (${how}), but its output could not be stored`, {
    where: own?.detail.where,
    found: own ? `${own.message}: ${own.detail.found ?? ''}` : String(cause),
    next: `run the command again only if it is safe to run twice${why === undefined ? '' : `; before it, ${why}`}`,
    cause,
  });
}

function commandNotStarted(file: string, cwd: string, cause: unknown): ScratchpadError {
  return failure('the command cannot be run', {
    where: cwd,
    expected: 'a program on the PATH, or a path to one',
    found: `${file}: ${getMessage(cause)}`,
    next: { to: 'check the name; run a shell command line', command: 'scratchpad run -- sh -c LINE' },
    exitCode: hasCode(cause, 'ENOENT') ? 127 : 126,
    cause,
  });
}

/** How long a command has to end after a signal before it is killed. */
const KILL_AFTER_MS = 5000;

/**
 * While a command runs, signals to this process are passed on to it and its children: it ends, and its output is
 * kept. A terminal sends the first Ctrl-C to the command itself. A second signal ends everything at once.
 * @param getPid called when a signal comes: passing on begins before the command does
 * @returns a function that stops passing signals on
 */
function relaySignals(getPid: () => number | undefined, terminal: boolean): () => void {
  let signals = 0;
  let timer: NodeJS.Timeout | undefined;
  const relay = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals === 1 && signal === 'SIGINT' && terminal) return;
    signalTree(getPid(), signals > 1 ? 'SIGKILL' : signal);
    timer ??= setTimeout(() => signalTree(getPid(), 'SIGKILL'), KILL_AFTER_MS);
  };

  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

  for (const name of names) process.on(name, relay);

  return () => {
    clearTimeout(timer);
    for (const name of names) process.off(name, relay);
  };
}

/** Signals a process and its descendants, parents first. */
function signalTree(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  // Some may have ended by themselves.
  for (const each of [pid, ...listDescendants(pid)]) attempt(() => process.kill(each, signal));
}

/** Known only if there is a /proc (proc(5)); elsewhere the command has to pass signals on. */
function listDescendants(pid: number): number[] {
  const children = tryList(`/proc/${pid}/task`).flatMap((thread) => {
    const listed = tryReadText(`/proc/${pid}/task/${thread}/children`, 'system') ?? '';
    return listed.split(' ').filter(Boolean).map(Number);
  });
  return [...children, ...children.flatMap(listDescendants)];
}
