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
import { formatBytes, makeAutomaticName, renderPreview } from './spill.ts';
import type { EntryInfo } from './types.ts';

interface RunRequest {
  command: readonly [string, ...string[]];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Name of the entry; every output is stored if it is given. */
  name: string | undefined;
  /** Most characters to show in full; a longer output is stored as an entry. */
  limit: number;
  preview: number;
  /** Called with the output or its preview, even if the output cannot be stored. */
  show: (bytes: Buffer) => void;
  /** Milliseconds after which the beginning is shown as it is written; before, a long output is a preview alone. */
  holdMs: number;
  /** Entries that are looked up by the same names. */
  beside: FileEntries | undefined;
  /** Whether a terminal sends Ctrl-C to the command itself. */
  terminal: boolean;
}

interface RunResult {
  /** The command's exit code; 128 plus the signal's number if a signal ended it, as in a shell. */
  exitCode: number;
  signal: string | null;
  bytes: number;
  /** Length of the part that an entry can hold. */
  characters: number;
  entry: EntryInfo | null;
  /** The command was ended before its output filled the disk. */
  endless: boolean;
  notKept?: ScratchpadError | undefined;
}

/** Bytes of output after which a command is ended. */
const MOST_WRITTEN = 1024 ** 3;
const CHECK_MS = 100;

/**
 * Runs a command whose output goes straight into a file: both streams in the order in which they are written, as fast as a
 * redirection. Of a long output, the end is shown when the command has ended.
 * @throws ScratchpadError `environment` with exit code 126 or 127 if the command cannot be started; `usage` or `refused`
 * for an unusable name, before the command is started
 */
export async function runCommand(entries: FileEntries, request: RunRequest): Promise<RunResult> {
  const { limit, show, name } = request;
  if (name !== undefined) entries.checkWritable(name);
  const output = openOutput();
  try {
    let shownBytes = 0;
    const showNew = (): void => {
      const size = getSize(output.fd);
      const bytes = readBytesFrom(output.fd, shownBytes, Math.max(0, Math.min(size, limit) - shownBytes));
      const lines = size > limit ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes;
      if (lines.length > 0) show(lines);
      shownBytes += lines.length;
    };

    const ending = await runIntoFile(output, request, showNew);
    const bytes = getSize(output.fd);
    const content = readOutput(output.fd, bytes);
    const characters = countCharactersOfBytes(content);
    const result = { ...ending, bytes, characters };
    const isShort = characters <= limit;

    if (isShort) show(content.subarray(shownBytes));
    if (isShort && name === undefined) return { ...result, entry: null };

    const stored = await storeOutput(entries, content, request, ending.signal ?? `exit ${ending.exitCode}`);
    // The command cannot be repeated: also without an entry the preview is shown.
    if (!isShort) {
      const shownHead = content.toString('utf8', 0, shownBytes);
      const text = shownHead + content.toString('utf8', shownBytes);
      show(Buffer.from(renderPreview(text, request.preview, { ...stored, characters, shownHead })));
    }

    return { ...result, ...stored };
  } finally {
    output.close();
    // Windows keeps the name of an open file.
    tryRemove(output.path);
  }
}

async function storeOutput(
  entries: FileEntries,
  content: Buffer,
  { command, name, beside }: RunRequest,
  ending: string,
): Promise<Pick<RunResult, 'entry' | 'notKept'>> {
  const origin = `command: ${sanitizeLine(command.join(' '), 200)} (${ending})`;
  try {
    const entry = await entries.store(name ?? makeAutomaticName(undefined, beside), content, { origin });
    return { entry: toPublicInfo(entry) };
  } catch (error) {
    return { entry: null, notKept: outputNotKept(ending, error) };
  }
}

/** A file without a name for the command's output: whatever happens to this process, it leaves nothing. */
function openOutput(): OpenFile {
  const path = makeTemporaryPath(join(tmpdir(), 'scratchpad-output'));
  try {
    return openNew(path);
  } catch (cause) {
    throw failure('cannot create a temporary file for the output: the command was not run', {
      where: path,
      found: getMessage(cause),
      next: 'make its directory writable, or name another in TMPDIR',
      cause,
    });
  } finally {
    tryRemove(path);
  }
}

/** The output, or its first and last part if an entry cannot hold all of it. */
function readOutput(fd: number, size: number): Buffer {
  if (size <= MOST_BYTES) return readBytesFrom(fd, 0, size);

  const half = MOST_BYTES / 2 - 100;
  const note = `\n[… ${formatBytes(size - 2 * half)} left out: an entry holds ${MOST_BYTES >> 20} MB …]\n`;

  return Buffer.concat([readBytesFrom(fd, 0, half), Buffer.from(note), readBytesFrom(fd, size - half, half)]);
}

async function runIntoFile(
  { fd }: OpenFile,
  { command: [file, ...args], cwd, env, terminal, holdMs }: RunRequest,
  showNew: () => void,
): Promise<Pick<RunResult, 'exitCode' | 'signal' | 'endless'>> {
  // A script that writes to /dev/stderr by name would open this file again and truncate it.
  setMode(fd, 0o400);
  // Execa takes a descriptor, but its types do not.
  const target = fd as unknown as 'inherit';
  let pid: number | undefined;
  const stopRelaying = relaySignals(() => pid, terminal);
  const settings = { cwd, env, extendEnv: false, reject: false, buffer: false, cleanup: false } as const;
  const child = execa(file, args, { ...settings, stdio: ['inherit', target, target] });

  pid = child.pid;
  let endless = false;
  let elapsedMs = 0;
  const timer = setInterval(() => {
    elapsedMs += CHECK_MS;
    // An output that cannot be written is reported when the command has ended.
    if (elapsedMs > holdMs) attempt(showNew);
    const size = getSize(fd);
    // A command that ignores the first signal goes on writing.
    if (size > 2 * MOST_WRITTEN) signalTree(pid, 'SIGKILL');
    else if (size > MOST_WRITTEN && !endless) signalTree(pid, 'SIGTERM');
    endless ||= size > MOST_WRITTEN;
  }, CHECK_MS);

  try {
    const { exitCode, signal, cause } = await child;
    if (exitCode === undefined && signal === undefined) throw commandNotStarted(file, cwd, cause);
    const code = exitCode ?? 128 + constants.signals[signal ?? 'SIGTERM'];
    return { exitCode: code, signal: signal ?? null, endless };
  } finally {
    clearInterval(timer);
    stopRelaying();
  }
}

function outputNotKept(ending: string, cause: unknown): ScratchpadError {
  const own = cause instanceof ScratchpadError ? cause : undefined;
  const isDiskFull = own?.detail.cause !== undefined && hasCode(own.detail.cause, 'ENOSPC', 'EDQUOT');
  const remedy = isDiskFull ? 'free space on that disk' : renderNextStep(own?.detail.next, 'command');
  const before = remedy === undefined ? '' : `; before it, ${remedy}`;

  return failure(`the command has run (${ending}), but its output could not be stored`, {
    where: own?.detail.where,
    found: own ? `${own.message}: ${own.detail.found ?? ''}` : String(cause),
    next: `run the command again only if it is safe to run twice${before}`,
    cause,
  });
}

const commandNotStarted = (file: string, cwd: string, cause: unknown): ScratchpadError =>
  failure('the command cannot be run', {
    where: cwd,
    expected: 'a program on the PATH, or a path to one',
    found: `${file}: ${getMessage(cause)}`,
    next: { to: 'check the name; run a shell command line', command: 'scratchpad run -- sh -c LINE' },
    exitCode: hasCode(cause, 'ENOENT') ? 127 : 126,
    cause,
  });

const RELAYED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long a command has to end after a signal before it is killed. */
const KILL_AFTER_MS = 5000;

/**
 * Passes signals to this process on to the command and its children, so that the command ends and its output is kept. A
 * terminal sends the first Ctrl-C to the command itself. A second signal kills everything at once.
 * @param getPid called when a signal comes, which may be before the command has started
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

  for (const name of RELAYED) process.on(name, relay);

  return () => {
    clearTimeout(timer);
    for (const name of RELAYED) process.off(name, relay);
  };
}

function signalTree(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  // Some may have ended by themselves.
  for (const each of [pid, ...listDescendants(pid)]) attempt(() => process.kill(each, signal));
}

/** The descendants of a process, as proc(5) lists them; without a /proc, the command has to pass signals on. */
function listDescendants(pid: number): number[] {
  const children = tryList(`/proc/${pid}/task`).flatMap((thread) => {
    const pids = tryReadText(`/proc/${pid}/task/${thread}/children`, 'system') ?? '';
    return pids.split(' ').filter(Boolean).map(Number);
  });
  return [...children, ...children.flatMap(listDescendants)];
}
