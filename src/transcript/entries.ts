import { isObject } from '../base/text/json.ts';
import { plain } from './content.ts';
import { type ByteSource, linesFrom, openSource, parseLine } from './source.ts';
import type { CustomEntry } from './types.ts';

const OURS = Buffer.from('"openclaw:scratchpad');

/**
 * The scratchpad that an agent kept in a host's session file, or that our own journal holds: the last entry
 * of each key. Without an entry for the notes the older single key `openclaw:scratchpad` counts as the notes.
 * @param options `session`: which one, for a file with several
 * @throws {ScratchpadError} `usage` if there is no such file, `environment` if it cannot be read
 */
export async function readScratchpadEntries(
  path: string,
  { session }: { session?: string } = {},
): Promise<Spaces> {
  const source = await openSource(path);
  try {
    if (source.kind !== 'database') return lastEntries(await entriesIn(source.bytes));
    const { readTranscriptFile } = await import('./read.ts');
    const { facts } = await readTranscriptFile(path, { limit: Number.POSITIVE_INFINITY, session });
    return lastEntries(facts.entries);
  } finally {
    source.close();
  }
}

/** Entries under our keys, oldest first; only lines that contain a key are parsed. */
async function entriesIn(source: ByteSource): Promise<CustomEntry[]> {
  const entries: CustomEntry[] = [];
  for await (const lines of linesFrom(source, 0)) {
    for (const { bytes } of lines) {
      if (bytes === undefined || !bytes.includes(OURS)) continue;
      const record = parseLine(bytes);
      if (!isObject(record) || record.type !== 'custom' || typeof record.customType !== 'string') continue;
      entries.push({ key: record.customType, data: record.data });
    }
  }
  return entries;
}

/** Prefix of the keys of our custom entries; on its own it is the older key of the notes. */
export const OUR_KEY = 'openclaw:scratchpad';

/** The spaces in a session file; one without an entry is absent. */
export interface Spaces {
  notes?: string;
  plan?: string;
  refs?: string[];
}

/** The last entry of each key. An entry whose data has the wrong shape is ignored. */
function lastEntries(entries: readonly CustomEntry[]): Spaces {
  const spaces: Spaces = {};
  let legacy: string | undefined;
  for (const { key, data } of entries) {
    const text = textOf(data);
    if (key === OUR_KEY) legacy = text ?? legacy;
    if (key === `${OUR_KEY}:notes` && text !== undefined) spaces.notes = text;
    if (key === `${OUR_KEY}:plan` && text !== undefined) spaces.plan = text;
    const refs = key === `${OUR_KEY}:refs` ? listOf(data) : undefined;
    if (refs !== undefined) spaces.refs = refs;
  }
  if (spaces.notes === undefined && legacy !== undefined) spaces.notes = legacy;
  return spaces;
}

function textOf(data: unknown): string | undefined {
  const text = isObject(data) ? data.content : data;
  return typeof text === 'string' ? plain(text) : undefined;
}

function listOf(data: unknown): string[] | undefined {
  const list = isObject(data) ? data.refs : data;
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : undefined;
}
