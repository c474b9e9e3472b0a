import { refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import {
  collapseLines,
  countCharacters,
  foldText,
  formatCount,
  formatThousands,
  shorten,
  truncate,
  withLf,
} from '../base/text/strings.ts';
import { adviseToAdd, adviseToShorten, seeSpace } from './advice.ts';
import { describeUsage, type Limits, measureUsage } from './budget.ts';
import type { SpaceName } from './markers.ts';
import { cutAfterRules } from './rules.ts';

export interface EditResult {
  content: string;
  /** Warnings for the writer: text cut, refs dropped. */
  warnings: string[];
  message: string;
}

type TextSpace = Exclude<SpaceName, 'refs'>;

/** Replaces a text space; text over the limit is cut at a grapheme boundary, a plan after a whole line, with a warning. */
export function setText(space: TextSpace, content: string, limits: Limits): EditResult {
  const whole = cleanText(content);
  const fitted = fitStart(space, whole, limits[space]);
  const message = whole === '' ? `${space} cleared` : `set: ${formatLines(fitted)}`;
  const [left, original] = [fitted, whole].map((text) => formatThousands(countCharacters(text)));
  const warning = `${space} truncated to ${left} characters (original: ${original}). Consider summarizing.`;

  return { content: fitted, message, warnings: fitted === whole ? [] : [warning] };
}

/** The start of a text that fits: a plan without half a step, notes with their rules first. */
function fitStart(space: TextSpace, text: string, limit: number): string {
  const cut = (whole: string): string => truncate(whole, limit);
  const start = cut(text);
  if (start === text) return text;
  if (space === 'notes') return cutAfterRules(text, cut);

  const end = text[start.length] === '\n' ? start.length : start.lastIndexOf('\n');
  return end > 0 ? start.slice(0, end) : start;
}

export interface SpaceText {
  space: TextSpace;
  content: string;
  limits: Limits;
}

/**
 * Adds a new line to a text space.
 * @throws ScratchpadError `refused` if the result would exceed the limit; nothing is changed then.
 */
export function joinText(before: SpaceText, addition: string, where: 'append' | 'prepend'): EditResult {
  const clean = cleanText(addition);
  const [first, second] = where === 'append' ? [before.content, clean] : [clean, before.content];
  const glue = first === '' || second === '' || first.endsWith('\n') ? '' : '\n';
  const content = first + glue + second;
  requireFit(before, content, where, clean);
  const message = clean === '' ? 'the text is empty' : `added: ${abbreviate(clean)}`;
  return { content, warnings: [], message };
}

/**
 * Replaces `find` by `replacement`, or deletes it when `replacement` is empty.
 * @throws ScratchpadError `refused` if `find` is absent, or occurs several times without `all`, with the number of
 * matches.
 */
export function replaceText(before: SpaceText, find: string, replacement: string, all: boolean): EditResult {
  const { space, content: current } = before;
  const text = withLf(find);
  if (text === '') throw usageError('the text to find is empty', { expected: 'at least one character' });

  const forms = [text, text.normalize('NFC'), text.normalize('NFD')];
  const needle = forms.find((form) => current.includes(form)) ?? text;
  const pieces = current.split(needle);
  const matches = pieces.length - 1;

  if (matches === 0) {
    throw refusal(`0 matches in ${space}: nothing was changed`, {
      expected: 'text of the space, exactly as it is written there',
      found: needle,
      next: seeSpace(space),
    });
  }

  if (matches > 1 && !all) {
    throw refusal(`${matches} matches in ${space}: nothing was changed`, {
      expected: 'exactly one match',
      found: needle,
      next: {
        to: 'include more of the surrounding text, or change every match',
        command: '--all',
        tool: 'replace_all',
        call: '{ all: true }',
      },
    });
  }

  const clean = cleanText(replacement);
  const content = pieces.join(clean);
  // Shrinking a space that a person made too long is always allowed.
  if (content.length > current.length) requireFit(before, content, 'replacement', clean);
  const what = `${abbreviate(needle)}${matches > 1 ? ` (${matches} times)` : ''}`;
  const message = clean === '' ? `removed: ${what}` : `replaced: ${what} -> ${abbreviate(clean)}`;

  return { content, warnings: [], message };
}

/**
 * Changes a line of a text space.
 * @throws ScratchpadError `refused` if there is no such line, or the new text does not fit.
 */
export function rewordLine(before: SpaceText, line: number, text: string): EditResult {
  const lines = listLines(before, line);
  const words = cleanText(text);
  const [former = ''] = lines.splice(line - 1, 1, words);
  const content = lines.join('\n');
  requireFit(before, content, 'line', words);
  const message = `line ${line}: ${abbreviate(words)} (was: ${abbreviate(former)})`;

  return { content, warnings: [], message };
}

/**
 * Removes lines of a text space: by number from 1, or by a text that only one line holds.
 * @throws ScratchpadError `refused` if there is no such line, or several hold the text
 */
export function removeLines(before: SpaceText, names: readonly (number | string)[]): EditResult {
  const numbers = new Set(names.map((name) => findLineNumber(before, name)));
  const removed = [...numbers].map((number) => listLines(before, number)[number - 1] ?? '');
  const remaining = before.content.split('\n').filter((_, k) => !numbers.has(k + 1));
  const message = removed.map((line) => `removed: ${abbreviate(line)}`).join('\n');

  return { content: remaining.join('\n'), warnings: [], message };
}

/** A number that is too high may be a text of a line, such as the year in `1999: first release`. */
function findLineNumber({ space, content }: SpaceText, name: number | string): number {
  const lines = content.split('\n');
  if (typeof name === 'number' && name <= lines.length) return name;

  const needle = foldText(String(name));
  const found = lines.flatMap((line, k) => (needle !== '' && foldText(line).includes(needle) ? [k + 1] : []));
  const formatLine = (number: number): string => `${number}. ${abbreviate(lines[number - 1] ?? '')}`;

  if (found.length > 1)
    throw refusal(`${found.length} matches in ${space}: nothing was changed`, {
      expected: `the number of one: ${found.map(formatLine).join('; ')}`,
      found: String(name),
    });

  if (found[0] !== undefined) return found[0];
  if (typeof name === 'number') return name;

  throw refusal(`0 matches in ${space}: nothing was changed`, { found: name, next: seeSpace(space) });
}

/**
 * @param what what is added, as an error names it
 * @throws ScratchpadError `refused` if the next content of a space exceeds its limit
 */
function requireFit({ space, content, limits }: SpaceText, next: string, what: string, added: string): void {
  const usage = measureUsage(space, next, limits);
  if (usage.used <= usage.limit) return;
  throw refusal(`${what} would exceed the ${space} limit: nothing was changed`, {
    expected: `at most ${formatThousands(usage.limit)} characters in all (the setting limits.${space})`,
    found:
      `current ${formatThousands(countCharacters(content))}, ${what} ${formatThousands(countCharacters(added))}, ` +
      `together ${describeUsage(usage)}`,
    next: adviseToShorten(space),
  });
}

/** Text with LF line endings and without lone surrogates, which UTF-8 cannot hold; empty if nobody can see any of it. */
export const cleanText = (text: string): string =>
  /^\p{Cf}[\s\p{Cf}]*$/u.test(text) ? '' : withLf(text).toWellFormed();

/** The lines of a space. @throws ScratchpadError `refused` if it has no line with that number */
function listLines({ space, content }: SpaceText, line: number): string[] {
  if (content === '') throw refuseEmpty(space);
  const lines = content.split('\n');
  if (Number.isInteger(line) && line >= 1 && line <= lines.length) return lines;

  throw refusal(`${space} has no line ${line}: nothing was changed`, {
    expected: `a number from 1 to ${lines.length}`,
    found: String(line),
    next: seeSpace(space),
  });
}

export const refuseEmpty = (space: SpaceName): ScratchpadError =>
  refusal(`${space} is empty: nothing was changed`, { next: adviseToAdd(space) });

const BRIEF = 72;

export const abbreviate = (text: string): string => shorten(collapseLines(withLf(text)), BRIEF);

const formatLines = (text: string): string =>
  text === '' ? 'nothing' : formatCount(text.replace(/\n$/, '').split('\n').length, 'line');
