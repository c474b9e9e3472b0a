import type { Signal } from './types.ts';

/** A phrase and how strongly it says what its signal is about, 0 to 1. */
export type Cue = readonly [pattern: RegExp, weight: number];

const HEAD = 1500;
const TAIL = 700;

/** The part of a long message that cues look at: people say what they feel first or last. */
export function cueText(prose: string): string {
  const text = prose.length > HEAD + TAIL ? `${prose.slice(0, HEAD)}\n${prose.slice(-TAIL)}` : prose;
  return text.replace(/[’‘]/g, "'");
}

/** Runs cues over a text: scores add as independent evidence (1 - product of 1 - weight). */
export function matchCues(name: string, cues: readonly Cue[], text: string, confidence: number): Signal {
  let miss = 1;
  const evidence: string[] = [];
  for (const [pattern, weight] of cues) {
    const match = pattern.exec(text);
    if (match === null) continue;
    miss *= 1 - weight;
    if (evidence.length < 3) evidence.push(clip(match[0]));
  }
  return { name, score: 1 - miss, confidence: evidence.length === 0 ? 0 : confidence, evidence };
}

/** A signal that found nothing. */
export function silent(name: string): Signal {
  return { name, score: 0, confidence: 0, evidence: [] };
}

function clip(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 40 ? `${flat.slice(0, 39)}…` : flat;
}
