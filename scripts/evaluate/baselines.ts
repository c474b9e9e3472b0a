import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A package that rates a text, negative to positive. */
export interface Baseline {
  name: string;
  valence(text: string): number;
}

interface Vader {
  SentimentIntensityAnalyzer: { polarity_scores(text: string): { compound: number } };
}
type Afinn = new () => { analyze(text: string): { comparative: number } };

/** vader-sentiment and AFINN, from `folder`/node_modules or from this project's own dependencies. */
export function loadBaselines(folder: string | undefined): Baseline[] {
  const require = createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));
  const { SentimentIntensityAnalyzer: vader } = require('vader-sentiment') as Vader;
  const afinn = new (require('sentiment') as Afinn)();
  return [
    { name: 'vader-sentiment', valence: (text) => vader.polarity_scores(text).compound },
    { name: 'AFINN (sentiment)', valence: (text) => afinn.analyze(text).comparative },
  ];
}
