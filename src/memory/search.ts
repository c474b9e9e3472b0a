import { resolve } from 'node:path';
import type { Message } from '../transcript/message.ts';
import { linesOf } from './build.ts';
import { Collection, type View } from './collection.ts';
import { wantsOf } from './cues.ts';
import { spansOf } from './dates.ts';
import { Distinct } from './distinct.ts';
import { formulate, spokenOf } from './query.ts';
import { type Ranked, rank } from './rank.ts';
import { headingsAbove, passageText, readStored } from './read.ts';
import { scan } from './scan.ts';
import type { Segment } from './segment.ts';
import { type LeftOut, realPathOf } from './sources.ts';

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
  /** `off` reads every file; `auto` uses the index where it is sound. */
  index?: 'auto' | 'off';
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
  /** What each term of the query added, the most first. */
  why: { term: string; score: number }[];
}

export interface MemoryAnswer {
  hits: MemoryHit[];
  source: 'index' | 'scan';
  /** Files and passages searched. */
  files: number;
  passages: number;
  /** Files not searched, by reason. */
  leftOut: { reason: string; count: number }[];
}

const DEFAULT_LIMIT = 5;

/**
 * The lines of the memory that matter for a question or a chat, best first; none when nothing is relevant.
 * Every line was read from its file just now. A file that cannot be read is counted, never an error.
 */
export async function searchMemory(query: MemoryQuery, options: MemoryOptions): Promise<MemoryAnswer> {
  const scanned = await scan(options);
  return answer([{ segment: scanned.segment }], 'scan', query, options, scanned.leftOut);
}

function answer(
  views: readonly View[],
  source: 'index' | 'scan',
  query: MemoryQuery,
  options: MemoryOptions,
  leftOut: LeftOut,
): MemoryAnswer {
  const collection = new Collection(views);
  const texts = [...spokenOf(query.messages ?? []), ...(query.text === undefined ? [] : [query.text])];
  const now = options.now ?? Date.now();
  const limit = options.limit ?? DEFAULT_LIMIT;
  const { terms, focus } = formulate(texts, (term) => collection.idf(term));
  const asked = { terms, spans: spansOf(focus, now, yearsOf(views)), now, ...wantsOf(focus) };
  // More than wanted, because some repeat others or are not what they were.
  const ranked = terms.length === 0 ? [] : rank(collection, asked, limit * 3 + 10);
  return {
    hits: new HitReader(options).take(ranked, limit),
    source,
    files: collection.files,
    passages: collection.passages,
    leftOut: [...leftOut].map(([reason, count]) => ({ reason, count })),
  };
}

/** Calendar years the dated files cover, the latest ten at most. */
function yearsOf(views: readonly View[]): number[] {
  let [first, last] = [Infinity, -Infinity];
  for (const { segment } of views) {
    for (const day of segment.days) {
      if (day < 0) continue;
      first = Math.min(first, day);
      last = Math.max(last, day);
    }
  }
  if (first > last) return [];
  const from = new Date(first * 86_400_000).getUTCFullYear();
  const to = new Date(last * 86_400_000).getUTCFullYear();
  return Array.from({ length: Math.min(10, to - from + 1) }, (_, i) => to - i);
}

/** Turns ranked passages into hits, each checked against its file. */
class HitReader {
  readonly #options: MemoryOptions;
  readonly #roots: string[];
  readonly #distinct: Distinct;
  readonly #files = new Map<string, string[] | undefined>();

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#distinct = new Distinct(options.alreadyShown);
    this.#roots = allowedRoots(options.workspace, options.include ?? []);
  }

  take(ranked: readonly Ranked[], limit: number): MemoryHit[] {
    const hits: MemoryHit[] = [];
    for (const each of ranked) {
      if (hits.length >= limit) break;
      const hit = this.#read(each.view.segment, each);
      if (hit !== undefined && this.#distinct.add(hit.text)) hits.push(hit);
    }
    return hits;
  }

  #read(segment: Segment, { file, passage, score, why }: Ranked): MemoryHit | undefined {
    const { path } = segment.file(file);
    if (this.#options.exclude?.(path) === true) return undefined;
    const lines = this.#lines(path);
    const place = segment.place(passage);
    if (lines === undefined) return undefined;
    const text = passageText(lines, place);
    if (text === undefined) return undefined;
    const { line, startLine, endLine } = place;
    return { path, line, startLine, endLine, text, score, headings: headingsAbove(lines, startLine), why };
  }

  #lines(path: string): string[] | undefined {
    if (!this.#files.has(path)) {
      const read = readStored(this.#options.workspace, path, this.#roots);
      this.#files.set(path, 'text' in read ? linesOf(read.text) : undefined);
    }
    return this.#files.get(path);
  }
}

/** Folders that a memory file may lie in once its links are resolved. */
function allowedRoots(workspace: string, include: readonly string[]): string[] {
  const base = resolve(workspace);
  const roots = [base, ...include.map((extra) => resolve(base, extra))];
  return roots.map((root) => realPathOf(root) ?? root);
}
