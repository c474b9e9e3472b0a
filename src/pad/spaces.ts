import { misuse, refused, type ScratchpadError } from '../base/errors.ts';
import {
  countCharacters,
  counted,
  foldText,
  oneLine,
  shorten,
  thousands,
  truncate,
  withLf,
} from '../base/text/strings.ts';
import { addTo, rewrite, seeSpace } from './advice.ts';
import { describeUsage, type Limits, usageOf } from './budget.ts';
import type { SpaceName } from './markers.ts';
import { cutAfterRules } from './rules.ts';

/** The result of an edit of a space. */
export interface Edited {
  content: string;
  /** Warnings for the writer: text cut, refs dropped. */
  warnings: string[];
  /** A description of the edit: `added: src/auth/login.ts`. */
  message: string;
}

type TextSpace = Exclude<SpaceName, 'refs'>;

/**
 * Replaces a text space; text over the limit is cut at a grapheme boundary, with a warning.
 */
export function setText(space: TextSpace, content: string, limits: Limits): Edited {
  const clean = cleanText(content);
  const keepStart = (whole: string): string => truncate(whole, limits[space]);
  const cut = keepStart(clean) === clean ? clean : cutAfterRules(clean, keepStart);
  const message = clean === '' ? `${space} is empty now` : `set: ${spellLines(cut)}`;
  if (cut === clean) return { content: cut, warnings: [], message };
  return {
    content: cut,
    message,
    warnings: [
      `${space} truncated to ${thousands(countCharacters(cut))} characters ` +
        `(original: ${thousands(countCharacters(clean))}). Consider summarizing.`,
    ],
  };
}

/**
 * Adds a new line to a text space.
 * @throws ScratchpadError `refused` if the result would exceed the limit; nothing is changed then.
 */
export function joinText(
  space: TextSpace,
  current: string,
  addition: string,
  where: 'append' | 'prepend',
  limits: Limits,
): Edited {
  const clean = cleanText(addition);
  const [first, second] = where === 'append' ? [current, clean] : [clean, current];
  const glue = first === '' || second === '' || first.endsWith('\n') ? '' : '\n';
  const content = fitted(space, first + glue + second, current, clean, where, limits);
  return { content, warnings: [], message: `added: ${brief(clean)}` };
}

/**
 * Replaces `find` by `replacement`, or deletes it when `replacement` is empty.
 * @throws ScratchpadError `refused` if `find` is absent, or occurs several times without `all`, with the number of
 * matches.
 */
export function replaceText(
  space: TextSpace,
  current: string,
  find: string,
  replacement: string,
  all: boolean,
  limits: Limits,
): Edited {
  const sought = withLf(find);
  if (sought === '') {
    throw misuse('the text to find is empty', { expected: 'at least one character' });
  }
  const forms = [sought, sought.normalize('NFC'), sought.normalize('NFD')];
  const needle = forms.find((form) => current.includes(form)) ?? sought;
  const pieces = current.split(needle);
  const matches = pieces.length - 1;
  if (matches === 0) {
    throw refused(`0 matches in ${space}: nothing was changed`, {
      expected: 'text of the space, exactly as it is written there',
      found: needle,
      next: seeSpace(space),
    });
  }
  if (matches > 1 && !all) {
    throw refused(`${matches} matches in ${space}: nothing was changed`, {
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
  const content =
    next.length <= current.length ? next : fitted(space, next, current, with_, 'replacement', limits);
  const times = matches > 1 ? ` (${matches} times)` : '';
  const message =
    with_ === ''
      ? `removed: ${brief(needle)}${times}`
      : `replaced: ${brief(needle)}${times} -> ${brief(with_)}`;
  return { content, warnings: [], message };
}

/**
 * Changes a line of a text space.
 * @throws ScratchpadError `refused` if there is no such line, or the new text does not fit.
 */
export function rewordLine(
  space: TextSpace,
  current: string,
  line: number,
  text: string,
  limits: Limits,
): Edited {
  const lines = linesIn(space, current, line);
  const words = cleanText(text);
  const before = lines.splice(line - 1, 1, words)[0] ?? '';
  const content = fitted(space, lines.join('\n'), current, words, 'line', limits);
  return { content, warnings: [], message: `line ${line}: ${brief(words)} (was: ${brief(before)})` };
}

/**
 * Removes lines of a text space: by number from 1, or by a text that only one line holds.
 * @throws ScratchpadError `refused` if there is no such line, or several hold the text
 */
export function removeLines(space: TextSpace, current: string, wanted: readonly (number | string)[]): Edited {
  const gone = new Set(wanted.map((each) => lineNumber(space, current, each)));
  const removed = [...gone].map((line) => linesIn(space, current, line)[line - 1] ?? '');
  const left = current.split('\n').filter((_, k) => !gone.has(k + 1));
  return {
    content: left.join('\n'),
    warnings: [],
    message: removed.map((line) => `removed: ${brief(line)}`).join('\n'),
  };
}

function lineNumber(space: TextSpace, current: string, wanted: number | string): number {
  const lines = current.split('\n');
  if (typeof wanted === 'number' && wanted <= lines.length) return wanted;
  const needle = foldText(String(wanted));
  const found = lines.flatMap((line, k) => (needle !== '' && foldText(line).includes(needle) ? [k + 1] : []));
  const shown = (number: number): string => `${number}. ${brief(lines[number - 1] ?? '')}`;
  if (found.length > 1)
    throw refused(`${found.length} matches in ${space}: nothing was changed`, {
      expected: `the number of one: ${found.map(shown).join('; ')}`,
      found: String(wanted),
    });
  if (found[0] !== undefined || typeof wanted === 'number') return found[0] ?? Number(wanted);
  throw refused(`0 matches in ${space}: nothing was changed`, { found: wanted, next: seeSpace(space) });
}

function fitted(
  space: TextSpace,
  next: string,
  current: string,
  added: string,
  what: string,
  limits: Limits,
): string {
  const usage = usageOf(space, next, limits);
  if (usage.used <= usage.limit) return next;
  throw refused(`${what} would exceed the ${space} limit: nothing was changed`, {
    expected: `at most ${thousands(usage.limit)} characters in all (the setting limits.${space})`,
    found:
      `current ${thousands(countCharacters(current))}, ${what} ${thousands(countCharacters(added))}, ` +
      `together ${describeUsage(usage)}`,
    next: rewrite(space),
  });
}

/** LF line endings, and no lone surrogates, which cannot be written as UTF-8. */
export function cleanText(text: string): string {
  return withLf(text).toWellFormed();
}

function linesIn(space: TextSpace, content: string, line: number): string[] {
  const lines = content.split('\n');
  if (content !== '' && Number.isInteger(line) && line >= 1 && line <= lines.length) return lines;
  if (content === '') throw isEmpty(space);
  throw refused(`${space} has no line ${line}: nothing was changed`, {
    expected: `a number from 1 to ${lines.length}`,
    found: String(line),
    next: seeSpace(space),
  });
}

export function isEmpty(space: SpaceName): ScratchpadError {
  return refused(`${space} is empty: nothing was changed`, { next: addTo(space) });
}

const BRIEF = 72;

/** A text shortened for an answer: its first words on one line. */
export function brief(text: string): string {
  return shorten(oneLine(withLf(text)), BRIEF);
}

function spellLines(text: string): string {
  return text === '' ? 'nothing' : counted(text.replace(/\n$/, '').split('\n').length, 'line');
}
