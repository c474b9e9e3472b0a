import { readFileSync } from 'node:fs';

/** A message written after the rules, and what its writer meant. */
export interface HeldOut {
  label: 'sarcasm' | 'complaint' | 'urgency' | 'ordinary' | 'review' | 'pasted';
  text: string;
}

export function readHeldOut(file: URL): HeldOut[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as HeldOut);
}
