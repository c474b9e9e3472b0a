import { readFileSync } from 'node:fs';
import { analyze, type SentimentModel, type SentimentState } from '../../src/sentiment/index.ts';

/** A message written after the rules, and what its writer meant. */
export interface HeldOut {
  label:
    | 'sarcasm'
    | 'complaint'
    | 'urgency'
    | 'playful'
    | 'curious'
    | 'tired'
    | 'pleased'
    | 'ordinary'
    | 'review'
    | 'pasted';
  text: string;
}

export function readHeldOut(file: URL): HeldOut[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HeldOut);
}

/** What counts as understood, for each kind of message. */
export function understood(label: HeldOut['label'], state: SentimentState): boolean {
  const named = (emotion: string): boolean => state.emotion === emotion || state.secondary === emotion;
  if (label === 'sarcasm' || label === 'complaint') return named('frustrated');
  if (label === 'urgency') return named('urgent');
  if (label === 'playful' || label === 'curious' || label === 'tired') return named(label);
  if (label === 'pleased') return state.valence > 0.2 && !named('frustrated');
  return !named('frustrated');
}

/** Share understood of each kind, with and without the trained model and with the model alone. */
export function scoreHeldOut(
  messages: readonly HeldOut[],
  model: SentimentModel | null,
  signals: boolean,
): Map<string, { right: number; n: number }> {
  const table = new Map<string, { right: number; n: number }>();
  for (const { label, text } of messages) {
    const options = signals ? { model } : { model, extractors: [] };
    const state = analyze([{ id: '1', role: 'user', content: text, session: 's' }], options);
    const row = table.get(label) ?? { right: 0, n: 0 };
    row.n++;
    if (understood(label, state)) row.right++;
    table.set(label, row);
  }
  return table;
}
