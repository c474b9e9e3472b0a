import { ScratchpadError } from '../errors.ts';
import { describeUsage, type Limits, REF_LENGTH_LIMIT, refsContent, refsOf, usageOf } from './budget.ts';
import type { SpaceName } from './markers.ts';
import { countCharacters, oneLine, thousands, truncate, withLf } from './text.ts';

/** What an edit of a space came to: the new content and what the writer should know about it. */
export interface Edited {
  content: string;
  warnings: string[];
}

type TextSpace = Exclude<SpaceName, 'refs'>;

/** Replaces a text space; what is over the limit is cut at a grapheme boundary, with a warning. */
export function setText(space: TextSpace, content: string, limits: Limits): Edited {
  const clean = cleanText(content);
  const cut = truncate(clean, limits[space]);
  if (cut === clean) return { content: cut, warnings: [] };
  return {
    content: cut,
    warnings: [
      `${space} truncated to ${thousands(countCharacters(cut))} characters ` +
        `(original: ${thousands(countCharacters(clean))}). Consider summarizing.`,
    ],
  };
}

/**
 * Adds to a text space on a line of its own.
 * @throws ScratchpadError `refused` when the sum would exceed the limit; nothing is changed then.
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
  return fitted(space, first + glue + second, current, clean, where, limits);
}

/**
 * Replaces `find` by `replacement`, or deletes it when `replacement` is empty.
 * @throws ScratchpadError `refused` when `find` is absent, or stands in several places without `all`,
 * with the number of matches.
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
      expected: 'text that stands in the space, exactly as it is written there',
      found: needle,
      next: `see it with: scratchpad ${space} show`,
    });
  }
  if (matches > 1 && !all) {
    throw new ScratchpadError('refused', `${matches} matches in ${space}: nothing was changed`, {
      expected: 'exactly one match, or --all',
      found: needle,
      next: 'give more of the surrounding text, or --all to change every match',
    });
  }
  const with_ = cleanText(replacement);
  const next = pieces.join(with_);
  // Shrinking a space that a person made too long is always right.
  if (next.length <= current.length) return { content: next, warnings: [] };
  return fitted(space, next, current, with_, 'replacement', limits);
}

/** Adds a ref as the newest; one that is there already moves. The oldest goes when the space is full. */
export function addRef(current: string, ref: string, limits: Limits): Edited {
  const item = cleanRef(ref);
  if (item === '') {
    throw new ScratchpadError('usage', 'a ref is empty', { expected: 'a path, a URL or an identifier' });
  }
  const length = countCharacters(item);
  if (length > REF_LENGTH_LIMIT) {
    throw new ScratchpadError('refused', `a ref of ${thousands(length)} characters is too long`, {
      expected: `at most ${thousands(REF_LENGTH_LIMIT)}: a path, a URL or an identifier`,
      found: item,
      next: 'keep longer text in notes',
    });
  }
  const items = [...refsOf(current).filter((existing) => existing !== item), item];
  const dropped = items.splice(0, Math.max(0, items.length - limits.refs));
  return {
    content: refsContent(items),
    warnings: dropped.map((gone) => `refs is full: dropped the oldest, ${gone}`),
  };
}

/** @throws ScratchpadError `refused` when no ref is exactly `ref`. */
export function removeRef(current: string, ref: string): Edited {
  const item = cleanRef(ref);
  const items = refsOf(current);
  const rest = items.filter((existing) => existing !== item);
  if (rest.length === items.length) {
    throw new ScratchpadError('refused', 'no such ref: nothing was changed', {
      expected: items.length === 0 ? 'refs is empty' : `one of ${items.length} refs, by its exact text`,
      found: ref,
      next: 'see them with: scratchpad refs list',
    });
  }
  return { content: refsContent(rest), warnings: [] };
}

/** Replaces all refs: the first ones up to the limit are kept; what is not a string is dropped. */
export function setRefs(items: readonly unknown[], limits: Limits): Edited {
  const clean = items
    .filter((item): item is string => typeof item === 'string')
    .map(cleanRef)
    .filter((item) => item !== '' && countCharacters(item) <= REF_LENGTH_LIMIT);
  const unique = [...new Set(clean)];
  return { content: refsContent(unique.slice(0, limits.refs)), warnings: [] };
}

function fitted(
  space: TextSpace,
  next: string,
  current: string,
  added: string,
  what: string,
  limits: Limits,
): Edited {
  const usage = usageOf(space, next, limits);
  if (usage.used <= usage.limit) return { content: next, warnings: [] };
  throw new ScratchpadError('refused', `${what} would exceed the ${space} limit: nothing was changed`, {
    expected: `at most ${thousands(usage.limit)} characters in all`,
    found:
      `current ${thousands(countCharacters(current))}, ${what} ${thousands(countCharacters(added))}, ` +
      `together ${describeUsage(usage)}`,
    next: `rewrite a tighter summary with: scratchpad ${space} set`,
  });
}

/** LF line ends, and no half characters: a lone surrogate cannot be written as UTF-8. */
function cleanText(text: string): string {
  return withLf(text).toWellFormed();
}

function cleanRef(ref: string): string {
  return oneLine(cleanText(ref));
}
