import { openFile, readAt } from '../base/fs/index.ts';
import { byteOfCharacter, countCharactersIn, wholeCharacters } from './characters.ts';

const CHUNK = 1024 * 1024;

/**
 * The byte at which a character starts.
 * @param ascii whether every character is one byte
 */
export function locate(fd: number, character: number, ascii: boolean): number {
  if (ascii) return character;
  let [at, characters] = [0, 0];
  const chunk = Buffer.alloc(CHUNK);
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

/** Counts a stream's bytes and characters. */
export class Tally {
  bytes = 0;
  characters = 0;
  #cutOff: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const all = this.#cutOff.length === 0 ? chunk : Buffer.concat([this.#cutOff, chunk]);
    const whole = wholeCharacters(all);
    this.#cutOff = Buffer.from(all.subarray(whole));
    this.characters += countCharactersIn(all.subarray(0, whole));
  }

  /** Bytes left over at the end are no character: each counts as one. */
  end(): this {
    this.characters += countCharactersIn(this.#cutOff);
    this.#cutOff = Buffer.alloc(0);
    return this;
  }
}

/**
 * Counts a content that was stored without being read: the long output of a command, which is written at the
 * speed of a redirection and counted on first use.
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
  return tally.end();
}
