import { isAscii } from 'node:buffer';
import { join } from 'node:path';
import { failure, refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import { writeAtomically } from '../base/fs/index.ts';
import { countCharacters, makeSlug } from '../base/text/strings.ts';
import { wrongMatchCount } from './refusals.ts';
import type { EntryEdit, IndexedEntry } from './types.ts';

/** Largest content of an entry. */
export const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Writes a content to a file of its own, which no index names yet.
 * @throws ScratchpadError `refused` if it is too large, `environment` if it cannot be written
 */
export function storeContent(
  dir: string,
  name: string,
  bytes: Buffer,
): Pick<IndexedEntry, 'file' | 'bytes' | 'characters'> {
  if (bytes.length > MOST_BYTES)
    throw refusal('the content is too large for an entry', {
      expected: `at most ${MOST_BYTES >> 20} MB`,
      next: 'keep it in a file and note its path in refs',
    });

  const file = `${makeSlug(name) || 'entry'}-${Math.random().toString(36).slice(2, 12).padEnd(10, '0')}`;
  writeAtomically(join(dir, file), bytes);
  return { file, bytes: bytes.length, characters: countCharactersOfBytes(bytes) };
}

/** Code points of a content as text, in which U+FFFD stands for what is not UTF-8. */
export const countCharactersOfBytes = (bytes: Buffer): number =>
  isAscii(bytes) ? bytes.length : countCharacters(bytes.toString());

export const contentGone = (name: string): ScratchpadError =>
  failure('the content of the entry is missing', {
    where: name,
    next: {
      to: 'remove what is left of it',
      command: 'scratchpad entry delete',
      tool: 'scratchpad_delete',
      call: 'pad.entries.delete()',
    },
  });

/** @throws ScratchpadError `usage` for anything but text and bytes */
export function toBytes(content: unknown): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content);

  throw usageError('the content cannot be stored: nothing was changed', {
    where: 'content',
    expected: 'a string or a Uint8Array',
    found: JSON.stringify(content) ?? typeof content,
  });
}

/** @throws ScratchpadError `refused` unless the text occurs once, or all of it is to be replaced */
export function replaceBytes(
  name: string,
  bytes: Buffer,
  { oldString, newString, replaceAll = false }: Exclude<EntryEdit, { content: string }>,
): { bytes: Buffer; matches: number } {
  if (oldString === '')
    throw usageError('the text to find is empty', {
      where: 'old_string',
      expected: 'at least one character',
    });

  // In latin1 each byte is a character: bytes that are no text stay as they are.
  const parts = bytes.toString('latin1').split(toBytes(oldString).toString('latin1'));
  const matches = parts.length - 1;
  if (matches === 0 || (matches > 1 && !replaceAll)) throw wrongMatchCount(name, matches, oldString);

  const replaced = parts.join(toBytes(newString).toString('latin1'));
  return { bytes: Buffer.from(replaced, 'latin1'), matches };
}
