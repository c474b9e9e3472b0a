import { ScratchpadError } from '../errors.ts';
import type { JsonObject } from '../text/json.ts';
import type { Format } from './format.ts';
import { FORMATS } from './formats/index.ts';

/** The format of most of the records; undefined if none is recognized. */
export function detectFormat(records: readonly JsonObject[]): Format | undefined {
  let best: Format | undefined;
  let most = 0;
  const counts = new Map<Format, number>();
  for (const record of records) {
    const format = FORMATS.find((candidate) => candidate.recognises(record));
    if (format === undefined) continue;
    const count = (counts.get(format) ?? 0) + 1;
    counts.set(format, count);
    if (count > most) {
      most = count;
      best = format;
    }
  }
  return best;
}

/** The error for input of an unknown format. */
export function unknownFormat(name: string, firstLine: string): ScratchpadError {
  const known = FORMATS.map((format) => format.title);
  return new ScratchpadError('usage', 'this is not a transcript in a known format', {
    where: name,
    expected: `one of: ${known.join('; ')}`,
    found: firstLine === '' ? 'no text' : firstLine,
    next: 'give a session file of one of these hosts, or messages as a JSON array of {"role", "content"}',
  });
}
