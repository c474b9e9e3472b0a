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
import { cleanText, type EditResult, isEmpty } from './spaces.ts';

/** What a browser or an editor copies along: soft hyphens, blanks without width, byte order marks. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;
/** Members of an object that stands for a ref. */
const NAMES = splitWordList('path file uri url ref');

/**
 * The refs of a list, or of a text that stands for one: JSON, one ref a line, or several between commas. Clients and
 * models write all of them.
 */
function splitRefs(given: unknown): unknown[] {
  if (Array.isArray(given)) return given.flatMap((item) => (Array.isArray(item) ? [item] : splitRefs(item)));
  if (isObject(given)) {
    const named = NAMES.find((name) => typeof given[name] === 'string');
    const texts = [named === undefined ? Object.values(given) : given[named]].flat(2);
    return texts.flatMap((text) => (typeof text === 'string' ? splitRefs(text) : [text]));
  }
  if (typeof given !== 'string') return [given];

  const text = withLf(given)
    .replace(INVISIBLE, '')
    .replace(/^[ \t]*```.*$/gm, '')
    .trim();
  const json = parseJson(text);
  if (typeof json === 'string' || (typeof json === 'object' && json !== null)) return splitRefs(json);
  if (json === null || /^(?:undefined|none)$/i.test(text)) return [''];

  const list = /^\[([^[\]]*)\]$/.exec(text)?.[1];
  const lines = (list ?? text).split('\n').filter((line) => line.trim() !== '');

  return lines.length === 0 ? [''] : lines.flatMap((line) => splitAtCommas(line, list !== undefined));
}

/** A comma may be part of a URL or a name: it separates what is surely a path each, and words if a blank follows it. */
function splitAtCommas(line: string, isList: boolean): string[] {
  const parts = line.split(/[,;，；、]/).map((part) => part.trim());
  if (parts.at(-1) === '') parts.pop();
  const isEach = (pattern: RegExp): boolean => parts.every((part) => pattern.test(part));
  const arePaths = isEach(/^[^\s'"`]*[\w)]\.\w*[A-Za-z]\w*$/) || isEach(/^[^\s'"`]*[/\\][^\s'"`]+$/);
  const areRefs = isEach(/^(['"`])[^'"`]+\1$/) || (line.includes('://') ? isEach(/^\w+:\/\/\S+$/) : arePaths);
  const areWords = /[,;]\s/.test(line) && parts.every((part) => /^[\w./\\#@:-]+$/.test(part));

  return parts.length > 0 && (isList || areRefs || areWords) ? parts : [line];
}

/** Adds refs as the newest; an existing one moves there. If the space is full the oldest are dropped. */
export function addRefs(current: string, refs: readonly string[], limits: Limits): EditResult {
  const added = [...new Set(splitRefs(refs).map(checkRef))];
  const before = parseRefs(current);
  const again = new Set(added.map((item) => item.normalize('NFC')));
  const items = [...before.filter((existing) => !again.has(existing.normalize('NFC'))), ...added];
  const dropped = items.splice(0, Math.max(0, items.length - limits.refs));
  const kept = added.filter((item) => items.includes(item));
  const message = kept.map((item) => `${before.includes(item) ? 'moved to the newest' : 'added'}: ${item}`);

  return {
    content: renderRefs(items),
    warnings: dropped.map(
      (gone) => `refs is full: ${added.includes(gone) ? 'left out' : 'dropped the oldest,'} ${gone}`,
    ),
    message: message.join('\n'),
  };
}

/**
 * Removes refs by their exact text, or by their number from 1, the oldest.
 * @throws ScratchpadError `refused` when there is no such ref; then all stay.
 */
export function removeRefs(current: string, refs: readonly string[]): EditResult {
  const items = parseRefs(current);
  const isExact = (ref: string): boolean => items.includes(cleanRef(ref));
  const wanted = refs.flatMap((ref) => (isExact(ref) ? [ref] : splitRefs(ref).map(String)));
  const gone = new Set(wanted.map((ref) => findRef(items, ref)));
  return {
    content: renderRefs(items.filter((_, k) => !gone.has(k))),
    warnings: [],
    message: [...gone].map((k) => `removed: ${items[k]}`).join('\n'),
  };
}

/**
 * Replaces all refs. The first ones up to the limit are kept; invalid or overlong items are left out, with a
 * warning.
 * @throws ScratchpadError `refused` when none of the items can be a ref; then all stay.
 */
export function setRefs(given: readonly unknown[], limits: Limits): EditResult {
  const items = given.flatMap(splitRefs);
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
  const sought = cleanRef(ref);
  const exact = items.indexOf(sought);
  if (exact !== -1) return exact;

  const composed = items.findIndex((item) => item.normalize('NFC') === sought.normalize('NFC'));
  if (composed !== -1) return composed;

  const number = /^[1-9]\d{0,8}$/.test(ref) ? Number(ref) : 0;
  if (number >= 1 && number <= items.length) return number - 1;
  if (items.length === 0) throw isEmpty('refs');

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
