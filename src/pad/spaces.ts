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
import { adviseToAdd, rewrite, seeSpace } from './advice.ts';
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
  const clean = cleanText(content);
  const keepStart = (whole: string): string => truncate(whole, limits[space]);
  const start = keepStart(clean);
  const cutSpace = space === 'plan' ? () => cutHalfStep(start, clean) : () => cutAfterRules(clean, keepStart);
  const cut = start === clean ? clean : cutSpace();
  const message = clean === '' ? `${space} cleared` : `set: ${formatLines(cut)}`;

  if (cut === clean) return { content: cut, warnings: [], message };

  return {
    content: cut,
    message,
    warnings: [
      `${space} truncated to ${formatThousands(countCharacters(cut))} characters ` +
        `(original: ${formatThousands(countCharacters(clean))}). Consider summarizing.`,
    ],
  };
}

function cutHalfStep(start: string, plan: string): string {
  const end = plan[start.length] === '\n' ? start.length : start.lastIndexOf('\n');
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
  const content = fitText(before, first + glue + second, where, clean);
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
  const sought = withLf(find);
  if (sought === '') throw usageError('the text to find is empty', { expected: 'at least one character' });

  const forms = [sought, sought.normalize('NFC'), sought.normalize('NFD')];
  const needle = forms.find((form) => current.includes(form)) ?? sought;
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

  const with_ = cleanText(replacement);
  const next = pieces.join(with_);
  // Shrinking a space that a person made too long is always allowed.
  const content = next.length <= current.length ? next : fitText(before, next, 'replacement', with_);
  const times = matches > 1 ? ` (${matches} times)` : '';
  const message =
    with_ === ''
      ? `removed: ${abbreviate(needle)}${times}`
      : `replaced: ${abbreviate(needle)}${times} -> ${abbreviate(with_)}`;

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
  const content = fitText(before, lines.join('\n'), 'line', words);
  const message = `line ${line}: ${abbreviate(words)} (was: ${abbreviate(former)})`;

  return { content, warnings: [], message };
}

/**
 * Removes lines of a text space: by number from 1, or by a text that only one line holds.
 * @throws ScratchpadError `refused` if there is no such line, or several hold the text
 */
export function removeLines(before: SpaceText, wanted: readonly (number | string)[]): EditResult {
  const gone = new Set(wanted.map((each) => parseLineNumber(before, each)));
  const removed = [...gone].map((line) => listLines(before, line)[line - 1] ?? '');
  const left = before.content.split('\n').filter((_, k) => !gone.has(k + 1));
  const message = removed.map((line) => `removed: ${abbreviate(line)}`).join('\n');

  return { content: left.join('\n'), warnings: [], message };
}

function parseLineNumber({ space, content }: SpaceText, wanted: number | string): number {
  const lines = content.split('\n');
  if (typeof wanted === 'number' && wanted <= lines.length) return wanted;

  const needle = foldText(String(wanted));
  const found = lines.flatMap((line, k) => (needle !== '' && foldText(line).includes(needle) ? [k + 1] : []));
  const formatNumber = (number: number): string => `${number}. ${abbreviate(lines[number - 1] ?? '')}`;

  if (found.length > 1)
    throw refusal(`${found.length} matches in ${space}: nothing was changed`, {
      expected: `the number of one: ${found.map(formatNumber).join('; ')}`,
      found: String(wanted),
    });

  if (found[0] !== undefined || typeof wanted === 'number') return found[0] ?? Number(wanted);

  throw refusal(`0 matches in ${space}: nothing was changed`, { found: wanted, next: seeSpace(space) });
}

/** @param what is added, as an error names it */
function fitText({ space, content, limits }: SpaceText, next: string, what: string, added: string): string {
  const usage = measureUsage(space, next, limits);
  if (usage.used <= usage.limit) return next;
  throw refusal(`${what} would exceed the ${space} limit: nothing was changed`, {
    expected: `at most ${formatThousands(usage.limit)} characters in all (the setting limits.${space})`,
    found:
      `current ${formatThousands(countCharacters(content))}, ${what} ${formatThousands(countCharacters(added))}, ` +
      `together ${describeUsage(usage)}`,
    next: rewrite(space),
  });
}

/** LF line endings, no lone surrogates, which cannot be written as UTF-8, and no text that nobody can see. */
export const cleanText = (text: string): string =>
  /^\p{Cf}[\s\p{Cf}]*$/u.test(text) ? '' : withLf(text).toWellFormed();

function listLines({ space, content }: SpaceText, line: number): string[] {
  const lines = content.split('\n');
  if (content !== '' && Number.isInteger(line) && line >= 1 && line <= lines.length) return lines;
  if (content === '') throw isEmpty(space);

  throw refusal(`${space} has no line ${line}: nothing was changed`, {
    expected: `a number from 1 to ${lines.length}`,
    found: String(line),
    next: seeSpace(space),
  });
}

export const isEmpty = (space: SpaceName): ScratchpadError =>
  refusal(`${space} is empty: nothing was changed`, { next: adviseToAdd(space) });

const BRIEF = 72;

export const abbreviate = (text: string): string => shorten(collapseLines(withLf(text)), BRIEF);

const formatLines = (text: string): string =>
  text === '' ? 'nothing' : formatCount(text.replace(/\n$/, '').split('\n').length, 'line');
