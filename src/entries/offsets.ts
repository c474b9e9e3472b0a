import { readAt, tryReadBytes, writeAtomically } from '../fs/index.ts';
import { byteOfCharacter, countCharactersIn, wholeCharacters } from './characters.ts';
import { type Place, STRIDE, type Tally } from './tally.ts';

/**
 * A large entry that is not plain ASCII has an offset table in a file beside it: pairs of 64-bit numbers
 * (bytes, characters), little-endian, ascending. With it a read at any offset scans at most one stride;
 * without it, the entry from its beginning.
 */
export const TABLE_SUFFIX = '.offsets';
const RECORD = 16;

/**
 * Writes the offset table of a content if it needs one; `path` is the content's, which need not exist yet.
 */
export function writeTable(
  path: string,
  { bytes, characters, places }: Readonly<Pick<Tally, 'bytes' | 'characters' | 'places'>>,
): void {
  if (bytes === characters || bytes <= 2 * STRIDE) return;
  const table = Buffer.alloc(places.length * RECORD);
  places.forEach((place, index) => {
    table.writeDoubleLE(place.bytes, index * RECORD);
    table.writeDoubleLE(place.characters, index * RECORD + 8);
  });
  writeAtomically(path + TABLE_SUFFIX, table, { durable: false });
}

/** The last table row at or before a character, by binary search; the beginning if there is no table. */
export function placeBefore(path: string, character: number): Place {
  const start = { bytes: 0, characters: 0 };
  const table = tryReadBytes(path + TABLE_SUFFIX, 'cache');
  if (table === undefined) return start;
  let [low, high] = [0, Math.floor(table.length / RECORD)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table.readDoubleLE(middle * RECORD + 8) <= character) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return start;
  const at = (low - 1) * RECORD;
  return { bytes: table.readDoubleLE(at), characters: table.readDoubleLE(at + 8) };
}

/**
 * The byte at which a character starts.
 * @param ascii whether every character is one byte
 */
export function locate(fd: number, path: string, character: number, ascii: boolean): number {
  if (ascii) return character;
  const place = placeBefore(path, character);
  let { bytes: at, characters } = place;
  const chunk = Buffer.alloc(STRIDE);
  for (;;) {
    const read = readAt(fd, chunk, at);
    if (read === 0) return at;
    const bytes = chunk.subarray(0, read);
    const whole = read < chunk.length ? bytes : bytes.subarray(0, wholeCharacters(bytes));
    const here = countCharactersIn(whole);
    if (characters + here >= character) return at + byteOfCharacter(whole, character - characters);
    characters += here;
    at += whole.length;
  }
}
