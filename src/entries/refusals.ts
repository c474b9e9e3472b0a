import { misuse, refused, type ScratchpadError } from '../base/errors.ts';
import { spellValue } from '../base/text/spell-value.ts';
import type { EntryEdit, EntryInfo } from './types.ts';

const NAMES_SHOWN = 10;

export function noEntry(name: string, entries: readonly Pick<EntryInfo, 'name'>[]): ScratchpadError {
  const names = entries.slice(-NAMES_SHOWN).map((entry) => entry.name);
  const more = entries.length > names.length ? ` and ${entries.length - names.length} more` : '';
  return refused('no entry has that name', {
    expected: names.length === 0 ? 'this session has no entries' : `one of ${names.join(', ')}${more}`,
    found: name,
    next: {
      to: 'see them',
      command: 'scratchpad entry list',
      tool: 'scratchpad_list',
      call: 'pad.entries.list()',
    },
  });
}

export function taken(name: string): ScratchpadError {
  return refused('an entry of that name exists: nothing was changed', {
    found: name,
    next: { to: 'choose another name, or overwrite it', command: '--force', call: '{ force: true }' },
  });
}

export function readOnly({ name, origin }: Pick<EntryInfo, 'name' | 'origin'>): ScratchpadError {
  return refused('the entry is lent and read-only: nothing was changed', {
    found: `${name} (${origin})`,
    next: {
      to: 'copy it under another name',
      command: `scratchpad entry read ${JSON.stringify(name)} --raw | scratchpad entry write NEW -`,
      tool: 'scratchpad_write',
      call: 'pad.entries.write()',
    },
  });
}

export function ofAnother(name: string, owner: string): ScratchpadError {
  const copy = `scratchpad entry read ${JSON.stringify(name)} --session ${owner} --raw | scratchpad entry write NEW -`;
  return refused("the entry is another session's and read-only here: nothing was changed", {
    found: `${name}, kept for session ${owner}`,
    next: {
      to: 'copy it under another name',
      command: copy,
      tool: `scratchpad_read, session ${owner}, and scratchpad: NEW`,
    },
  });
}

export function tooLargeToKeep(
  { name, bytes }: Pick<EntryInfo, 'name' | 'bytes'>,
  most: number,
): ScratchpadError {
  const mib = (size: number): string => `${Math.ceil(size / 1024 ** 2)} MiB`;
  return refused('the entry is too large for undelete: nothing was changed', {
    where: name,
    expected: `at most ${mib(most)}, so that it can be restored`,
    found: mib(bytes),
    next: { to: 'delete it and every version of it', command: 'scratchpad entry delete --for-good' },
  });
}

/** @param matches the number of matches, or `empty` if the search text is empty */
export function wrongMatches(name: string, matches: number | 'empty', oldString = ''): ScratchpadError {
  if (matches === 'empty') {
    return misuse('the text to find is empty', { where: 'old_string', expected: 'at least one character' });
  }
  return refused(`${matches} matches in ${name}: nothing was changed`, {
    expected: matches === 0 ? 'text of the entry, exactly as it is written there' : 'exactly one match',
    found: oldString,
    next:
      matches === 0
        ? {
            to: 'read it',
            command: 'scratchpad entry read',
            tool: 'scratchpad_read',
            call: 'pad.entries.read()',
          }
        : {
            to: 'include more of the surrounding text, or change every match',
            command: '--all',
            tool: 'replace_all',
            call: '{ replaceAll: true }',
          },
  });
}

/** @throws ScratchpadError `usage` for anything but a whole number of at least 0 */
export function checkCount(value: unknown, what: string): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) return;
  throw misuse(`${what} is not valid`, {
    where: what,
    expected: 'a whole number of at least 0',
    found: String(value),
  });
}

/** @throws ScratchpadError `usage` unless the edit is a new content or one replacement */
export function checkEdit(edit: EntryEdit): void {
  const { content, oldString, newString } = edit as Partial<Record<string, unknown>>;
  const isReplacement = typeof oldString === 'string' && typeof newString === 'string';
  if (typeof content === 'string' ? oldString === undefined && newString === undefined : isReplacement)
    return;
  const given = Object.entries({ content, oldString, newString }).filter(([, value]) => value !== undefined);
  throw misuse('not an edit: nothing was changed', {
    where: 'edit',
    expected: 'content alone, or oldString and newString',
    found: given.length === 0 ? 'none of them' : given.map(([name]) => name).join(', '),
  });
}

/** @throws ScratchpadError `usage` for anything but text and bytes */
export function bytesOf(content: unknown): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content);
  throw misuse('the content cannot be stored: nothing was changed', {
    where: 'content',
    expected: 'a string or a Uint8Array',
    found: spellValue(content),
  });
}

export const NAME_LIMIT = 200;

/**
 * Checks an entry's name. Names exist only in the index, never in a path, so anything that fits on a line is
 * allowed: `../x`, `con`, `.hidden`, an emoji.
 * @throws ScratchpadError `usage` for a name that is empty, too long, or contains control characters or lone
 * surrogates
 */
export function checkEntryName(name: unknown): string {
  const problem = problemOf(name);
  if (problem === undefined) return name as string;
  throw misuse(`not an entry name: ${problem}`, {
    where: 'name',
    expected: `1 to ${NAME_LIMIT} characters, none of them a control character`,
    found: typeof name === 'string' ? name : `${name === null ? 'null' : typeof name}`,
  });
}

function problemOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'it is not a string';
  if (name.trim() === '') return 'it is empty';
  // More than twice the limit in code units is always more than the limit in code points.
  if (name.length > NAME_LIMIT * 2 || [...name].length > NAME_LIMIT) return 'it is too long';
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) return 'it has control characters';
  if (!name.isWellFormed()) return 'it has a lone surrogate';
  return undefined;
}
