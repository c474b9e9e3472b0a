import { ScratchpadError } from '../errors.ts';
import { Collector } from './collector.ts';
import { type ByteSource, memorySource } from './lines.ts';
import { readRecords } from './records.ts';
import { openSource } from './source.ts';
import type { ReadOptions, Transcript } from './types.ts';

export type {
  Compaction,
  CustomEntry,
  Message,
  ReadOptions,
  SessionFacts,
  Skipped,
  Transcript,
} from './types.ts';

/**
 * Reads the last messages of a session file of any known host. The format is recognized by the content; the
 * file is read from its end, only as far as the window needs. An incomplete last line is left for the next
 * time.
 * @throws {ScratchpadError} `usage` for a missing file, a directory or an unknown format, `environment` if
 * the file cannot be read
 */
export async function readTranscriptFile(path: string, options: ReadOptions = {}): Promise<Transcript> {
  checkOptions(options);
  const source = await openSource(path);
  try {
    if (source.kind === 'database') {
      const { readOpenClawDatabase } = await import('./formats/openclaw-sqlite.ts');
      return await readOpenClawDatabase(path, options);
    }
    return await readSource(source.bytes, options, path);
  } finally {
    source.close();
  }
}

/**
 * Reads messages from text: a JSON array, an object with `messages`, or lines of any known format.
 * @param name the text's name in an error, such as `standard input`
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export async function readTranscriptText(
  text: string,
  options: ReadOptions = {},
  name = 'standard input',
): Promise<Transcript> {
  checkOptions(options);
  return readSource(memorySource(Buffer.from(text, 'utf8')), options, name);
}

function readSource(source: ByteSource, options: ReadOptions, name: string): Promise<Transcript> {
  return readRecords(source, new Collector(options), name);
}

function checkOptions(options: ReadOptions): void {
  for (const [name, value] of [
    ['limit', options.limit],
    ['maxAgeMs', options.maxAgeMs],
  ] as const) {
    if (value === undefined || value > 0) continue;
    throw new ScratchpadError('usage', `The ${name} of a transcript window must be above 0`, {
      found: String(value),
    });
  }
}
