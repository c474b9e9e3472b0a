import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The VADER lexicon (C. J. Hutto, MIT): word, tab, mean valence, and more that
 * is not used. By default the copy inside the `vader-sentiment` package.
 */
export function readLexicon(file = join(dirname(packageFile()), 'vader_lexicon.txt')): Map<string, number> {
  const lexicon = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [word, valence] = line.split('\t');
    if (word === undefined || valence === undefined || word.trim() === '') continue;
    const rating = Number(valence);
    if (Number.isFinite(rating)) lexicon.set(word.trim(), rating);
  }
  return lexicon;
}

function packageFile(): string {
  return createRequire(import.meta.url).resolve('vader-sentiment/package.json');
}
