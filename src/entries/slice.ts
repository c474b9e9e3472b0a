import { bytesAt } from '../base/fs/index.ts';
import { byteOfCharacter, countCharactersIn, decodedText, wholeCharacters } from './characters.ts';
import { locate } from './offsets.ts';
import type { EntryText, ReadRange } from './types.ts';

export const READ_LIMIT = 30_000;
/** A larger answer helps nobody and fills the memory. */
const MOST_CHARACTERS = 10_000_000;

/** Reads characters at an offset. */
export function readSlice(
  fd: number,
  entry: { name: string; bytes: number; characters: number },
  { offset = 0, limit = READ_LIMIT }: ReadRange,
): EntryText {
  const { name, characters: total } = entry;
  const from = Math.min(offset, total);
  // Plain ASCII, or only invalid bytes: each byte is a character.
  const ascii = entry.bytes === total;
  const wanted = Math.min(limit, MOST_CHARACTERS, total - from);
  const start = locate(fd, from, ascii);
  const room = Math.max(0, Math.min(ascii ? wanted : wanted * 4, entry.bytes - start));
  const bytes = bytesAt(fd, start, room);
  const cutOff = !ascii && start + bytes.length < entry.bytes;
  const end = cutOff ? wholeCharacters(bytes) : bytes.length;
  const piece = bytes.subarray(0, byteOfCharacter(bytes.subarray(0, end), wanted));
  const characters = countCharactersIn(piece);
  const next = from + characters;
  return {
    name,
    content: decodedText(piece),
    offset: from,
    characters,
    total,
    nextOffset: next < total ? next : null,
  };
}
