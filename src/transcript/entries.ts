import { isDeepStrictEqual } from 'node:util';
import { refusal, usageError } from '../base/errors.ts';
import { append, withLock } from '../base/fs/index.ts';
import { isObject } from '../base/text/json.ts';
import { withLf } from '../base/text/strings.ts';
import { type Format, OUR_KEY } from './event.ts';
import { readSession } from './read.ts';
import {
  type ByteSource,
  formatNotRecognised,
  parseLine,
  readLines,
  recognise,
  withSource,
} from './source.ts';
import type { CustomEntry } from './types.ts';

const SPACES = ['notes', 'plan', 'refs'] as const;

export interface Spaces {
  notes?: string;
  plan?: string;
  refs?: string[];
}

interface KeptSpaces extends Spaces {
  /** Keys that have an entry of an unknown form. */
  invalid?: readonly string[];
}

/**
 * The scratchpad that an agent kept in a host's session file, or that our own journal holds: the last entry
 * of each key. Without an entry for the notes the older single key `openclaw:scratchpad` counts as the notes.
 * @param session which one of a database; without it the last in which a person spoke
 * @throws {ScratchpadError} `usage` if there is no such file, `environment` if it cannot be read
 */
export async function readScratchpadEntries(path: string, session?: string): Promise<KeptSpaces> {
  const { record } = await readSession(path, { session, root: '/', mostBytes: Number.POSITIVE_INFINITY });
  return collectLastEntries(record.ours);
}

function collectLastEntries(entries: readonly CustomEntry[]): KeptSpaces {
  const invalid = new Set<string>();
  const findLast = <T>(key: string, read: (data: unknown) => T | undefined): T | undefined => {
    const values = entries.filter((entry) => entry.key === key).map((entry) => read(entry.data));
    if (values.includes(undefined)) invalid.add(key);
    return values.findLast((value) => value !== undefined);
  };

  const [notes, older] = [findLast(`${OUR_KEY}:notes`, parseText), findLast(OUR_KEY, parseText)];
  const spaces = {
    notes: notes ?? older,
    plan: findLast(`${OUR_KEY}:plan`, parseText),
    refs: findLast(`${OUR_KEY}:refs`, parseList),
  };

  return {
    ...Object.fromEntries(Object.entries(spaces).filter(([, value]) => value !== undefined)),
    ...(invalid.size > 0 && { invalid: [...invalid] }),
  };
}

function parseText(data: unknown): string | undefined {
  const text = isObject(data) ? data.content : data;
  return typeof text === 'string' ? withLf(text) : undefined;
}

function parseList(data: unknown): string[] | undefined {
  const list = isObject(data) ? data.refs : data;
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : undefined;
}

interface PersistResult {
  /** Spaces that were written; a space whose last entry already has the same text is not. */
  written: Array<(typeof SPACES)[number]>;
  /** The id of the leaf that the first entry was attached to; null in a session without entries. */
  parentId: string | null;
}

/** How often, and how long, to wait for a host that is writing a line. */
const RETRIES = 10;
const RETRY_MS = 40;

/**
 * Appends the spaces to a host's session file as custom entries under our keys, each a child of the one before, the first
 * a child of the session's current leaf. All of them are written at once and flushed. A space is skipped if it is absent,
 * if the file already has its text, or if it is empty and has no entry. A lock beside the file excludes our own
 * processes; the host appends whole lines, as this function does.
 * @throws {ScratchpadError} `usage` if the file is not an OpenClaw or pi session (JSONL), `refused` for a
 * database, which only OpenClaw may write, `environment` if it cannot be written
 */
export async function appendScratchpadEntries(
  path: string,
  spaces: Spaces,
  now = Date.now(),
): Promise<PersistResult> {
  const format = await recognisePi(path);

  return withLock(`${path}.scratchpad-lock`, async () => {
    for (let retry = 0; retry < RETRIES && !(await readFile(path, endsWithLine)); retry += 1)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    const current = await readScratchpadEntries(path);
    const written = SPACES.filter((space) => {
      const [ours, theirs] = [spaces[space], current[space]];
      if (theirs === undefined) return (ours?.length ?? 0) > 0;
      return ours !== undefined && !isDeepStrictEqual(ours, theirs);
    });

    const leaf = await readFile(path, (bytes) => findLeaf(bytes, format));
    const timestamp = new Date(now).toISOString();
    let parentId = leaf;
    // A line that is still incomplete was left by a writer that has ended.
    let text = (await readFile(path, endsWithLine)) ? '' : '\n';

    for (const space of written) {
      const entry = { type: 'custom', customType: `${OUR_KEY}:${space}`, data: spaces[space] };
      const id = crypto.randomUUID();
      text += `${JSON.stringify({ ...entry, id, parentId, timestamp })}\n`;
      parentId = id;
    }

    if (written.length > 0) append(path, 'transcript', text);

    return { written, parentId: leaf };
  });
}

const readFile = <T>(path: string, use: (bytes: ByteSource) => T): Promise<T> =>
  withSource(path, (bytes) => {
    if (bytes !== undefined) return use(bytes);
    throw refusal('An OpenClaw database is written by OpenClaw only', {
      where: path,
      next: {
        to: 'use a session file (JSONL), or install the plugin',
        command: 'scratchpad install openclaw',
      },
    });
  });

async function recognisePi(path: string): Promise<Format> {
  const { format, rows } = await readFile(path, (bytes) => recognise(bytes, path));
  if (rows.length === 0) throw formatNotRecognised(path, '');
  if (format.name === 'pi') return format;

  throw usageError('Entries can be appended to OpenClaw and pi sessions only', {
    where: path,
    expected: 'OpenClaw or pi session (JSONL)',
    found: format.title,
    next: {
      to: 'this host reads the scratchpad through its hooks: install them',
      command: 'scratchpad install',
    },
  });
}

function findLeaf(bytes: ByteSource, format: Format): string | null {
  let leaf: string | null = null;
  for (const line of readLines(bytes, 0)) {
    const row = line.bytes && parseLine(line.bytes);
    if (!isObject(row)) continue;
    const [start] = format.events(row, line.at);
    if (start?.type === 'back') leaf = start.to ?? null;
    if (start?.type === 'row' && start.aside !== true) leaf = start.id ?? null;
  }

  return leaf;
}

const endsWithLine = (bytes: ByteSource): boolean =>
  bytes.size === 0 || bytes.read(bytes.size - 1, bytes.size)[0] === 10;
