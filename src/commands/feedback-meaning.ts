import { ScratchpadError } from '../errors.ts';
import { understandRemark } from '../feedback/phrases.ts';
import type { Meaning } from '../feedback/types.ts';
import { tokenize } from '../sentiment/words.ts';

/** Options that state the meaning directly. */
export interface Named {
  verbosity?: string;
  preamble?: string;
  tone?: string;
  good?: boolean;
}

const NAMED = {
  verbosity: { less: 'shorter', more: 'longer' },
  preamble: { less: 'no preamble', more: 'preamble' },
  tone: { direct: 'direct', warm: 'warm', playful: 'playful', professional: 'professional' },
} as const satisfies Record<string, Readonly<Record<string, Meaning>>>;

/**
 * The meaning of a remark: from the options, else from its words.
 * @throws ScratchpadError `usage` without either, `refused` if the words say nothing about answers
 */
export function meaningsOf(text: string, named: Named): Meaning[] {
  const meanings = (Object.keys(NAMED) as (keyof typeof NAMED)[]).flatMap((name): Meaning[] => {
    const value = named[name];
    if (value === undefined) return [];
    const meaning = Object.entries(NAMED[name]).find(([word]) => word === value)?.[1];
    if (meaning !== undefined) return [meaning];
    throw new ScratchpadError('usage', `--${name} is not valid`, {
      expected: `one of ${Object.keys(NAMED[name]).join(', ')}`,
      found: value,
    });
  });
  if (named.good) meanings.push('good');
  return meanings.length > 0 ? meanings : read(text);
}

function read(text: string): Meaning[] {
  if (text === '') {
    throw new ScratchpadError('usage', 'no feedback was given', {
      expected: 'what was wrong or right with the answers, such as "too verbose"; or --list, --reset',
    });
  }
  const meanings = understandRemark(tokenize(text));
  if (meanings === 'contrary') {
    throw new ScratchpadError('refused', 'the remark says one thing and its opposite: nothing was stored', {
      found: text,
      next: 'say one at a time, or use an option: --verbosity less|more, --preamble less|more, --tone TONE',
    });
  }
  if (meanings.length > 0) return meanings;
  throw new ScratchpadError(
    'refused',
    'the remark mentions neither length, preamble nor tone: nothing was stored',
    {
      expected:
        'words such as "too verbose", "more detail", "skip the preamble", "too cold", "that was perfect"',
      found: text,
      next: 'for other words or languages use an option: --verbosity less|more, --preamble less|more, --tone direct|warm|playful|professional, --good',
    },
  );
}
