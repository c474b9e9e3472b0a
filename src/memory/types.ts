import type { Message } from '../transcript/message.ts';
import type { View } from './collection.ts';
import type { DaySpan } from './dates.ts';
import type { EmbeddingSettings } from './embeddings/settings.ts';

/** What to look for: a text, or a chat whose last messages say it. With both, the text is the last word. */
export interface MemoryQuery {
  text?: string;
  /** Oldest first. Only what the user and the assistant said counts. */
  messages?: readonly Message[];
}

export interface MemoryOptions {
  workspace: string;
  /** Further files or folders, relative to the workspace or absolute. */
  include?: readonly string[];
  /** Most hits to return; 5 unless told. */
  limit?: number;
  /** Epoch milliseconds; the clock unless told. */
  now?: number;
  /** When it fires, what was read so far answers. */
  signal?: AbortSignal;
  /** True for a file whose lines are not wanted. */
  exclude?: (path: string) => boolean;
  /** Lines the reader has before them already: hits that repeat one are left out. */
  alreadyShown?: readonly string[];
  /** `off` reads every file; `auto` uses the index and keeps it up to date. */
  index?: 'auto' | 'off';
  /**
   * Called when all files of a large memory should be compared with the index: starts a process of its own
   * that runs `updateIndex`. Without it the comparison is made here.
   */
  background?: () => void;
  /** Without an index only so many files are read, the newest, and `background` is to make one of a larger memory. */
  mostFiles?: number;
  /** Passages that mean the same in other words count too. Nothing leaves the machine unless this names a service. */
  embeddings?: EmbeddingSettings;
}

export interface MemoryHit {
  /** Relative to the workspace with forward slashes; absolute for a file that config adds from elsewhere. */
  path: string;
  /** 1-based line to open. */
  line: number;
  /** Lines of the whole block, both included. */
  startLine: number;
  endLine: number;
  /** The words as they are in the file, white space folded, list and quote marks left out. Not redacted. */
  text: string;
  score: number;
  /** Titles above the line, outermost first. */
  headings: string[];
  /**
   * What makes the score, the most first: words of the query, `near` being what the lines around gave; in brackets
   * what else counted: `(file)`, `(date)`, `(author)`, `(answer)`, `(when)`, `(number)`, `(recency)`, `(question)`; with
   * embeddings on `(words)` and `(meaning)`.
   */
  why: Reason[];
}

export interface MemoryAnswer {
  hits: MemoryHit[];
  /** What the search went by: the text, or of a chat the newest that says something by itself. Not redacted. */
  asked: string;
  /** With embeddings on: whether vectors had a say, and why not. */
  meaning?: { used: boolean; problem?: string };
  source: 'index' | 'scan';
  /** Files and passages searched. */
  files: number;
  passages: number;
  /** Files not searched, by reason. */
  leftOut: { reason: string; count: number }[];
}

export interface QueryTerm {
  term: string;
  /** As it was said. */
  word: string;
  /** 0 to 1: how much the query is about it. */
  weight: number;
  /** Terms that mean the same, and how much of a mention one of theirs is. */
  also: ReadonlyMap<string, number>;
}

export interface RankQuery {
  terms: readonly QueryTerm[];
  /** Days the query speaks of. */
  spans: readonly DaySpan[];
  asksWhen: boolean;
  asksNumber: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** A part of a passage's score. */
export interface Reason {
  /** A word of the query; in brackets what else counts. */
  term: string;
  score: number;
  /** Of a word: how much of it the passages around gave. */
  near?: number;
}

export interface Ranked {
  view: View;
  file: number;
  passage: number;
  score: number;
  /** The most that its words can have added to the score. */
  readonly ofWords: number;
  /** Found out when it is first asked for. */
  readonly why: Reason[];
}
