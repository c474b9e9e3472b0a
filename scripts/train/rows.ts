import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface GoEmotionsRow {
  id: string;
  labels: string[];
  text: string;
}
export interface EmoBankRow {
  id: string;
  /** Valence, arousal and dominance on 1 to 5. */
  v: number;
  a: number;
  d: number;
  text: string;
}
export interface TweetRow {
  id: string;
  /** Mean human valence, -4 to 4. */
  v: number;
  text: string;
}
export interface IncivilityRow {
  id: string;
  thread: string;
  label: string;
  text: string;
}
export interface PolarityRow {
  id: string;
  y: -1 | 0 | 1;
  text: string;
}
export interface SatisfactionRow {
  /** Session, turn within it. */
  s: number;
  t: number;
  role: 'USER' | 'SYSTEM';
  text: string;
  /** Ratings 1 to 5, one a judge; empty on system turns. */
  sat: number[];
}

/** The rows of `<folder>/sentiment/<name>.jsonl.gz`, or of the same file beside it without `sentiment/`. */
export function readRows<Row>(folder: string, name: string): Row[] {
  let packed: Buffer;
  try {
    packed = readFileSync(join(folder, 'sentiment', `${name}.jsonl.gz`));
  } catch {
    packed = readFileSync(join(folder, `${name}.jsonl.gz`));
  }
  const rows: Row[] = [];
  for (const line of gunzipSync(packed).toString('utf8').split('\n')) {
    if (line !== '') rows.push(JSON.parse(line) as Row);
  }
  return rows;
}

/** A number from 0 to 99 that depends on a name only, to split by thread or by row the same way every time. */
export function bucketOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 16;
  return (Math.imul(hash, 0x85ebca6b) >>> 0) % 100;
}

/** Threads in these buckets are never trained on. */
export function isHeldThread(thread: string): boolean {
  return bucketOf(thread) < 25;
}
