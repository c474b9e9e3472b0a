import DATA from '../../../models/words/secrets.json' with { type: 'json' };
import { makeWordSet, splitWordList } from '../text/strings.ts';

/*
 * What is a secret, as data: `models/words/secrets.json`. `${name}` in a pattern stands for one of its parts. Every
 * quantifier is bounded, so a row takes constant time per position.
 */

/**
 * How a value next to a word is judged (`value.ts`).
 * - `password`: whatever is assigned to it is secret, even ordinary words
 * - `key`: a compound that always means a credential; what is assigned to it is secret unless it reads as prose
 * - `token`: a single word with everyday meanings; what is assigned to it must look like a credential
 * - `random`: a name with everyday meanings (`cacheKey`); what is assigned to it must be unmistakable
 * - `code`: a short number
 */
export type WordClass = 'password' | 'key' | 'token' | 'random' | 'code';

function expandParts(pattern: string): string {
  const parts: Readonly<Record<string, string>> = DATA.parts;
  return pattern.replace(/\$\{(\w+)\}/g, (_, name: string) => expandParts(parts[name] ?? ''));
}

/* The lists are made where they are used first: most commands have nothing to redact. */

/**
 * Tokens with a known prefix, and what follows it; case matters. A prefix that is a word, or short, needs the exact form.
 * Most tokens of a provider that is missing are still found by their form (`known.ts`).
 */
export const listProviders = () =>
  Object.entries<Record<string, string>>(DATA.providers).flatMap(([kind, rows]) =>
    Object.entries(rows).map(([prefixes, rest]) => ({ kind, prefixes, rest: expandParts(rest) })),
  );

/**
 * A check of what a shape finds. `basic`: base64 of `name:secret`; `option`: the value of a command-line option;
 * `chosen`: a password that somebody made up; `random`: no word; `given`: no placeholder.
 */
export type Check = 'any' | 'mixed' | 'basic' | 'option' | 'chosen' | 'random' | 'given';

/**
 * Secrets recognized by their shape or by the text around them, which is in lower case. The secret is the first group, if
 * there is one, and ends with the match.
 */
export const listShapes = () =>
  DATA.shapes.map((row) => {
    const [, kind = '', check = '', pattern = ''] = /^(.+?) {2}(\w+) {2}(.+)$/.exec(row) ?? [];
    return { kind, check: check as Check, pattern: expandParts(pattern) };
  });

/**
 * Words that indicate a secret next to them. A blank in a word matches nothing, a blank, `_`, `-` or `.`; `<` before a
 * word means that it must not follow other letters, `_` that it must be the last part of a compound name.
 */
export function listSecretWords() {
  const things = splitWordList(DATA.owned);
  const owned = splitWordList(DATA.owners).flatMap((owner) => things.map((thing) => `${owner} ${thing}`));
  return Object.entries<Record<string, string>>(DATA.words).flatMap(([group, kinds]) =>
    Object.entries(kinds).map(([kind, words]) => ({
      group: group as WordClass,
      kind,
      words: [...words.split(', '), ...(group === 'key' ? owned : [])],
    })),
  );
}

const joinAlternatives = (list: string): string => `(?:${splitWordList(list).join('|')})`;

/** Suffixes that make a name harmless, such as `token_limit`. In lower case. */
export const HARMLESS_SUFFIX = new RegExp(joinAlternatives(DATA.harmlessSuffixes));
/** Complete names of harmless things, whatever their last word: `cacheKey`, `publicKey`, `nextPageToken`. */
export const HARMLESS_NAME = new RegExp(
  `(?:^|[ _.-])${joinAlternatives(DATA.harmlessThings)}[ _.-]?(?:keys?|tokens?)$`,
);
export const TYPE = new RegExp(`^${joinAlternatives(DATA.types)}(?:\\W.*)?$`, 'i');
/** Prefixes of ids, not of secrets: requests, messages, calls, runs, customers, digests. */
export const ID_NAME = new RegExp(`^${joinAlternatives(DATA.ids)}$`, 'i');
/** Ids that occur next to words about tokens. */
export const ID_PREFIX = new RegExp(`^${joinAlternatives(DATA.idPrefixes)}[-_:]`);

/** Function words: `password: in the safe`. */
export const FUNCTION_WORDS = makeWordSet(DATA.functionWords);
/** What is said about a password instead of the password itself; types and values in code. */
export const STATES = makeWordSet(DATA.states);

/** The words around a key that somebody hands over: `here it is`, `ok, the key`. Some scripts have no blanks. */
export const BESIDE_KEY = makeWordSet(DATA.beside);
export const BESIDE_KEY_UNSPACED = new RegExp(`^${joinAlternatives(DATA.besideUnspaced)}+$`);

/** Length of an IBAN by country (SWIFT IBAN registry). */
export const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  splitWordList(DATA.ibanLengths).map((each) => [each.slice(0, 2), Number(each.slice(2))]),
);
