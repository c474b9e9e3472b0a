import { compiled } from '../text/compile-patterns.ts';
import type { Token } from './words.ts';

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

/** A phrase found, as places in the tokens: from `start` to before `end`. */
interface Found {
  start: number;
  end: number;
}

/** In first items that are joined: something else than words that are written out. */
const NOT_WORDS = /(?:^|\|)(?![a-z])|~/;
/** The first item of a phrase of a line: after the weight, or after a slash. */
const FIRST_ITEM = /(?<=^[\d.]+ +| \/ )[^ ]+/g;

/**
 * A line of a table: any of its phrases counts once, with its weight (0 to 1). Most lines a process never needs: what
 * is in one is read when a word occurs that a phrase of it begins with.
 */
export class Cue {
  readonly #line: string;
  #byFirstWord: ReadonlyMap<string, readonly Phrase[]> | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  get weight(): number {
    return Number(this.#line.slice(0, this.#line.indexOf(' ')));
  }

  get texts(): readonly string[] {
    return this.#line.slice(this.#line.indexOf(' ')).trim().split(' / ');
  }

  get phrases(): readonly Items[] {
    return this.texts.map(itemsOf);
  }

  /** The words that its phrases can begin with; some of them twice. */
  get firstWords(): readonly string[] {
    const items = this.#line.match(compiled(FIRST_ITEM)) ?? [];
    const all = items.join('|');
    // Nearly all lines are of plain words, and a cold process reads a thousand phrases slowly.
    if (!compiled(NOT_WORDS).test(all)) return all.split('|');
    return this.texts.flatMap(firstWords);
  }

  startingWith(word: string): readonly Phrase[] {
    this.#byFirstWord ??= phrasesByFirstWord(this.texts);
    return this.#byFirstWord.get(word) ?? [];
  }
}

interface Phrase {
  readonly text: string;
  /** Read when it is looked for. */
  items?: Items;
}

function phrasesByFirstWord(texts: readonly string[]): ReadonlyMap<string, readonly Phrase[]> {
  const found = new Map<string, readonly Phrase[]>();
  for (const text of texts) {
    const alone: readonly Phrase[] = [{ text }];
    firstWords(text).forEach((word) => {
      const known = found.get(word);
      found.set(word, known === undefined ? alone : [...known, ...alone]);
    });
  }
  return found;
}

/** Cues by each word that a phrase of theirs can begin with. */
export interface PhraseBook {
  cues: readonly Cue[];
  byFirstWord: ReadonlyMap<string, readonly Cue[]>;
}

/**
 * A book of a table with one cue a line: its weight, then its phrases with
 * ` / ` between them. Made at the first message that asks for it.
 *
 * @throws Error when a phrase begins with something that is not a word
 */
export function phraseBook(table: string): () => PhraseBook {
  let book: PhraseBook | undefined;
  return () => {
    book ??= compile(table);
    return book;
  };
}

function compile(table: string): PhraseBook {
  const cues: Cue[] = [];
  const byFirstWord = new Map<string, readonly Cue[]>();
  for (const line of table.split('\n')) {
    const row = line.trim();
    if (row === '') continue;
    const cue = new Cue(row);
    cues.push(cue);
    // Nearly all words begin phrases of one cue only: those share a list.
    const alone = [cue];
    // By their numbers: there are more than a thousand, and a cold process is slow at asking for the next.
    const words = cue.firstWords;
    for (let k = 0; k < words.length; k++) {
      const word = words[k] ?? '';
      const known = byFirstWord.get(word);
      if (known === undefined) byFirstWord.set(word, alone);
      else if (known.at(-1) !== cue) byFirstWord.set(word, [...known, cue]);
    }
  }
  return { cues, byFirstWord };
}

const NONE: readonly string[] = [];

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
  if (!text.includes('~')) return { kind: 'words', words: all, stems: NONE, endings: NONE, optional };
  const stems = all.filter((word) => word.endsWith('~')).map((word) => word.slice(0, -1));
  const endings = all
    .filter((word) => word.startsWith('~') && !word.endsWith('~'))
    .map((word) => word.slice(1));
  const words = all.filter((word) => !word.startsWith('~') && !word.endsWith('~'));
  return { kind: 'words', words, stems, endings, optional };
}

/** An item that begins so is words and nothing else. */
function beginsPlain(item: string): boolean {
  return item >= 'a' && item < '{';
}

function isWords(item: string): boolean {
  const isOther = item.length > 1 && (item.startsWith('!') || (item.startsWith('..') && item !== '..'));
  return item !== '_' && item !== '>' && !isOther && !item.includes('~');
}

function firstWords(phrase: string): string[] {
  const [item = ''] = phrase.split(' ', 1);
  if (beginsPlain(item) && !item.includes('~')) return item.split('|');
  const first: string[] = [];
  for (const text of phrase.split(' ')) {
    if (text === '' || text === '<' || text === '<<') continue;
    if (!isWords(text)) throw new Error('a phrase begins with a word that is written out');
    const optional = text.startsWith('?') && text.length > 1;
    first.push(...(optional ? text.slice(1) : text).split('|'));
    if (!optional) return first;
  }
  throw new Error('a phrase has a word that must be there');
}

const NOTHING: ReadonlyMap<Cue, Found> = new Map();

/** Each cue of the book that the text has, with the place where it was first found. */
export function findPhrases(book: PhraseBook, tokens: readonly Token[]): ReadonlyMap<Cue, Found> {
  let found: Map<Cue, Found> | undefined;
  for (let start = 0; start < tokens.length; start++) {
    const token = tokens[start];
    const key = keyOf(token);
    const word = token?.kind === 'number' && !book.byFirstWord.has(key) ? '#' : key;
    const cues = book.byFirstWord.get(word);
    // Most words begin nothing, and most books find nothing.
    if (cues === undefined) continue;
    for (const cue of cues) {
      if (found?.has(cue)) continue;
      const end = endOf(cue.startingWith(word), tokens, start);
      if (end <= start) continue;
      found ??= new Map();
      found.set(cue, { start, end });
    }
  }
  return found ?? NOTHING;
}

/** Where the first of the phrases that stands at a place ends, -1 when none does. */
function endOf(phrases: readonly Phrase[], tokens: readonly Token[], start: number): number {
  for (const phrase of phrases) {
    phrase.items ??= itemsOf(phrase.text);
    const end = matchFrom(phrase.items, 0, tokens, start);
    if (end > start) return end;
  }
  return -1;
}

/** Where the phrase from item `k` on ends when it is read from token `at`, -1 when it is not there. */
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

/** Where the item is, at this token or after a mark that may be passed over; -1 when it is not. */
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

/** Before the first token and after the last, too, a sentence ends. */
function endsSentence(token: Token | undefined): boolean {
  return token === undefined || (token.kind === 'mark' && token.raw !== ',' && !PASSED.has(token.raw));
}

/** What stands for a token in phrases. */
function keyOf(token: Token | undefined): string {
  if (token === undefined) return '';
  if (token.kind === 'mark') return token.raw.charAt(0);
  if (token.kind !== 'face') return token.lower;
  if (/[)DPp]$/.test(token.raw) || token.raw === '^_^' || token.raw === ':3') return ':)';
  return token.raw.replace('\ufe0f', '');
}
