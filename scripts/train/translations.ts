/**
 * Which English words a word of another language means, counted in texts that say the same: the messages of VS Code and
 * the names of symbols, by IBM model 1 in both directions (Brown et al. 1993).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STOPWORDS, stem, tokenize } from '../../src/memory/terms.ts';

/** A language, its pack of messages, and its small words. */
export interface Language {
  code: string;
  pack: string;
  small: string;
}

export interface Translation {
  word: string;
  /** 0 to 1. */
  trust: number;
}

/** The pack whose English letters carry marks, so that a developer sees what is translated. */
const MARKED = 'qps-ploc';
const MARKS: Record<string, string> = {
  ...{ æ: 'a', ë: 'e', ï: 'i', ø: 'o', ÿ: 'y', ç: 'c', ð: 'd', ñ: 'n', '§': 's', þ: 'b', ß: 'b', µ: 'u' },
  ...{ Æ: 'A', Ë: 'E', Ï: 'I', Ø: 'O', Ÿ: 'Y', Ç: 'C', Ð: 'D', Ñ: 'N', ü: 'u', Ü: 'U', Þ: 'B' },
};
const ROUNDS = 6;
const LONGEST = 60;
/** A translation less sure than this, or than this share of the best one, is chance. */
const LEAST = 0.25;
const LEAST_OF_BEST = 0.4;
const MOST = 3;
/** Symbols are few, and their names are exact. */
const NAME_WEIGHT = 2;

type Pair = readonly [english: readonly string[], foreign: readonly string[]];

/** @param packs folder with `language-pack-CODE` of `@codingame/monaco-vscode-…` and `cldr-annotations-modern` */
export function learnTranslations(packs: string, language: Language): Map<string, Translation[]> {
  const small = new Set(tokenize(language.small));
  const pairs = [...pairMessages(packs, language.pack, small), ...pairSymbols(packs, language.code, small)];
  const foreign = learn(pairs);
  const english = learn(pairs.map(([one, other]) => [other, one]));
  const found = new Map<string, Translation[]>();
  for (const [key, share] of foreign) {
    const [word = '', meant = ''] = key.split(' ');
    const back = english.get(`${meant} ${word}`) ?? 0;
    const trust = Math.sqrt(share * back);
    if (meant !== '' && back > 0.1 && trust >= LEAST)
      found.set(word, [...(found.get(word) ?? []), { word: meant, trust }]);
  }
  for (const [word, all] of found) {
    all.sort((a, b) => b.trust - a.trust);
    const best = all[0]?.trust ?? 0;
    if (all[0]?.word === word) found.delete(word);
    else found.set(word, all.filter(({ trust }) => trust >= LEAST_OF_BEST * best).slice(0, MOST));
  }
  return found;
}

function pairMessages(packs: string, pack: string, small: ReadonlySet<string>): Pair[] {
  const english = readMessages(join(packs, `language-pack-${MARKED}`));
  const messages = readMessages(join(packs, `language-pack-${pack}`));
  return [...messages].flatMap(([key, text]) => {
    const marked = english.get(key);
    if (marked === undefined) return [];
    const plain = [...marked].map((letter) => MARKS[letter] ?? letter).join('');
    return makePair(plain, text, small);
  });
}

interface Annotations {
  annotations: { annotations: Record<string, { default?: string[]; tts?: string[] }> };
}

function pairSymbols(packs: string, code: string, small: ReadonlySet<string>): Pair[] {
  const read = (name: string) => {
    const path = join(packs, 'cldr-annotations-modern/annotations', name, 'annotations.json');
    return (JSON.parse(readFileSync(path, 'utf8')) as Annotations).annotations.annotations;
  };
  const english = read('en');
  return Object.entries(read(code)).flatMap(([symbol, { default: words = [], tts = [] }]) => {
    const same = english[symbol];
    const names = makePair(same?.tts?.join(' ') ?? '', tts.join(' '), small);
    const keywords = makePair(same?.default?.join(' ') ?? '', words.join(' '), small);
    return [...Array.from({ length: NAME_WEIGHT }, () => names).flat(), ...keywords];
  });
}

function makePair(english: string, foreign: string, small: ReadonlySet<string>): Pair[] {
  const one = splitWords(english).filter((word) => !STOPWORDS.has(word));
  const other = splitWords(foreign).filter((word) => !small.has(word));
  return one.length > 0 && other.length > 0 && one.length < LONGEST ? [[one, other]] : [];
}

/** Words of letters; names of variables and icons are no words. */
function splitWords(text: string): string[] {
  const plain = text.replace(/\{\d+\}|`[^`]*`|\$\([^)]*\)/g, ' ');
  return tokenize(plain)
    .filter((word) => /^\p{L}{2,}$/u.test(word))
    .map(stem);
}

/** The messages of a pack: those of extensions by their keys, those of the editor by their number. */
function readMessages(folder: string): Map<string, string> {
  const root = join(folder, 'translations');
  const found = new Map<string, string>();
  for (const name of readdirSync(join(root, 'extensions'))) {
    const { contents } = JSON.parse(readFileSync(join(root, 'extensions', name), 'utf8')) as {
      contents: Record<string, Record<string, string>>;
    };
    for (const [section, messages] of Object.entries(contents))
      for (const [key, text] of Object.entries(messages))
        found.set(`${name} ${section} ${key}`, String(text));
  }
  const lines = readFileSync(join(root, 'main.i18n.json.js'), 'utf8').split('\n').slice(1);
  for (const [number, line] of lines.entries()) {
    const text = /^\s*("(?:[^"\\]|\\.)*"),?\s*$/.exec(line)?.[1];
    if (text !== undefined) found.set(`main ${number}`, JSON.parse(text) as string);
  }
  return found;
}

/** IBM model 1: how likely each English word, or none, stands for each foreign one; the key is `foreign english`. */
function learn(pairs: readonly Pair[]): Map<string, number> {
  const names: string[] = [''];
  const numbers = new Map([['', 0]]);
  const assignNumber = (word: string): number => {
    const number = numbers.get(word) ?? names.push(word) - 1;
    numbers.set(word, number);
    return number;
  };
  const numbered = pairs.map(
    ([english, foreign]) => [[...english.map(assignNumber), 0], foreign.map(assignNumber)] as const,
  );
  const size = names.length;
  let shares = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const counts = new Map<number, number>();
    const totals = new Float64Array(size);
    for (const [english, foreign] of numbered)
      for (const word of foreign) {
        const all = english.map((each) => (round === 0 ? 1 : (shares.get(word * size + each) ?? 0)));
        const sum = all.reduce((a, b) => a + b, 0) || 1;
        for (const [at, each] of english.entries()) {
          const part = (all[at] ?? 0) / sum;
          if (part < 1e-3) continue;
          counts.set(word * size + each, (counts.get(word * size + each) ?? 0) + part);
          totals[each] = (totals[each] ?? 0) + part;
        }
      }
    shares = new Map([...counts].map(([key, count]) => [key, count / (totals[key % size] || 1)]));
  }
  return new Map(
    [...shares].map(([key, share]) => [
      `${names[Math.floor(key / size)] ?? ''} ${names[key % size] ?? ''}`,
      share,
    ]),
  );
}
