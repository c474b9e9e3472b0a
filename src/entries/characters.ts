import { isAscii, isUtf8 } from 'node:buffer';
import { decodeBytes, sequenceLength } from '../pad/bytes.ts';

/**
 * How entries count characters: code points, and each byte that is no part of valid UTF-8 as one
 * (it is shown as U+FFFD). The count of a whole is the sum of the counts of its parts, wherever
 * it was cut between characters.
 */
export function countCharactersIn(bytes: Buffer): number {
  if (isAscii(bytes)) return bytes.length;
  if (!isUtf8(bytes)) return countOneByOne(bytes);
  let continuations = 0;
  for (const byte of bytes) if ((byte & 0xc0) === 0x80) continuations += 1;
  return bytes.length - continuations;
}

/** Where the character number `index` starts, in bytes; the length when there are fewer. `bytes` starts a character. */
export function byteOfCharacter(bytes: Buffer, index: number): number {
  if (index <= 0) return 0;
  if (isAscii(bytes)) return Math.min(index, bytes.length);
  let at = 0;
  for (let passed = 0; passed < index && at < bytes.length; passed += 1) {
    at += sequenceLength(bytes, at) || 1;
  }
  return Math.min(at, bytes.length);
}

/** Bytes as text, one U+FFFD for each byte that is no UTF-8: as many code points as `countCharactersIn` says. */
export function textOf(bytes: Buffer): string {
  return decodeBytes(bytes).toWellFormed();
}

/** The end of the last whole character: up to three bytes after it may begin one that is cut off. */
export function wholeCharacters(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return wanted > back ? length - back : length;
  }
  return length;
}

function countOneByOne(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; count += 1) at += sequenceLength(bytes, at) || 1;
  return count;
}
