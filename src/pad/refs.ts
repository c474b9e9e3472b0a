import { refusal, usageError } from '../base/errors.ts';
import { isObject, parseJson } from '../base/text/json.ts';
import {
  collapseLines,
  countCharacters,
  formatCount,
  formatThousands,
  splitWordList,
  withLf,
} from '../base/text/strings.ts';
import { seeSpace } from './advice.ts';
import { isSeparator, type Limits, parseRefs, REF_LENGTH_LIMIT, renderRefs } from './budget.ts';
import { cleanText, type EditResult, refuseEmpty } from './spaces.ts';
import { expandRanges } from './step-names.ts';

/** Characters that a browser or an editor copies along: soft hyphens, blanks without width, byte order marks. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;
/** Members of an object that stands for a ref. */
const NAMES = splitWordList('path file uri url ref');

/**
 * The refs of a list, or of a text that stands for one: JSON, one ref a line, or several between commas. Clients and
 * models write all of them.
 */
function splitRefs(input: unknown): unknown[] {
  if (Array.isArray(input)) return input.flatMap((item) => (Array.isArray(item) ? [item] : splitRefs(item)));
  if (isObject(input)) {
    const name = NAMES.find((each) => typeof input[each] === 'string');
    const members = [name === undefined ? Object.values(input) : input[name]].flat(2);
    return members.flatMap((member) => (typeof member === 'string' ? splitRefs(member) : [member]));
  }
  if (typeof input !== 'string') return [input];

  const text = withLf(input)
    .replace(INVISIBLE, '')
    .replace(/^[ \t]*```.*$/gm, '')
    .trim();
  const json = parseJson(text);
  if (json === null || /^(?:undefined|none)$/i.test(text)) return [''];
  if (typeof json === 'string' || typeof json === 'object') return splitRefs(json);

  const list = /^\[([^[\]]*)\]$/.exec(text)?.[1];
  const lines = (list ?? text).split('\n').filter((line) => line.trim() !== '');

  return lines.length === 0 ? [''] : lines.flatMap((line) => splitAtCommas(line, list !== undefined));
}

/**
 * Splits a line at commas where they separate refs: in a list, between paths, and before a blank. Any other comma may be
 * part of a URL or a name.
 */
function splitAtCommas(line: string, isList: boolean): string[] {
  const parts = line.split(/[,;，；、]/).map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  const areAll = (pattern: RegExp): boolean => parts.every((part) => pattern.test(part));
  const areQuoted = areAll(/^(['"`])[^'"`]+\1$/);
  const arePaths = areAll(/^[^\s'"`]*[\w)]\.\w*[A-Za-z]\w*$/) || areAll(/^[^\s'"`]*[/\\][^\s'"`]+$/);
  const areRefs = line.includes('://') ? areAll(/^\w+:\/\/\S+$/) : arePaths;
  const areWords = /[,;]\s/.test(line) && areAll(/^[\w./\\#@:-]+$/);

  return parts.length > 0 && (isList || areQuoted || areRefs || areWords) ? parts : [line];
}

/** Adds refs as the newest; an existing one moves there. If the space is full the oldest are dropped. */
export function addRefs(current: string, refs: readonly string[], limits: Limits): EditResult {
  const before = parseRefs(current);
  const added = [...new Set(splitRefs(refs).map(checkRef))];
  const composed = new Set(added.map((item) => item.normalize('NFC')));
  const items = [...before.filter((item) => !composed.has(item.normalize('NFC'))), ...added];
  const dropped = items.splice(0, Math.max(0, items.length - limits.refs));
  const warnings = dropped.map(
    (item) => `refs is full: ${added.includes(item) ? 'left out' : 'dropped the oldest,'} ${item}`,
  );
  const message = added
    .filter((item) => items.includes(item))
    .map((item) => `${before.includes(item) ? 'moved to the newest' : 'added'}: ${item}`);

  return { content: renderRefs(items), warnings, message: message.join('\n') };
}

/**
 * Removes refs by their exact text, or by their number from 1, the oldest, such as `2` or `2-4`.
 * @throws ScratchpadError `refused` when there is no such ref; then all stay.
 */
export function removeRefs(current: string, refs: readonly string[]): EditResult {
  const items = parseRefs(current);
  const isExact = (ref: string): boolean => items.includes(cleanRef(ref));
  const names = refs.flatMap((ref) => (isExact(ref) ? [ref] : expandRanges(splitRefs(ref), items.length)));
  const removed = new Set(names.map((name) => findRef(items, String(name))));
  return {
    content: renderRefs(items.filter((_, index) => !removed.has(index))),
    warnings: [],
    message: [...removed].map((index) => `removed: ${items[index]}`).join('\n'),
  };
}

/**
 * Replaces all refs. The first ones up to the limit are kept; invalid or overlong items are left out, with a warning.
 * @throws ScratchpadError `refused` when none of the items can be a ref; then all stay.
 */
export function setRefs(input: readonly unknown[], limits: Limits): EditResult {
  const items = input.flatMap(splitRefs);
  const usable = items
    .filter((item): item is string => typeof item === 'string')
    .map(cleanRef)
    .filter((item) => item !== '' && countCharacters(item) <= REF_LENGTH_LIMIT);
  const refs = [...new Set(usable)].slice(0, limits.refs);

  if (refs.length === 0)
    throw refusal('no item can be a ref; the refs stay as they are', {
      expected: `paths, URLs or identifiers of at most ${formatThousands(REF_LENGTH_LIMIT)} characters`,
      found: items.length === 0 ? 'an empty list' : formatCount(items.length, 'item'),
      next: { to: 'remove all refs', command: 'scratchpad refs clear', tool: 'the action refs.clear' },
    });

  const leftOut = new Set(items).size - refs.length;

  return {
    content: renderRefs(refs),
    warnings:
      leftOut > 0
        ? [`${leftOut} left out: empty, too long, not a string, or over the limit of ${limits.refs}`]
        : [],
    message: `set: ${formatCount(refs.length, 'ref')}`,
  };
}

function checkRef(ref: unknown): string {
  const item = typeof ref === 'string' ? cleanRef(ref) : '';
  if (item === '') throw usageError('a ref is empty', { expected: 'a path, a URL or an identifier' });

  const length = countCharacters(item);
  if (length <= REF_LENGTH_LIMIT) return item;

  throw refusal(`a ref of ${formatThousands(length)} characters is too long`, {
    expected: `at most ${formatThousands(REF_LENGTH_LIMIT)}: a path, a URL or an identifier`,
    found: item,
    next: 'keep longer text in notes',
  });
}

/** The position of a ref, by its exact text, else by its number from 1. */
function findRef(items: readonly string[], ref: string): number {
  const clean = cleanRef(ref);
  const composed = items.findIndex((item) => item.normalize('NFC') === clean.normalize('NFC'));
  const index = items.includes(clean) ? items.indexOf(clean) : composed;
  if (index !== -1) return index;

  const number = /^[1-9]\d{0,8}$/.test(ref) ? Number(ref) : 0;
  if (number >= 1 && number <= items.length) return number - 1;
  if (items.length === 0) throw refuseEmpty('refs');

  throw refusal('no such ref: nothing was changed', {
    expected: `one of the ${items.length} refs, by its exact text or its number`,
    found: ref,
    next: seeSpace('refs'),
  });
}

/** A ref on one line, without the bullet, number or box of a list in Markdown, and without quotation marks. */
function cleanRef(ref: string): string {
  const item = collapseLines(cleanText(ref).replace(INVISIBLE, ''))
    .replace(/^(?:[-*+•]|\d{1,3}[.)])(?:\s+|$)/, '')
    .replace(/^\[[ xX]?\]\s+/, '')
    .replace(/^(['"`])([^'"`]+)\1$/, '$2');
  return isSeparator(item) ? '' : item;
}
