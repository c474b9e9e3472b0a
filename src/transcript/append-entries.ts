import { failed, messageOf, misuse, refused } from '../base/errors.ts';
import { cutQuietly, flush, openForAppending, sizeOf, withLock, writeAll } from '../base/fs/index.ts';
import { isObject, textAt } from '../base/text/json.ts';
import { OUR_KEY, readScratchpadEntries, type Spaces } from './entries.ts';
import { piFormat } from './formats/index.ts';
import { piEvents } from './formats/pi.ts';
import { recognise, unknownFormat } from './recognise.ts';
import { type ByteSource, linesFrom, openSource, parseLine } from './source.ts';

/** How often, and how long, to wait for a host that is in the middle of a line. */
const LOOKS = 10;
const LOOK_MS = 40;
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
  await within(path, (source) => checkFormat(source, path));
  return withLock(`${path}.scratchpad-lock`, async () => {
    // A line that stays incomplete is one whose writer has ended: it is terminated, so that ours is separate.
    for (let look = 0; look < LOOKS && !(await within(path, endsWithLf)); look += 1)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return within(path, (source) => append(source, path, spaces, now));
  });
}

async function within<Found>(path: string, use: (source: ByteSource) => Promise<Found>): Promise<Found> {
  const source = await openSource(path);
  try {
    if (source.kind === 'file') return await use(source.bytes);
  } finally {
    source.close();
  }
  if (source.kind === 'packed') throw unknownFormat(path, 'packed data');
  throw refused('An OpenClaw database is written by OpenClaw only', {
    where: path,
    next: { to: 'use a session file (JSONL), or install the plugin', command: 'scratchpad install openclaw' },
  });
}

async function append(source: ByteSource, path: string, spaces: Spaces, now: number): Promise<Persisted> {
  const held = await readScratchpadEntries(path);
  const written = SPACES.filter((space) => {
    const ours = spaces[space];
    if (ours === undefined) return false;
    return held[space] === undefined ? ours.length > 0 : JSON.stringify(ours) !== JSON.stringify(held[space]);
  });
  const { leaf, ids } = await leafOf(source);
  if (written.length === 0) return { written, parentId: leaf };
  const timestamp = new Date(now).toISOString();
  let parentId = leaf;
  let text = (await endsWithLf(source)) ? '' : '\n';
  for (const space of written) {
    const customType = `${OUR_KEY}:${space}`;
    const id = newId(ids);
    text += `${JSON.stringify({ type: 'custom', customType, data: spaces[space], id, parentId, timestamp })}\n`;
    parentId = id;
  }
  write(path, Buffer.from(text));
  return { written, parentId: leaf };
}

async function endsWithLf(source: ByteSource): Promise<boolean> {
  const last = Buffer.alloc(1);
  return source.size === 0 || ((await source.read(last, source.size - 1)) === 1 && last[0] === 10);
}

async function checkFormat(source: ByteSource, path: string): Promise<void> {
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

/** Writes and flushes. A partial write is removed if nobody has written after it. */
function write(path: string, bytes: Buffer): void {
  const file = openForAppending(path, 'transcript', { create: false });
  try {
    if (file === undefined) throw new Error('it is gone');
    const before = sizeOf(file.fd);
    try {
      writeAll(file.fd, bytes);
      flush(file.fd);
    } catch (cause) {
      const size = sizeOf(file.fd);
      if (size > before && size < before + bytes.length) cutQuietly(file.fd, before);
      throw cause;
    }
  } catch (cause) {
    throw failed('The session file could not be written', {
      where: path,
      found: messageOf(cause),
      next: 'check the space on the disk and that the file may be written by this user',
      cause,
    });
  } finally {
    file?.close();
  }
}
