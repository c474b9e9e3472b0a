import { isAscii, isUtf8 } from 'node:buffer';
import { decodeBytes, sequenceLength } from '../base/fs/index.ts';

/** Number of additions after which the four one-byte counters in a word could overflow. */
const LANE_LIMIT = 255;

/**
 * How entries count characters: code points, plus one for each byte that is not part of valid UTF-8 (shown as
 * U+FFFD). The counts of parts add up to the count of the whole, if it was cut between characters.
 */
export function countCharactersIn(bytes: Buffer): number {
  if (isAscii(bytes)) return bytes.length;
  if (!isUtf8(bytes)) return countOneByOne(bytes);
  return bytes.length - countContinuations(bytes);
}

/**
 * The byte at which character number `index` starts; the length if there are fewer. `bytes` must start at a
 * character.
 */
export function byteOfCharacter(bytes: Buffer, index: number): number {
  if (index <= 0) return 0;
  if (isAscii(bytes)) return Math.min(index, bytes.length);
  let at = 0;
  if (isUtf8(bytes)) {
    // The wanted character begins at the first byte after them that is no continuation byte.
    for (let passed = -1; at < bytes.length; at += 1) {
      if (((bytes[at] ?? 0) & 0xc0) !== 0x80 && ++passed === index) return at;
    }
    return at;
  }
  for (let passed = 0; passed < index && at < bytes.length; passed += 1) {
    at += sequenceLength(bytes, at) || 1;
  }
  return Math.min(at, bytes.length);
}

/** Decodes bytes, with one U+FFFD for each invalid byte: as many code points as `countCharactersIn` says. */
export function decodedText(bytes: Buffer): string {
  return decodeBytes(bytes).toWellFormed();
}

/** The end of the last complete character: up to three bytes after it may begin one that was cut off. */
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

/** Bytes of the form 10xxxxxx, counted four at a time: byte by byte a gigabyte would take seconds. */
function countContinuations(bytes: Buffer): number {
  let count = 0;
  let at = 0;
  // Words have to be aligned in memory.
  while (at < bytes.length && ((bytes.byteOffset + at) & 3) !== 0) {
    if (((bytes[at] ?? 0) & 0xc0) === 0x80) count += 1;
    at += 1;
  }
  if (bytes.length - at < 4) return count + tailOf(bytes, at);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (bytes.length - at) >> 2);
  for (let from = 0; from < words.length; from += LANE_LIMIT) {
    const end = Math.min(words.length, from + LANE_LIMIT);
    let lanes = 0;
    for (let k = from; k < end; k += 1) {
      const word = words[k] ?? 0;
      // The top bit of each byte whose next bit is not set.
      lanes = (lanes + (((word & ~(word << 1) & 0x80808080) >>> 7) & 0x01010101)) | 0;
    }
    count += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
  }
  at += words.length * 4;
  return count + tailOf(bytes, at);
}

function tailOf(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = from; at < bytes.length; at += 1) if (((bytes[at] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

function countOneByOne(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; count += 1) at += sequenceLength(bytes, at) || 1;
  return count;
}
