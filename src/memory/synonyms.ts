import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { findPackageFolder } from '../base/fs/system.ts';
import { readValue } from './packed.ts';
import { type Collection, findText, getText, type Texts } from './segment.ts';
import type { Variant } from './types.ts';

/** `models/synonyms.bin`: which words mean nearly the same, in whatever language. `scripts/train` makes it. */
export interface Related {
  words: Texts;
  /** Where the related words of each word end; they are sorted, the nearest first. */
  ends: Uint32Array;
  ids: Uint16Array;
  /** How far each counts for the word, in parts of 255. */
  shares: Uint8Array;
}

const MOST = 12;

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

  for (let at = ends[word - 1] ?? 0; at < (ends[word] ?? 0) && found.length < MOST; at++) {
    const related = getText(words, ids[at] ?? 0);
    if (collection.holders(related) > 0) found.push({ term: related, share: (shares[at] ?? 0) / 255 });
  }

  return found;
}
