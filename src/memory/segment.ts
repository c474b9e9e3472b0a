import { LONGEST_BLOCK, type Passage } from './passages.ts';

/** The passages that contain a term, ascending, with its weight in quarters of a mention. */
export interface Postings {
  ids: Uint32Array;
  units: Uint8Array;
}

/** A full mention in a passage's own words counts this many units; one in a title above it counts one. */
export const UNITS_BODY = 4;

export const FLAG_TITLE = 1;
/** The passage ends in a question. */
export const FLAG_QUESTION = 2;
/** It has a word of time, or a number. */
export const FLAG_TIME = 4;
export const FLAG_NUMBER = 8;

/** A file's state when it was read. */
export interface SourceFile {
  /** Relative to the workspace, forward slashes; absolute for a file elsewhere, added by the config. */
  path: string;
  size: number;
  /** Times of the last change of the text and of the file itself, in milliseconds; -1 if too recent to trust. */
  mtime: number;
  ctime: number;
  /** Day number (days since 1970-01-01) from the file's name; -1 if it has none. */
  day: number;
}

/** A passage's position, and a check value of its lines when they were read. */
export interface PassagePlace {
  line: number;
  startLine: number;
  endLine: number;
  piece: number;
  check: number;
}

/**
 * A searchable set of files, in memory or in an index file. Passages are numbered across all files in order, so that
 * neighbours in a file are neighbours here.
 */
export interface Segment {
  readonly passages: number;
  readonly files: number;
  /** Sum of all passage lengths. */
  readonly length: number;
  /** Length of each passage in terms; titles count a quarter. */
  readonly lengths: Uint16Array;
  readonly flags: Uint8Array;
  /** First passage of each file, and finally the number of passages. */
  readonly starts: Uint32Array;
  /** Day number of each file, -1 for none. */
  readonly days: Int32Array;
  /** Sum of the lengths of each file's passages. */
  readonly fileLengths: Uint32Array;
  /** Whether any line may name its author. */
  readonly hasAuthors: boolean;
  /** How many passages contain a term: all that is needed for most query words. */
  holders(term: string): number;
  postings(term: string): Postings | undefined;
  file(file: number): SourceFile;
  place(passage: number): PassagePlace;
}

/**
 * The file that contains a passage, searching from one that is not after it.
 *
 * @param starts the first passage of each file, and the number of passages
 */
export function fileFrom(starts: Uint32Array, from: number, passage: number): number {
  let file = from;
  while (file + 1 < starts.length && passage >= (starts[file + 1] ?? 0)) file++;
  return file;
}

/** Check value (FNV-1a, 32 bits) over the lines of a passage's block. */
export function checkOf(lines: readonly string[], passage: Pick<Passage, 'startLine' | 'endLine'>): number {
  let hash = 0x811c9dc5;
  for (let i = passage.startLine - 1; i < passage.endLine; i++) {
    const line = (lines[i] ?? '').slice(0, LONGEST_BLOCK);
    for (let k = 0; k < line.length; k++) hash = Math.imul(hash ^ line.charCodeAt(k), 0x01000193);
    hash = Math.imul(hash ^ 10, 0x01000193);
  }
  return hash >>> 0;
}
