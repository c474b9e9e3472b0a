import { lowerBound, type Segment } from './segment.ts';

/** A segment as one search sees it. */
export interface SegmentView {
  segment: Segment;
  /** Files that were replaced or deleted. */
  dead?: ReadonlySet<number>;
  /** True if it was read from its files in this search. */
  isFresh?: boolean;
}

/** Robertson's inverse document frequency in nats, kept above zero as in Lucene. */
export function inverseFrequency(total: number, holders: number): number {
  return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
}

/** In a memory with more passages than this, a term in more than this share of them is common. */
export const LARGE = 8192;
export const COMMON = 1 / 64;

/** Sizes of all segments together, dead files left out. */
export class Collection {
  readonly views: readonly SegmentView[];
  readonly passages: number = 0;
  readonly files: number = 0;
  readonly meanLength: number;
  readonly meanFileLength: number;

  constructor(views: readonly SegmentView[]) {
    this.views = views;
    let length = 0;
    for (const { segment, dead } of views) {
      this.passages += segment.passages;
      this.files += segment.files;
      for (const each of segment.head.fileLengths) length += each;
      for (const file of dead ?? []) {
        const { starts, fileLengths } = segment.head;
        this.passages -= (starts[file + 1] ?? 0) - (starts[file] ?? 0);
        this.files--;
        length -= fileLengths[file] ?? 0;
      }
    }
    this.meanLength = Math.max(1, length / Math.max(1, this.passages));
    this.meanFileLength = Math.max(1, length / Math.max(1, this.files));
  }

  /** How many passages contain a term. */
  holders(term: string): number {
    return this.views.reduce((sum, view) => sum + holdersOf(view, term), 0);
  }

  /** Whether so many passages of a large memory contain a term that it finds none of them by itself. */
  isCommon(term: string): boolean {
    return this.passages > LARGE && this.holders(term) > this.passages * COMMON;
  }

  /** Inverse frequency of a term among passages; a term in no passage has the highest. */
  idf(term: string): number {
    return inverseFrequency(this.passages, this.holders(term));
  }
}

/** How many passages of current files contain a term. */
function holdersOf({ segment, dead }: SegmentView, term: string): number {
  let holders = segment.holders(term);
  if (holders === 0 || dead === undefined || dead.size === 0) return holders;
  const ids = segment.postings(term)?.ids ?? new Uint32Array();
  for (const file of dead) {
    const [start, end] = [segment.head.starts[file] ?? 0, segment.head.starts[file + 1] ?? 0];
    holders -= lowerBound(ids, end) - lowerBound(ids, start);
  }
  return holders;
}
