import { failed, hasCode, messageOf, misuse, refused, ScratchpadError } from '../base/errors.ts';
import {
  cutQuietly,
  flush,
  type OpenFile,
  openForAppending,
  readAt,
  sizeOf,
  withLock,
  writeAll,
} from '../base/fs/index.ts';
import { isObject, textAt } from '../base/text/json.ts';
import { OUR_KEY, readScratchpadEntries, type Spaces } from './entries.ts';
import { piFormat } from './formats/index.ts';
import { piEvents } from './formats/pi.ts';
import { type ByteSource, type Line, lineAfter, linesFrom, MAX_LINE, parseLine } from './lines.ts';
import { recognise, unknownFormat } from './recognise.ts';

/** How long to wait for a host that is in the middle of a line, in milliseconds. */
const SETTLE_MS = 400;
const SPACES = ['notes', 'plan', 'refs'] as const;

/** The result of an append. */
export interface Persisted {
  /** Spaces that were written; a space whose last entry already has the same text is not. */
  written: Array<(typeof SPACES)[number]>;
  /** The id of the leaf that the first entry was attached to; null in a session without entries. */
  parentId: string | null;
}

/**
 * Appends the spaces to a host's session file as custom entries under our keys, each a child of the one
 * before, the first a child of the session's current leaf. All of them are written at once and flushed. A
 * space is skipped if it is absent, if the file already has its text, or if it is empty and has no entry. A
 * lock beside the file excludes our own processes; the host appends whole lines, as we do.
 * @throws {ScratchpadError} `usage` if the file is not an OpenClaw or pi session (JSONL), `refused` for a
 * database, which only OpenClaw may write, `environment` if it cannot be written
 */
export async function appendScratchpadEntries(
  path: string,
  spaces: Spaces,
  now = Date.now(),
): Promise<Persisted> {
  const file = openSession(path);
  try {
    return await withLock(`${path}.scratchpad-lock`, () => append(file, path, spaces, now));
  } catch (error) {
    throw error instanceof ScratchpadError ? error : writeFailure(path, error);
  } finally {
    file.close();
  }
}

async function append(file: OpenFile, path: string, spaces: Spaces, now: number): Promise<Persisted> {
  const source = await settled(file);
  await checkFormat(source, path);
  const held = await readScratchpadEntries(path);
  const written = SPACES.filter((space) => {
    const ours = spaces[space];
    if (ours === undefined) return false;
    return held[space] === undefined ? ours.length > 0 : !isSame(ours, held[space]);
  });
  const { leaf, ids } = await leafOf(source);
  if (written.length === 0) return { written, parentId: leaf };
  const timestamp = new Date(now).toISOString();
  let parentId = leaf;
  let text = source.size > 0 && !(await endsWithLf(source)) ? '\n' : '';
  for (const space of written) {
    const id = newId(ids);
    const entry = {
      type: 'custom',
      customType: `${OUR_KEY}:${space}`,
      data: spaces[space],
      id,
      parentId,
      timestamp,
    };
    text += `${JSON.stringify(entry)}\n`;
    parentId = id;
  }
  writeLines(file, Buffer.from(text), source.size, path);
  return { written, parentId: leaf };
}

function openSession(path: string): OpenFile {
  let cause: unknown;
  try {
    const file = openForAppending(path, 'transcript', { create: false });
    if (file) return file;
  } catch (error) {
    if (error instanceof ScratchpadError && error.detail.refusal === 'kind')
      throw misuse('A session must be a regular file', { where: path });
    cause = error instanceof ScratchpadError ? error.cause : error;
    if (!hasCode(cause, 'EISDIR')) throw writeFailure(path, error);
  }
  throw misuse('there is no session file to append to', {
    where: path,
    expected: 'an OpenClaw or pi session (JSONL)',
    found: cause === undefined ? 'nothing at that path' : 'a directory',
    cause,
  });
}

/** Waits until the last line is complete, or nobody has written to the file for a while. */
async function settled(file: OpenFile): Promise<ByteSource> {
  let source = sourceOf(file);
  const deadline = Date.now() + SETTLE_MS;
  while (!(await lastLineWhole(source)) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    source = sourceOf(file);
  }
  // The line is still incomplete, so its writer has ended. It is terminated, so that ours is separate.
  return source;
}

function sourceOf({ fd }: OpenFile): ByteSource {
  return { size: sizeOf(fd), read: async (target, position) => readAt(fd, target, position) };
}

async function lastLineWhole(source: ByteSource): Promise<boolean> {
  let last: Line | undefined;
  for await (const lines of linesFrom(source, await lineAfter(source, source.size - MAX_LINE)))
    last = lines.at(-1) ?? last;
  return (
    last === undefined || last.ended || (last.bytes !== undefined && parseLine(last.bytes) !== undefined)
  );
}

async function endsWithLf(source: ByteSource): Promise<boolean> {
  const last = Buffer.alloc(1);
  await source.read(last, source.size - 1);
  return last[0] === 10;
}

async function checkFormat(source: ByteSource, path: string): Promise<void> {
  const head = Buffer.alloc(Math.min(source.size, 15));
  await source.read(head, 0);
  if (head.toString('latin1') === 'SQLite format 3') {
    throw refused('An OpenClaw database is written by OpenClaw only', {
      where: path,
      next: {
        to: 'use a session file (JSONL), or install the plugin',
        command: 'scratchpad install openclaw',
      },
    });
  }
  const found = await recognise(source, path);
  if (found.kind === 'empty') throw unknownFormat(path, '');
  const format = found.kind === 'value' ? found.value.format : found.format;
  if (format === piFormat) return;
  throw misuse('Entries can be appended to OpenClaw and pi sessions only', {
    where: path,
    expected: piFormat.title,
    found: format.title,
    next: {
      to: 'this host reads the scratchpad through its hooks: install them',
      command: 'scratchpad install',
    },
  });
}

/** The entry that a new one continues, and all ids, which a new one must not repeat. */
async function leafOf(source: ByteSource): Promise<{ leaf: string | null; ids: Set<string> }> {
  const ids = new Set<string>();
  let leaf: string | null = null;
  for await (const lines of linesFrom(source, 0)) {
    for (const { bytes, at } of lines) {
      const record = bytes === undefined ? undefined : parseLine(bytes);
      if (!isObject(record)) continue;
      const id = textAt(record, 'id');
      if (id !== undefined && record.type !== 'session') ids.add(id);
      const [start] = piEvents(record, at);
      if (start?.type === 'back') leaf = start.to ?? null;
      if (start?.type === 'record' && start.aside !== true) leaf = id ?? null;
    }
  }
  return { leaf, ids };
}

/** Eight hexadecimal digits, as the hosts make them. */
function newId(ids: Set<string>): string {
  for (;;) {
    const id = crypto.randomUUID().slice(0, 8);
    if (ids.has(id)) continue;
    ids.add(id);
    return id;
  }
}

function isSame(
  ours: string | readonly string[] | undefined,
  held: string | readonly string[] | undefined,
): boolean {
  if (Array.isArray(ours) && Array.isArray(held)) {
    return ours.length === held.length && ours.every((item, index) => item === held[index]);
  }
  return ours === held;
}

/** Writes and flushes. A partial write is removed if nobody has written after it. */
function writeLines({ fd }: OpenFile, bytes: Buffer, before: number, path: string): void {
  try {
    writeAll(fd, bytes);
    flush(fd);
  } catch (cause) {
    const size = sizeOf(fd);
    if (size > before && size < before + bytes.length) cutQuietly(fd, before);
    throw writeFailure(path, cause);
  }
}

function writeFailure(path: string, cause: unknown): ScratchpadError {
  return failed('The session file could not be written', {
    where: path,
    found: messageOf(cause),
    next: 'check the space on the disk and that the file may be written by this user',
    cause,
  });
}
