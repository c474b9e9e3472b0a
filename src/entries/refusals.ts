import { type Advice, refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import { formatCall } from '../base/text/shell.ts';
import { formatCount } from '../base/text/strings.ts';
import type { EntryInfo, IndexedEntry } from './types.ts';

const NAMES_SHOWN = 10;

export function entryNotFound(name: string, entries: readonly Pick<EntryInfo, 'name'>[]): ScratchpadError {
  const names = entries.slice(-NAMES_SHOWN).map((entry) => entry.name);
  const more = entries.length > names.length ? ` and ${entries.length - names.length} more` : '';
  return refusal('no entry has that name', {
    expected: names.length === 0 ? 'an entry; none can be read here' : `one of ${names.join(', ')}${more}`,
    found: name,
    next: adviseReaders('see them', 'scratchpad entry list', 'scratchpad_list', 'pad.entries.list()'),
  });
}

/** The next step for each reader: by command, tool and library call. */
const adviseReaders = (to: string, command: string, tool?: string, call?: string): Advice => ({
  to,
  command,
  tool,
  call,
});

export const nameTaken = (name: string): ScratchpadError =>
  refusal('an entry of that name exists: nothing was changed', {
    found: name,
    next: adviseReaders('choose another name, or overwrite it', '--force', undefined, '{ force: true }'),
  });

/** The refusal to change an entry that another session has lent, or that was kept for the session of another agent. */
export function refuseReadOnlyEntry({
  name,
  origin,
  owner,
  readOnly: isLent,
}: IndexedEntry): ScratchpadError {
  const reason = isLent ? 'lent and read-only' : "another session's and read-only here";
  const session = isLent ? undefined : owner;
  const copy = `${formatEntryCall('read', name, [...(isLent ? [] : ['--session', owner ?? '']), '--raw'])} | scratchpad entry write NEW -`;
  const tool = `scratchpad_read${session === undefined ? '' : `, session ${session}`}, and scratchpad: NEW`;

  return refusal(`the entry is ${reason}: nothing was changed`, {
    found: isLent ? `${name} (${origin})` : `${name}, kept for session ${owner}`,
    next: adviseReaders('copy it under another name', copy, tool, 'pad.entries.write()'),
  });
}

/** A command on one entry; a name that begins with a dash stands behind the options. */
export function formatEntryCall(
  verb: string,
  name: string,
  options: readonly string[],
  session?: string,
): string {
  const all = [...options, ...(session === undefined ? [] : ['--session', session])];
  return formatCall('entry', verb, ...(name.startsWith('-') ? [...all, '--', name] : [name, ...all]));
}

export function wrongMatchCount(name: string, matches: number, oldString: string): ScratchpadError {
  const message = `${matches} matches in ${name}: nothing was changed`;
  if (matches === 0)
    return refusal(message, {
      expected: 'text of the entry, exactly as it is written there',
      found: oldString,
      next: adviseReaders('read it', 'scratchpad entry read', 'scratchpad_read', 'pad.entries.read()'),
    });

  const advice = 'include more of the surrounding text, or change every match';
  return refusal(message, {
    expected: 'exactly one match',
    found: oldString,
    next: adviseReaders(advice, '--all', 'replace_all', '{ replaceAll: true }'),
  });
}

/** @throws ScratchpadError `usage` for anything but a whole number of at least 0 */
export function checkCount(value: unknown, name: string): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) return;
  throw usageError(`${name} is not valid`, {
    where: name,
    expected: 'a whole number of at least 0',
    found: String(value),
  });
}

/** Why a part of an entry is empty, if it begins after the end. */
export function describePastEnd(offset: number, total: number): string | undefined {
  if (offset === 0 || offset < total) return undefined;
  return `offset ${offset} is past the end: the entry has ${formatCount(total, 'character')}`;
}

const NAME_LIMIT = 200;

/**
 * Checks an entry's name. Names exist only in the index, never in a path, so anything that fits on a line is
 * allowed: `../x`, `con`, `.hidden`, an emoji. Letters with accents are composed, as most programs write them.
 * @throws ScratchpadError `usage` for a name that is empty, too long, or contains control characters or lone
 * surrogates
 */
export function checkEntryName(name: unknown): string {
  const problem = findNameProblem(name);
  if (problem === undefined) return (name as string).normalize('NFC');
  throw usageError(`not an entry name: ${problem}`, {
    where: 'name',
    expected: `1 to ${NAME_LIMIT} characters, none of them a control character`,
    found: typeof name === 'string' ? name : `${name === null ? 'null' : typeof name}`,
  });
}

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'it is not a string';
  if (name.trim() === '') return 'it is empty';
  // A character has at most two code units: the first comparison spares splitting a huge name.
  if (name.length > NAME_LIMIT * 2 || [...name].length > NAME_LIMIT) return 'it is too long';
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) return 'it has control characters';
  if (!name.isWellFormed()) return 'it has a lone surrogate';

  return undefined;
}
