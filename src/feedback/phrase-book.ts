import type { Token } from '../sentiment/words.ts';

/**
 * Phrases, written as a person would list them:
 *
 * | in a phrase   | stands for                                          |
 * |---------------|-----------------------------------------------------|
 * | `still`       | that word                                           |
 * | `is|are`      | one of these words                                  |
 * | `?is|are`     | one of these words, or none                         |
 * | `annoy~`      | a word that begins so; `~ing`, one that ends so     |
 * | `_`           | any one word or number                              |
 * | `#`           | a number, also as one of several: `#|five|ten`      |
 * | `..6`         | up to six words of the same sentence, or none       |
 * | `!of|with`    | what follows is none of these (a phrase's last item)|
 * | `<` `<<`      | here a sentence, the whole message, begins          |
 * | `>`           | here a sentence ends                                |
 *
 * Marks and emoji stand for themselves, `:)` for every smiling emoticon.
 * Dashes, quotes and brackets between words are passed over; a comma is not, nor does it end a sentence.
 */
type Item =
  | {
      kind: 'words';
      words: readonly string[];
      stems: readonly string[];
      endings: readonly string[];
      optional: boolean;
    }
  | { kind: 'not'; words: ReadonlySet<string> }
  | { kind: 'gap'; most: number }
  | { kind: 'any' | 'sentence start' | 'message start' | 'sentence end' };

/** The items of a phrase, in order. */
type Items = readonly Item[];

/** The tokens of a match: from `start` to before `end`. */
interface Found {
  start: number;
  end: number;
}

/** A line of a table: it counts once, whichever of its phrases match. */
export interface PhraseCue {
  phrases: readonly Items[];
}

/** Cues, indexed by the words that their phrases can begin with. */
export interface PhraseBook {
  cues: readonly PhraseCue[];
  byFirstWord: ReadonlyMap<string, readonly { cue: PhraseCue; items: Items }[]>;
}

/**
 * Parses a table with one cue per line, its phrases separated by ` / `.
 * @throws Error if a phrase begins with something other than a word
 */
export function phraseBook(table: string): PhraseBook {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  const cues = lines.map((line): PhraseCue => ({ phrases: line.trim().split(' / ').map(itemsOf) }));
  const byFirstWord = new Map<string, { cue: PhraseCue; items: Items }[]>();
  for (const cue of cues) {
    for (const items of cue.phrases) {
      for (const word of firstWords(items)) {
        const known = byFirstWord.get(word);
        if (known === undefined) byFirstWord.set(word, [{ cue, items }]);
        else known.push({ cue, items });
      }
    }
  }
  return { cues, byFirstWord };
}

function itemsOf(text: string): Items {
  return text
    .split(' ')
    .filter((item) => item !== '')
    .map(itemOf);
}

function itemOf(text: string): Item {
  if (text === '_') return { kind: 'any' };
  if (text === '<') return { kind: 'sentence start' };
  if (text === '<<') return { kind: 'message start' };
  if (text === '>') return { kind: 'sentence end' };
  if (text.startsWith('..') && text.length > 2) return { kind: 'gap', most: Number(text.slice(2)) };
  if (text.startsWith('!') && text.length > 1)
    return { kind: 'not', words: new Set(text.slice(1).split('|')) };
  const optional = text.startsWith('?') && text.length > 1;
  const all = (optional ? text.slice(1) : text).split('|');
  return {
    kind: 'words',
    words: all.filter((word) => !word.startsWith('~') && !word.endsWith('~')),
    stems: all.filter((word) => word.endsWith('~')).map((word) => word.slice(0, -1)),
    endings: all.filter((word) => word.startsWith('~') && !word.endsWith('~')).map((word) => word.slice(1)),
    optional,
  };
}

/**
 * The words that a phrase can begin with: those of its first required item, and of the optional ones before
 * it.
 */
function firstWords(items: Items): string[] {
  const first: string[] = [];
  for (const item of items) {
    if (item.kind === 'sentence start' || item.kind === 'message start') continue;
    if (item.kind !== 'words' || item.stems.length > 0 || item.endings.length > 0)
      throw new Error('a phrase begins with a word that is written out');
    first.push(...item.words);
    if (!item.optional) return first;
  }
  throw new Error('a phrase has a word that must be there');
}

/** Each cue of the book that occurs in the text, with the position of its first occurrence. */
export function findPhrases(book: PhraseBook, tokens: readonly Token[]): ReadonlyMap<PhraseCue, Found> {
  const found = new Map<PhraseCue, Found>();
  tokens.forEach((token, start) => {
    const key = keyOf(token);
    const word = token.kind === 'number' && !book.byFirstWord.has(key) ? '#' : key;
    for (const { cue, items } of book.byFirstWord.get(word) ?? []) {
      const end = found.has(cue) ? -1 : matchFrom(items, 0, tokens, start);
      if (end > start) found.set(cue, { start, end });
    }
  });
  return found;
}

/** Where a match of the phrase from item `k` on ends if it starts at token `at`; -1 if there is none. */
function matchFrom(phrase: Items, k: number, tokens: readonly Token[], at: number): number {
  const item = phrase[k];
  if (item === undefined) return at;
  switch (item.kind) {
    case 'words': {
      const place = placeOf(item, tokens, at, k > 0);
      if (place >= 0) return matchFrom(phrase, k + 1, tokens, place + 1);
      return item.optional ? matchFrom(phrase, k + 1, tokens, at) : -1;
    }
    case 'any': {
      const kind = tokens[at]?.kind;
      return kind === 'word' || kind === 'number' ? matchFrom(phrase, k + 1, tokens, at + 1) : -1;
    }
    case 'gap':
      for (let skipped = 0; skipped <= item.most; skipped++) {
        const end = matchFrom(phrase, k + 1, tokens, at + skipped);
        if (end >= 0) return end;
        if (endsSentence(tokens[at + skipped])) return -1;
      }
      return -1;
    case 'not':
      return item.words.has(keyOf(tokens[at])) ? -1 : matchFrom(phrase, k + 1, tokens, at);
    case 'sentence start':
      return endsSentence(tokens[at - 1]) ? matchFrom(phrase, k + 1, tokens, at) : -1;
    case 'message start':
      return at === 0 ? matchFrom(phrase, k + 1, tokens, at) : -1;
    default:
      return endsSentence(tokens[at]) ? matchFrom(phrase, k + 1, tokens, at) : -1;
  }
}

type Words = Extract<Item, { kind: 'words' }>;

/** Where the item matches: at this token or after punctuation that may be skipped; -1 if nowhere. */
function placeOf(item: Words, tokens: readonly Token[], at: number, mayPass: boolean): number {
  for (let place = at; place < at + 3; place++) {
    const token = tokens[place];
    const key = keyOf(token);
    if (item.words.includes(key) || (token?.kind === 'number' && item.words.includes('#'))) return place;
    if (item.stems.some((stem) => key.startsWith(stem))) return place;
    if (item.endings.some((ending) => key.endsWith(ending))) return place;
    if (!mayPass || token?.kind !== 'mark' || !PASSED.has(key)) return -1;
  }
  return -1;
}

const PASSED = new Set(['-', '–', '—', '*', '_', '"', '“', '”', "'", '(', ')']);

/** A sentence ends before the first token and after the last, too. */
function endsSentence(token: Token | undefined): boolean {
  return token === undefined || (token.kind === 'mark' && token.raw !== ',' && !PASSED.has(token.raw));
}

/** How phrases represent a token. */
function keyOf(token: Token | undefined): string {
  if (token === undefined) return '';
  if (token.kind === 'mark') return token.raw.charAt(0);
  if (token.kind !== 'face') return token.lower;
  if (/[)DPp]$/.test(token.raw) || token.raw === '^_^' || token.raw === ':3') return ':)';
  return token.raw.replace('\ufe0f', '');
}
