import { ScratchpadError } from '../base/errors.ts';

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
  throw new ScratchpadError('usage', `not an entry name: ${problem}`, {
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
