import { compiled } from '../text/compile-patterns.ts';
import { HARMLESS_NAME, HARMLESS_SUFFIX, WORDS, type WordClass } from './words.ts';

/** A word in a name that indicates a secret: `DB_PASSWORD`, `--api-key`, `"clientSecret"`. */
export interface Mention {
  group: WordClass;
  kind: string;
  /** Where the word starts, where its name starts, and where the name ends (exclusive). */
  start: number;
  nameStart: number;
  end: number;
  /** In capitals, like an environment variable. */
  constant: boolean;
}

interface Word {
  group: WordClass;
  kind: string;
  /** The word in lower case, its parts joined in any way. */
  spelling: RegExp;
  /** Must not follow other letters, because it occurs inside other words and in random text. */
  alone: boolean;
  /** Must be the last part of a compound name. */
  last: boolean;
}

interface Tables {
  /** Finds the first part of every word. */
  openings: RegExp;
  words: ReadonlyMap<string, readonly Word[]>;
}

let built: Tables | undefined;

/** Built on first use: most commands have nothing to redact. */
function tables(): Tables {
  if (built !== undefined) return built;
  const words = new Map<string, Word[]>();
  for (const [group, kind, list] of WORDS) {
    for (const entry of list.split(', ')) {
      const parts = entry.replace(/^[<_]/, '').split(' ');
      const spelling = new RegExp(parts.join('[ _.-]?'), 'y');
      const word = { group, kind, spelling, alone: entry.startsWith('<'), last: entry.startsWith('_') };
      words.set(parts[0] ?? '', [...(words.get(parts[0] ?? '') ?? []), word]);
    }
  }
  // In reverse order a longer part precedes its own beginnings, so the longest is found.
  built = { openings: compiled(new RegExp([...words.keys()].sort().reverse().join('|'), 'g')), words };
  return built;
}

/** Longest part of a name before or after the word, in code units; anything longer is not a name. */
const LONGEST_NAME = 48;
const NAME_BEFORE = /[A-Za-z0-9$._-]*$/;
/** What may follow the word: further parts of its name, or a property. */
const NAME_AFTER = /^[A-Za-z0-9_-]*(?:\.[A-Za-z][\w$.-]*)?/;

/**
 * All words that indicate a secret, except in names of harmless things.
 * @param lower the text in lower case, of the same length
 */
export function* findMentions(text: string, lower: string): Generator<Mention> {
  const { openings, words } = tables();
  let from = 0;
  for (;;) {
    openings.lastIndex = from;
    const match = openings.exec(lower);
    if (match === null) return;
    const start = match.index;
    from = start + 1;
    const found: { word: Word; end: number }[] = [];
    // At `login` only the longest opening was found; shorter ones begin there too.
    for (let length = match[0].length; length > 0; length--) {
      for (const word of words.get(match[0].slice(0, length)) ?? []) {
        word.spelling.lastIndex = start;
        if (word.spelling.test(lower)) found.push({ word, end: word.spelling.lastIndex });
      }
    }
    found.sort((a, b) => b.end - a.end);
    const mention = firstOf(found, ({ word, end }) => mentionAt(text, lower, word, start, end));
    if (mention === null) continue;
    from = Math.max(from, mention.end);
    yield mention;
  }
}

function firstOf<Item, Result>(items: readonly Item[], make: (item: Item) => Result | null): Result | null {
  for (const item of items) {
    const made = make(item);
    if (made !== null) return made;
  }
  return null;
}

function mentionAt(text: string, lower: string, word: Word, start: number, wordEnd: number): Mention | null {
  const before = NAME_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_NAME - 1), start))?.[0] ?? '';
  if (word.alone && /[A-Za-z]$/.test(before)) return null;
  if (
    word.last &&
    !/[A-Za-z0-9][$._-]$/.test(before) &&
    !(/[a-z0-9]$/.test(before) && /[A-Z]/.test(text.charAt(start)))
  )
    return null;
  const isPlural = /^s(?![a-z])/.test(text.slice(wordEnd, wordEnd + 2));
  const suffixStart = isPlural ? wordEnd + 1 : wordEnd;
  const next = text.charAt(suffixStart);
  // `tokenizer` and `secretary` are other words, and so are two letters inside a hash.
  if (/[a-z]/.test(next) || (word.alone && /[A-Z0-9]/.test(next))) return null;
  const after = NAME_AFTER.exec(text.slice(suffixStart, suffixStart + LONGEST_NAME + 2))?.[0] ?? '';
  if (before.length > LONGEST_NAME || after.length > LONGEST_NAME) return null;
  const end = suffixStart + after.length;
  const nameStart = start - before.length;
  if (after !== '' && HARMLESS_SUFFIX.test(lower.slice(suffixStart, end))) return null;
  if (text.slice(Math.max(0, start - 40), start).includes('[redacted: ')) return null;
  const name = text.slice(nameStart, end);
  const wordBefore = /[A-Za-z]+ $/.exec(text.slice(Math.max(0, nameStart - 24), nameStart))?.[0] ?? '';
  if (compiled(HARMLESS_NAME).test((wordBefore + name).replace(/(?<=[a-z\d])[A-Z]/g, '_$&').toLowerCase()))
    return null;
  const constant = (name.includes('_') || text.charAt(end) === '=') && /^[A-Z0-9_]+$/.test(name);
  return { group: word.group, kind: word.kind, start, end, nameStart, constant };
}
