import { makeWordSet } from '../base/text/strings.ts';
import type { Collection } from './segment.ts';
import type { Variant } from './types.ts';

/** A shorter beginning is shared by too many words. */
const SHORTEST = 4;
const MOST = 24;
/** How much another form of a word counts, one with the same long beginning, and a part or the whole of a compound. */
const SHARES = { form: 0.9, kin: 0.7, whole: 0.5, part: 0.4 };

/** Words of the memory that are another form of a word of the question, or a part or the whole of a compound. */
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

  for (let cut = 3; cut <= term.length - 3; cut++)
    for (const part of [term.slice(0, cut), term.slice(cut)])
      if (part.length > SHORTEST && collection.holders(part) > 0) add(part, SHARES.part);

  const best = [...found].sort(([, a], [, b]) => b - a);

  return best.slice(0, MOST).map(([variant, share]) => ({ term: variant, share }));
}

/** Endings of German, French, Spanish, Portuguese and Italian words, without accents, as the English stemmer leaves them. */
const ENDINGS = makeWordSet(
  'e en er em es n s t te st et ern ung o a os as ar ir ado ada ido ida ando an amo emo imo aba io aron ieron cion ' +
    'ent ez on ee ant ait tion are ere ire ato ata',
);

/** How likely two words with the same beginning are forms of one. */
function measureKinship(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const longest = Math.max(one.length, other.length);
  const isBeginning = same === Math.min(one.length, other.length);

  // `guarda` and `guardar` share a letter of their endings.
  const areForms = [same, same - 1].some((at) => hasEnding(one, at) && hasEnding(other, at));
  // The stemmer leaves `failur` of `failure`.
  if (areForms || (isBeginning && longest - same === 2)) return SHARES.form;
  if (same >= 0.75 * longest) return SHARES.kin;
  if (same <= SHORTEST) return 0;
  if (isBeginning) return SHARES.whole;

  return same >= 0.6 * longest ? SHARES.part : 0;
}

const hasEnding = (word: string, at: number): boolean => word.length === at || ENDINGS.has(word.slice(at));
