import { existsSync, readFileSync } from 'node:fs';
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
  /** Ratings from 1 to 5, one per judge; empty for system turns. */
  sat: number[];
}

/** A message of a developer to a coding agent (`agent-chat/README.md` in the data). */
export interface AgentChatRow {
  id: string;
  repo: string;
  licence: string;
  /** `cue` rows were found by searching for cue words, so rates must not be estimated from them. */
  drawn: 'random' | 'cue';
  /** The end of the agent's words before it; empty at the beginning of a conversation. */
  prev: string;
  text: string;
  labels: {
    /** 0 none, 1 some, 2 clear. */
    frustration: 0 | 1 | 2;
    urgency: 0 | 1 | 2;
    curiosity: 0 | 1;
    positive: 0 | 1;
    playful: 0 | 1;
    confusion: 0 | 1;
    correction: 0 | 1;
    /** -2 to 2. */
    valence: number;
  };
}

/** The labelled messages to agents. */
export const readAgentChat = (folder: string): AgentChatRow[] =>
  readGzippedRows(join(folder, 'agent-chat', 'dev.jsonl.gz'));

/** The rows of `<folder>/sentiment/<name>.jsonl.gz`, or of the same file beside it without `sentiment/`. */
export function readRows<Row>(folder: string, name: string): Row[] {
  const path = join(folder, 'sentiment', `${name}.jsonl.gz`);
  return readGzippedRows(existsSync(path) ? path : join(folder, `${name}.jsonl.gz`));
}

/** The objects of a gzipped file of JSON lines, without the torn lines that a few transcripts have. */
export const readGzippedRows = <Row>(path: string): Row[] =>
  gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Row];
      } catch {
        return [];
      }
    });

/** A number from 0 to 99 that depends only on a name, so that splits by thread or by row are always the same. */
export function computeBucket(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 16;
  return (Math.imul(hash, 0x85ebca6b) >>> 0) % 100;
}

/** Threads in these buckets are never trained on. */
export const isHeldThread = (thread: string): boolean => computeBucket(thread) < 25;
