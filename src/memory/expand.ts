import { join } from 'node:path';
import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import { attempt } from '../base/errors.ts';
import { findPackageFolder } from '../base/fs/system.ts';
import { makeWordSet } from '../base/text/strings.ts';
import { readValue } from './packed.ts';
import { type Collection, findText, getText, type Texts } from './segment.ts';
import type { Variant } from './types.ts';

const SHORTEST = 4;
const MOST = 24;
const SHARES = { form: 0.9, whole: 0.5 };

/** Words of the memory that are another form of a word of the question, or a compound that holds it. */
export function findSpellings(term: string, collection: Collection): Variant[] {
  const found = new Map<string, number>();
  const add = (variant: string, share: number): void => {
    if (variant !== term && share > (found.get(variant) ?? 0)) found.set(variant, share);
  };
  if (!/^\p{L}{4,}$/u.test(term)) return [];

  const start = term.slice(0, Math.max(SHORTEST, Math.ceil(term.length * 0.6)));
  for (const { segment } of collection.views) {
    for (const variant of segment.termsBeginning(start)) add(variant, measureKinship(term, variant));
    if (term.length > SHORTEST) for (const variant of segment.termsWith(term)) add(variant, SHARES.whole);
  }

  const best = [...found].sort(([, a], [, b]) => b - a);

  return best.slice(0, MOST).map(([variant, share]) => ({ term: variant, share }));
}

/** Endings of words in other languages, without accents, as the English stemmer leaves them. */
const ENDINGS = makeWordSet(QUESTIONS.endings);

function measureKinship(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const longest = Math.max(one.length, other.length);
  const isBeginning = same === Math.min(one.length, other.length);

  // `guarda` and `guardar` share a letter of their endings.
  const areForms = [same, same - 1].some((at) => hasEnding(one, at) && hasEnding(other, at));
  // The stemmer leaves `failur` of `failure`.
  if (areForms || (isBeginning && longest - same === 2)) return SHARES.form;

  return isBeginning && same > SHORTEST ? SHARES.whole : 0;
}

const hasEnding = (word: string, at: number): boolean => word.length === at || ENDINGS.has(word.slice(at));

/** `models/synonyms.bin`: which words mean nearly the same, in whatever language. `scripts/train` makes it. */
export interface Related {
  words: Texts;
  /** Where the related words of each word end; they are sorted, the nearest first. */
  ends: Uint32Array;
  ids: Uint16Array;
  /** How far each counts for the word, in parts of 255. */
  shares: Uint8Array;
}

const MOST_SYNONYMS = 12;

/** Undefined until it is read; null if the file is missing or damaged: then words are found as they are spelt. */
let cachedSynonyms: Related | null | undefined;

/** Words of the memory that mean nearly what a word of the question means. */
export function findSynonyms(term: string, collection: Collection): Variant[] {
  if (cachedSynonyms === undefined)
    cachedSynonyms = (attempt(() => readValue(join(findPackageFolder(), 'models/synonyms.bin'), true)) ??
      null) as Related | null;
  const word = cachedSynonyms ? findText(cachedSynonyms.words, term) : -1;
  if (cachedSynonyms === null || word < 0) return [];

  const { words, ends, ids, shares } = cachedSynonyms;
  const found: Variant[] = [];

  for (let at = ends[word - 1] ?? 0; at < (ends[word] ?? 0) && found.length < MOST_SYNONYMS; at++) {
    const related = getText(words, ids[at] ?? 0);
    if (collection.holders(related) > 0) found.push({ term: related, share: (shares[at] ?? 0) / 255 });
  }

  return found;
}
