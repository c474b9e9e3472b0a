import { openFile, readAt, tryReadBytes, writeAtomically } from '../fs/index.ts';
import { byteOfCharacter, countCharactersIn, wholeCharacters } from './characters.ts';

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
function placeBefore(path: string, character: number): EntryPosition {
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

/** A position in an entry, in bytes and in characters. */
export interface EntryPosition {
  bytes: number;
  characters: number;
}

/** Distance in bytes between two rows of an offset table: the most that a read at any offset has to scan. */
const STRIDE = 256 * 1024;

/** Counts a stream's bytes and characters, and records positions on the way. */
export class Tally {
  bytes = 0;
  characters = 0;
  readonly places: EntryPosition[] = [];
  #cutOff: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const all = this.#cutOff.length === 0 ? chunk : Buffer.concat([this.#cutOff, chunk]);
    const whole = wholeCharacters(all);
    this.#cutOff = Buffer.from(all.subarray(whole));
    let at = 0;
    let before = this.bytes - all.length;
    while (at < whole) {
      const step = Math.min(whole, at + STRIDE);
      const piece = all.subarray(at, step === whole ? step : at + wholeCharacters(all.subarray(at, step)));
      this.characters += countCharactersIn(piece);
      at += piece.length;
      before += piece.length;
      if (before - (this.places.at(-1)?.bytes ?? 0) >= STRIDE) {
        this.places.push({ bytes: before, characters: this.characters });
      }
    }
  }

  /** Bytes left over at the end are no character: each counts as one. */
  end(): this {
    this.characters += countCharactersIn(this.#cutOff);
    this.#cutOff = Buffer.alloc(0);
    return this;
  }
}

const CHUNK = 1024 * 1024;

/**
 * Counts a content that was stored without being read: the long output of a command, which is written at the
 * speed of a redirection and counted on first use. Writes the offset table, so that only the first use takes
 * the time.
 * @returns `undefined` if there is no such content
 */
export async function countContent(path: string): Promise<Pick<Tally, 'bytes' | 'characters'> | undefined> {
  const file = openFile(path, 'entry');
  if (!file) return undefined;
  const tally = new Tally();
  const chunk = Buffer.allocUnsafe(CHUNK);
  try {
    for (let read = CHUNK; read === CHUNK; ) {
      read = readAt(file.fd, chunk, tally.bytes);
      tally.add(chunk.subarray(0, read));
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    file.close();
  }
  tally.end();
  try {
    writeTable(path, tally);
  } catch {
    // The workspace may be read-only: then every read counts again.
  }
  return tally;
}
