export interface EntryInfo {
  name: string;
  bytes: number;
  /** Code points of the text, in which U+FFFD stands for what is not UTF-8. */
  characters: number;
  /** ISO 8601, UTC. */
  created: string;
  updated: string;
  /** Its source, for people: `write`, `file: notes.csv`, `command: npm test (exit 1)`. */
  origin: string;
  /** Lent by another session: it can only be read. */
  readOnly: boolean;
  /** The host session that it was kept for: other agents can only read it. */
  owner?: string | undefined;
  /** After a write, what the name held before; `undelete` restores it. */
  former?: EntryInfo;
}

/** A version of an entry from before it was overwritten or deleted, while it is kept. */
export interface PastEntryInfo extends EntryInfo {
  /** When it was overwritten or deleted: ISO 8601, UTC. */
  until: string;
}

export interface ReadRange {
  /** Characters to skip; default 0. */
  offset?: number | undefined;
  /** Most characters to return; default 30,000. */
  limit?: number | undefined;
}

/** Part of an entry. What is not UTF-8 is decoded as U+FFFD; `bytes()` returns it unchanged. */
export interface EntryText {
  name: string;
  content: string;
  offset: number;
  characters: number;
  total: number;
  /** Offset of the next piece; `null` at the end. */
  nextOffset: number | null;
}

export interface SearchOptions {
  ignoreCase?: boolean | undefined;
  /** Lines to show before and after each match; default 0. */
  context?: number | undefined;
  /** Most matching lines; default and maximum 100. */
  limit?: number | undefined;
  /** Characters to skip: the search begins with the line that holds the next one. Line numbers are the entry's. */
  offset?: number | undefined;
  /** Milliseconds after which a search stops and says how far it came; default 20,000. */
  maxMs?: number | undefined;
}

export interface MatchedLine {
  /** From 1. */
  line: number;
  text: string;
  /** False for a line that is only context. */
  match: boolean;
}

export interface EntryMatches {
  name: string;
  lines: MatchedLine[];
  matches: number;
  /** Offset in characters at which to continue, if the limit or the time ended the search; else `null`. */
  nextOffset: number | null;
  /** Line number of the line at `nextOffset`. */
  nextLine: number | null;
}

export type EntryEdit =
  | { content: string }
  | { oldString: string; newString: string; replaceAll?: boolean | undefined };

export interface WriteOptions {
  origin?: string | undefined;
  append?: boolean | undefined;
}

export interface IndexedEntry extends EntryInfo {
  file: string;
  /** Renamed, or written by a person: it stays when its session has ended. */
  kept?: boolean | undefined;
}

export interface EntryCommit {
  /** The origin for the list of entries; `undefined` keeps the origin of the replaced entry. */
  origin: string | undefined;
  /** The host session that it is stored for. */
  owner?: string;
  /** Whether the replaced content becomes no past version, as when the new one contains it. */
  withoutPast?: boolean;
}

/** The index of a session's entries: the only file that says which entries exist. */
export interface EntryIndex {
  entries: IndexedEntry[];
  /** The last number used for each automatic name. */
  counters: Record<string, number>;
  /** Overwritten or deleted contents that are still kept, oldest first. */
  past: PastEntry[];
}

export type PastEntry = IndexedEntry & PastEntryInfo;
