import { readSync } from 'node:fs';
import { constants } from 'node:os';
import { ScratchpadError } from '../errors.ts';
import { plainLine } from '../safety/plain.ts';
import { redactSecrets } from '../safety/redact.ts';
import { type Draft, MOST_BYTES } from './blob.ts';
import { byteOfCharacter, textOf, wholeCharacters } from './characters.ts';
import type { FileEntries } from './file-entries.ts';
import { relaySignals, signalTree } from './processes.ts';
import { automaticName, PREVIEW, previewEnd, SPILL_LIMIT, wholeLinesOfTail } from './spill.ts';
import type { EntryInfo } from './types.ts';

export interface RunRequest {
  command: readonly [string, ...string[]];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Keep the output under this name, however short it is. */
  name?: string;
  /** Characters that are shown whole; more is kept as an entry. */
  limit?: number;
  preview?: number;
  /** Takes what is to be shown, as it comes. */
  show: (bytes: Buffer) => void;
  /** That a person's terminal sends Ctrl-C to the command itself. */
  terminal?: boolean;
}

export interface RunResult {
  /** The command's own; 128 and the signal's number when one ended it, as a shell has it. */
  exitCode: number;
  signal: string | null;
  bytes: number;
  characters: number;
  /** Where the output is kept, `null` when all of it was shown. */
  entry: EntryInfo | null;
  /** That the command was ended because its output would not end. */
  endless: boolean;
}

const CHUNK = 256 * 1024;
const SHORTEST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 40;

/**
 * Runs a command with its output going straight into an entry's file: both streams in the order
 * they were written, at the speed of a redirection, in constant memory. This process reads
 * along, shows the beginning, and decides at the end whether the rest is shown or kept.
 *
 * @throws ScratchpadError `environment` when the command cannot be started
 */
export async function runCommand(entries: FileEntries, request: RunRequest): Promise<RunResult> {
  const { command, cwd, env, limit = SPILL_LIMIT, preview = PREVIEW } = request;
  const draft = entries.files.draft();
  try {
    const reader = new Reader(draft, Math.min(Math.ceil(preview / 2), limit), request.show);
    const { execa } = await import('execa');
    const [file, ...args] = command;
    // execa takes any open descriptor; its types know only the standard ones.
    const output = draft.fd as 1;
    const child = execa(file, args, {
      cwd,
      env,
      extendEnv: false,
      stdio: ['inherit', output, output],
      reject: false,
      buffer: false,
      stripFinalNewline: false,
    });
    const stopRelaying = relaySignals(child, request.terminal ?? false);
    let ended = false;
    const end = child.then((result) => {
      ended = true;
      return result;
    });
    let endless = false;
    for (let pause = SHORTEST_PAUSE_MS; !ended; ) {
      if (reader.step() > 0) {
        pause = SHORTEST_PAUSE_MS;
        await new Promise((resolve) => setImmediate(resolve));
      } else {
        await Promise.race([end, new Promise((resolve) => setTimeout(resolve, pause))]);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
      if (draft.tally.bytes > MOST_BYTES && !endless) {
        endless = true;
        signalTree(child.pid, 'SIGTERM');
      }
    }
    const result = await end;
    stopRelaying();
    if (result.exitCode === undefined && result.signal === undefined)
      throw notStarted(file, cwd, result.cause ?? result);
    while (reader.step() > 0);
    const exitCode = result.exitCode ?? 128 + (constants.signals[result.signal ?? 'SIGTERM'] ?? 0);
    const { bytes, characters } = draft.tally.end();
    const outcome = { exitCode, signal: result.signal ?? null, bytes, characters, endless };
    if (characters <= limit) reader.showRest();
    if (characters <= limit && request.name === undefined) {
      draft.discard();
      return { ...outcome, entry: null };
    }
    const how = outcome.signal === null ? `exit ${exitCode}` : outcome.signal;
    const origin = `command: ${plainLine(redactSecrets(command.join(' ')), 200)} (${how})`;
    const entry = await entries.files.commit(request.name ?? automaticName(), draft, { origin });
    if (entry && characters > limit) await showEnd(entries, entry, reader, preview, request.show);
    return { ...outcome, entry: entry ?? null };
  } catch (error) {
    draft.discard();
    throw error;
  }
}

/** Reads along behind the command, and shows the beginning. */
class Reader {
  /** Characters shown. */
  shown = 0;
  #shownBytes = 0;
  /** That what is shown so far ends a line. */
  endsLine = true;
  #full = false;
  readonly #draft: Draft;
  readonly #head: number;
  readonly #show: (bytes: Buffer) => void;
  readonly #chunk = Buffer.alloc(CHUNK);

  constructor(draft: Draft, head: number, show: (bytes: Buffer) => void) {
    this.#draft = draft;
    this.#head = head;
    this.#show = show;
  }

  /** Takes the next piece. @returns how many bytes there were */
  step(): number {
    const { fd, tally } = this.#draft;
    const read = readSync(fd, this.#chunk, 0, CHUNK, tally.bytes);
    if (read === 0) return 0;
    tally.add(this.#chunk.subarray(0, read));
    if (!this.#full) this.#showHead();
    return read;
  }

  /** Everything that was held back. */
  showRest(): void {
    const { fd } = this.#draft;
    for (;;) {
      const read = readSync(fd, this.#chunk, 0, CHUNK, this.#shownBytes);
      if (read === 0) return;
      this.#shownBytes += read;
      this.#show(this.#chunk.subarray(0, read));
    }
  }

  #showHead(): void {
    const { fd, tally } = this.#draft;
    const room = this.#head - this.shown;
    const bytes = Buffer.alloc(Math.min(room * 4, tally.bytes - this.#shownBytes));
    const read = readSync(fd, bytes, 0, bytes.length, this.#shownBytes);
    const whole = bytes.subarray(0, wholeCharacters(bytes.subarray(0, read)));
    let piece = whole.subarray(0, byteOfCharacter(whole, room));
    this.#full = piece.length < whole.length;
    if (this.#full) {
      const line = piece.lastIndexOf(10) + 1;
      if (line > 0) piece = piece.subarray(0, line);
    }
    this.shown += [...textOf(piece)].length;
    this.#shownBytes += piece.length;
    if (this.shown >= this.#head) this.#full = true;
    if (piece.length > 0) this.endsLine = piece.at(-1) === 10;
    this.#show(piece);
  }
}

async function showEnd(
  entries: FileEntries,
  entry: EntryInfo,
  { shown, endsLine }: Reader,
  preview: number,
  show: (bytes: Buffer) => void,
): Promise<void> {
  const from = Math.max(shown, entry.characters - Math.ceil(preview / 2));
  const { content } = await entries.read(entry.name, { offset: from, limit: entry.characters - from });
  const whole = wholeLinesOfTail(content);
  show(
    Buffer.from(
      (endsLine ? '' : '\n') + previewEnd(entry, shown, entry.characters - [...whole].length, whole),
    ),
  );
}

function notStarted(file: string, cwd: string, cause: unknown): ScratchpadError {
  return new ScratchpadError('environment', 'the command cannot be run', {
    where: cwd,
    expected: 'a program on the PATH, or a path to one',
    found: `${file}: ${cause instanceof Error ? cause.message : String(cause)}`,
    next: 'check the name; a line for the shell is run with: scratchpad run -- sh -c LINE',
    cause,
  });
}
