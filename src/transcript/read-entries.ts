import { lastEntries, type Spaces } from './entry-keys.ts';
import { isObject } from './json.ts';
import { type ByteSource, linesFromEnd, parseLine } from './lines.ts';
import { openSource } from './source.ts';
import type { CustomEntry } from './types.ts';

const OURS = Buffer.from('"openclaw:scratchpad');

/**
 * The scratchpad that an agent kept in a host's session file, or that our own journal holds: the last entry
 * of each key counts. The older single key `openclaw:scratchpad` stands for the notes when there is no entry
 * of theirs.
 *
 * @param options `session`: which one, of a file that holds many
 * @throws {ScratchpadError} `usage` when the file is not there, `environment` when it cannot be read
 */
export async function readScratchpadEntries(
  path: string,
  { session }: { session?: string } = {},
): Promise<Spaces> {
  const source = await openSource(path);
  try {
    if (source.kind === 'bytes') return lastEntries(await entriesIn(source.bytes));
    const { readTranscriptFile } = await import('./read.ts');
    const { facts } = await readTranscriptFile(path, {
      limit: Number.POSITIVE_INFINITY,
      ...(session === undefined ? {} : { session }),
    });
    return lastEntries(facts.entries);
  } finally {
    source.close();
  }
}

/** Entries under our keys, oldest first; only the lines that name one are parsed. */
async function entriesIn(source: ByteSource): Promise<CustomEntry[]> {
  const entries: CustomEntry[] = [];
  for await (const lines of linesFromEnd(source)) {
    for (const { bytes } of lines) {
      if (bytes === undefined || !bytes.includes(OURS)) continue;
      const record = parseLine(bytes);
      if (!isObject(record) || record.type !== 'custom' || typeof record.customType !== 'string') continue;
      entries.push({ key: record.customType, data: record.data });
    }
    // The three keys of today leave nothing for older lines to say.
    if (
      ['notes', 'plan', 'refs'].every((space) =>
        entries.some(({ key }) => key === `openclaw:scratchpad:${space}`),
      )
    )
      break;
  }
  return entries.reverse();
}
