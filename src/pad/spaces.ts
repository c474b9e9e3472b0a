import { ScratchpadError } from '../base/errors.ts';
import { counted, thousands } from '../base/text/counts.ts';
import { countCharacters, shorten, truncate } from '../base/text/shorten.ts';
import { describeUsage, type Limits, usageOf } from './budget.ts';
import type { SpaceName } from './markers.ts';
import { oneLine, withLf } from './text.ts';

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
 * Replaces a text space; text over the limit is cut at a grapheme boundary, a plan after a whole line or word if there
 * is one, with a warning.
 */
export function setText(space: TextSpace, content: string, limits: Limits): Edited {
  const clean = cleanText(content);
  const cut = space === 'plan' ? cutBetween(clean, limits.plan) : truncate(clean, limits[space]);
  const message = clean === '' ? `${space} is empty now` : `replaced: ${spellLines(cut)}`;
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

/** The beginning of a text up to a line's end, or else a word's, unless that would leave out half of what fits. */
function cutBetween(text: string, limit: number): string {
  const cut = truncate(text, limit);
  if (cut === text || text.charAt(cut.length) === '\n') return cut;
  const ends = [cut.lastIndexOf('\n'), `${cut}${text.charAt(cut.length)}`.search(/\s\S*$/)];
  return cut
    .slice(
      0,
      ends.find((end) => end * 2 > cut.length),
    )
    .trimEnd();
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
  const needle = withLf(find);
  if (needle === '') {
    throw new ScratchpadError('usage', 'the text to find is empty', { expected: 'at least one character' });
  }
  const pieces = current.split(needle);
  const matches = pieces.length - 1;
  if (matches === 0) {
    throw new ScratchpadError('refused', `0 matches in ${space}: nothing was changed`, {
      expected: 'text of the space, exactly as it is written there',
      found: needle,
      next: `see it with: scratchpad ${space} show`,
    });
  }
  if (matches > 1 && !all) {
    throw new ScratchpadError('refused', `${matches} matches in ${space}: nothing was changed`, {
      expected: 'exactly one match, or --all',
      found: needle,
      next: 'include more of the surrounding text, or add --all to change every match',
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

/** Most lines that an answer shows of what is left after words were removed. */
const LEFT_SHOWN = 3;

/**
 * Removes words: like `replaceText` with nothing, but without leaving two blanks, or one at the end of a line. The
 * message shows what is left of their lines.
 * @throws ScratchpadError as `replaceText` does
 */
export function removeWords(
  space: TextSpace,
  current: string,
  find: string,
  all: boolean,
  limits: Limits,
): Edited {
  const { message } = replaceText(space, current, find, '', all, limits);
  const [start = '', ...rest] = current.split(withLf(find));
  let content = start;
  const touched = new Set<number>();
  for (const after of rest) {
    touched.add(content.split('\n').length - 1);
    const blankBefore = /(?:^|\s)$/.test(content);
    if (blankBefore && after.startsWith(' ')) content += after.slice(1);
    else if (/^(?:\n|$)/.test(after)) content = content.replace(/[ \t]$/, '') + after;
    else content += after;
  }
  const lines = content.split('\n');
  const left = [...touched].map((line) => lines[line] ?? '').filter((line) => line.trim() !== '');
  const shown = left.slice(0, LEFT_SHOWN).map((line) => `left: ${brief(line)}`);
  const more = left.length > LEFT_SHOWN ? [`(and ${counted(left.length - LEFT_SHOWN, 'more line')})`] : [];
  return { content, warnings: [], message: [message, ...shown, ...more].join('\n') };
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

/** Removes lines of a text space, counted from 1. @throws ScratchpadError `refused` if one does not exist. */
export function removeLines(space: TextSpace, current: string, wanted: readonly number[]): Edited {
  const gone = new Set(wanted);
  const removed = [...gone].map((line) => linesIn(space, current, line)[line - 1] ?? '');
  const left = current.split('\n').filter((_, k) => !gone.has(k + 1));
  return {
    content: left.join('\n'),
    warnings: [],
    message: removed.map((line) => `removed: ${brief(line)}`).join('\n'),
  };
}

/** Moves a line of a text space to the place of another. @throws ScratchpadError `refused` if one does not exist. */
export function moveLine(space: TextSpace, current: string, from: number, to: number): Edited {
  linesIn(space, current, to);
  const lines = linesIn(space, current, from);
  const [line = ''] = lines.splice(from - 1, 1);
  lines.splice(to - 1, 0, line);
  return { content: lines.join('\n'), warnings: [], message: `moved to line ${to}: ${brief(line)}` };
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
  throw new ScratchpadError('refused', `${what} would exceed the ${space} limit: nothing was changed`, {
    expected: `at most ${thousands(usage.limit)} characters in all`,
    found:
      `current ${thousands(countCharacters(current))}, ${what} ${thousands(countCharacters(added))}, ` +
      `together ${describeUsage(usage)}`,
    next: `rewrite a tighter summary with: scratchpad ${space} set`,
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
  throw new ScratchpadError('refused', `${space} has no line ${line}: nothing was changed`, {
    expected: `a number from 1 to ${lines.length}`,
    found: String(line),
    next: `see them with: scratchpad ${space} show --numbers`,
  });
}

export function isEmpty(space: SpaceName): ScratchpadError {
  return new ScratchpadError('refused', `${space} is empty: nothing was changed`, {
    next: `add to it with: scratchpad ${space} add`,
  });
}

const BRIEF = 72;

/** A text shortened for an answer: its first words on one line. */
export function brief(text: string): string {
  return shorten(oneLine(withLf(text)), BRIEF);
}

function spellLines(text: string): string {
  return text === '' ? 'nothing' : counted(text.replace(/\n$/, '').split('\n').length, 'line');
}
