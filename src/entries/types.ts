/** What is known of an entry without reading it. */
export interface EntryInfo {
  name: string;
  bytes: number;
  /** Code points; each byte that is no UTF-8 counts as one. */
  characters: number;
  /** ISO 8601, UTC. */
  created: string;
  updated: string;
  /** How it came here, for people: `write`, `file: notes.csv`, `command: npm test (exit 1)`. */
  origin: string;
  /** Lent by another session: it can be read, and nothing else. */
  readOnly: boolean;
  /** The host session that it was kept for: other agents can read it, and nothing else. */
  owner?: string;
}

/** What an entry was before it was overwritten or deleted, while that is kept. */
export interface PastEntryInfo extends Omit<EntryInfo, 'characters'> {
  /** `null` until somebody has counted them. */
  characters: number | null;
  /** When it was overwritten or deleted: ISO 8601, UTC. */
  until: string;
}

/** What an entry is made from. Streams are written as they come, never held. */
export type EntrySource = string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface ReadRange {
  /** Characters to pass over; 0 unless given. */
  offset?: number;
  /** Most characters to return; 30,000 unless given. */
  limit?: number;
}

/** A piece of an entry. Bytes that are no UTF-8 read as U+FFFD; `bytes()` has them as they are. */
export interface EntryText {
  name: string;
  content: string;
  offset: number;
  /** Characters in `content`. */
  characters: number;
  /** Characters in the entry. */
  total: number;
  /** Where the next piece starts, `null` at the end. */
  nextOffset: number | null;
}

export interface SearchOptions {
  ignoreCase?: boolean;
  /** Lines to show before and after each match; 0 unless given. */
  context?: number;
  /** Most matching lines; 100 unless given, and never more. */
  limit?: number;
  /** Characters to pass over before the search begins. Line numbers count from there. */
  offset?: number;
  /** Milliseconds after which a search stops and says how far it came; 20,000 unless given. */
  maxMs?: number;
}

export interface MatchedLine {
  /** From 1. */
  line: number;
  text: string;
  /** False for a line that is there as context only. */
  match: boolean;
}

export interface EntryMatches {
  name: string;
  lines: MatchedLine[];
  /** Matching lines in `lines`. */
  matches: number;
  /** Where to go on searching, in characters, when the limit or the time ended the search; else `null`. */
  nextOffset: number | null;
  /** Line number of the first line at `nextOffset`. */
  nextLine: number | null;
}

/** A full overwrite, or one replacement. */
export type EntryEdit = { content: string } | { oldString: string; newString: string; replaceAll?: boolean };

export interface WriteOptions {
  origin?: string;
  /** Add to what is there instead of replacing it. */
  append?: boolean;
}

/** A session's named contents of any size, kept out of the conversation until they are asked for. */
export interface Entries {
  /** Oldest first. */
  list(): Promise<EntryInfo[]>;
  /** @throws ScratchpadError `refused` when no entry has that name. */
  info(name: string): Promise<EntryInfo>;
  /** Stores content under a name; what had the name before is overwritten. */
  write(name: string, content: EntrySource, options?: WriteOptions): Promise<EntryInfo>;
  /** @throws ScratchpadError `refused` when no entry has that name. */
  read(name: string, range?: ReadRange): Promise<EntryText>;
  /** The entry as it is, in pieces. */
  bytes(name: string): AsyncGenerator<Buffer>;
  /**
   * The lines that match a regular expression (RE2 syntax, linear time).
   * @throws ScratchpadError `usage` for a pattern that the engine does not take.
   */
  search(name: string, pattern: string, options?: SearchOptions): Promise<EntryMatches>;
  /** @throws ScratchpadError `refused` with the number of matches when `oldString` is not there exactly once, unless `replaceAll`. */
  edit(name: string, edit: EntryEdit): Promise<EntryInfo & { replaced: number }>;
  /**
   * The last versions of a name are kept for a while, `undelete` brings them back; with `forGood` nothing is.
   * @throws ScratchpadError `refused` when no entry has that name, or when it is too large to be kept.
   */
  delete(name: string, options?: { forGood?: boolean }): Promise<void>;
  /**
   * Gives a name what it held before it was overwritten or deleted; what it holds now is kept in turn.
   * @param back how many versions back, 1 unless given
   * @throws ScratchpadError `refused` when nothing of that name is kept, or not so much.
   */
  undelete(name: string, back?: number): Promise<EntryInfo>;
  /** What `undelete` can bring back, oldest first. */
  past(): Promise<PastEntryInfo[]>;
  /** @throws ScratchpadError `refused` when `to` is taken, unless `force`. */
  rename(from: string, to: string, options?: { force?: boolean }): Promise<EntryInfo>;
  /**
   * Puts several entries one after the other into one, each on lines of its own.
   * @throws ScratchpadError `refused` when `into` is taken by an entry that is none of `names`, unless `force`.
   */
  merge(into: string, names: readonly string[], options?: MergeOptions): Promise<EntryInfo>;
}

export interface MergeOptions {
  /** Stands between two entries; a line end, where one is missing, unless given. */
  separator?: string;
  /** Delete the parts afterwards. */
  remove?: boolean;
  force?: boolean;
}
