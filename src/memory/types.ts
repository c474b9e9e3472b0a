import type { Message } from '../transcript/types.ts';
import type { DaySpan } from './dates.ts';
import type { SegmentView } from './segment.ts';

/** The query: a text, or a chat with the question in its last messages. With both, the text counts as the last message. */
export interface MemoryQuery {
  text?: string;
  /** Oldest first. Only messages of user and assistant count. */
  messages?: readonly Message[];
}

export interface EmbeddingSettings {
  provider: 'off' | 'openai';
  /** Base address of the service; OpenAI's unless set. */
  url: string | undefined;
  model: string | undefined;
  /** Name of the environment variable that holds the key. The key itself is never stored. */
  keyFrom: string | undefined;
  dimensions: number | undefined;
  /** Milliseconds that a search waits for the vector of its query. */
  deadline: number;
}

export interface MemoryOptions {
  workspace: string;
  include?: readonly string[];
  limit?: number;
  /** Epoch milliseconds; the clock by default. */
  now?: number;
  signal?: AbortSignal;
  /** Leaves out the files of the workspace: they may be a stranger's. */
  isForeign?: boolean | undefined;
  /** Lines the reader already has: hits that repeat one are left out. */
  alreadyShown?: readonly string[];
  /**
   * Called when all files of a large memory should be compared with the index: starts a separate process that runs
   * `updateIndex`. Without it the comparison runs here.
   */
  background?: () => void;
  /**
   * Without an index only this many files are read, the newest, and `background` should build the index of a larger
   * memory.
   */
  mostFiles?: number | undefined;
  /** Also finds passages with the same meaning in other words. Nothing leaves the machine unless this names a service. */
  embeddings?: EmbeddingSettings;
}

export interface MemoryHit {
  /** Relative to the workspace with forward slashes; absolute for a file elsewhere, added by the config. */
  path: string;
  line: number;
  startLine: number;
  endLine: number;
  /** The words of the file, with whitespace folded, without list and quote marks. Not redacted. */
  text: string;
  score: number;
  /** What stands above it, outermost first: titles, the label or item that it hangs from, a table's header. */
  headings: readonly string[];
  words?: string[];
  /** A later line that takes back what this one says; a search puts it before this one. */
  newer?: MemoryHit;
  /** ISO date of its file, beside an undated line that gives the same thing another value. */
  fileDate?: string;
  /** With embeddings on: the part of the score that its meaning adds. */
  meaning?: number;
}

export interface MemoryAnswer {
  hits: MemoryHit[];
  /** The text that the search used: the query, or in a chat the newest message with content of its own. Not redacted. */
  asked: string;
  /** With embeddings on: whether vectors were used, and if not, why. */
  meaning?: { used: boolean; problem?: string };
  source: 'index' | 'scan';
  changed: number;
  files: number;
  passages: number;
  leftOut: { reason: string; count: number }[];
}

export interface Variant {
  term: string;
  share: number;
}

export interface QueryTerm {
  term: string;
  /** 0 to 1: its weight in the query. */
  weight: number;
  variants?: readonly Variant[];
}

export interface RankQuery {
  terms: readonly QueryTerm[];
  spans: readonly DaySpan[];
  wantsNumber: boolean;
}

export interface RankedPassage {
  view: SegmentView;
  file: number;
  passage: number;
  score: number;
  /** The share of its words in the score, and how many words of the query it and the lines around it hold. */
  ofWords: number;
  held: number;
}
