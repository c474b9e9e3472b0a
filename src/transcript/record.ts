import type { CallFacts } from './calls/index.ts';
import type { Call, EventPlace, Facts, SessionEvent } from './event.ts';
import type { CustomEntry, Skipped } from './types.ts';

/** What a finished tool call did. */
export interface Did extends EventPlace {
  type: 'did';
  facts: CallFacts;
}

/** An event of the conversation. */
export type ItemContent = Extract<SessionEvent, { id: string; at: number }> | Did;

/** An event that the record keeps. `n` is the position of its record in the turn. */
export type Item = { n: number } & ItemContent;

/** What follows one prompt of the person, up to the next one. */
export interface Turn {
  /** Position of the turn that it continues, and up to which of its records; null for the first. */
  after: { turn: number; upTo: number } | null;
  /** How many records it has. */
  size: number;
  /** Short ids of its records, if it is a recent turn; empty for a record without an id. */
  ids: string[];
  items: Item[];
}

/** All that is known of a session, read forward once: the one thing that stages, hand-over and hooks ask. */
export interface SessionRecord {
  format: string;
  /** What its records are called that were taken back. */
  takenBack: string;
  /** The host's id, the model, the branch and so on, as last said. */
  facts: Omit<Facts, 'type'>;
  /** The person's first words, if they are before what was read. */
  opening?: string;
  title?: { text: string; by: 'person' | 'host' };
  /** A tree: a turn that was taken back stays until it is old, because a host may return to it. */
  turns: Turn[];
  /** The newest place of the conversation; null if nothing was said, or all was taken back. */
  leaf: { turn: number; upTo: number } | null;
  /** Calls without a result yet. */
  pending: Call[];
  /** Our entries in the file. */
  entries: CustomEntry[];
  /** Words typed while the agent worked, that may be written again as a prompt. */
  queued: { id: string; text: string }[];
  /** How often the latest words were written in each form, if a host writes them several times. */
  copies: { key: string; messages: number; ways: Record<string, number> }[];
  skipped: Skipped[];
  /** Whether the environment made a call fail. */
  fails: boolean;
  /** Length of the conversation in estimated tokens: words, plus a tenth of everything else. */
  talk: number;
  /** The last times something was taken back, by where in the file: what was after `to` went at `at`. */
  rewinds: { at: number; to: number; time?: string }[];
  /** Times of the first and the last event, ISO 8601. */
  began?: string;
  updated?: string;
  /** Bytes at the start of the file that were not read. */
  unread: number;
}

export function newRecord(format: { name: string; takenBack?: string }): SessionRecord {
  return {
    format: format.name,
    takenBack: format.takenBack ?? 'taken back',
    facts: {},
    turns: [],
    leaf: null,
    pending: [],
    entries: [],
    queued: [],
    copies: [],
    skipped: [],
    fails: false,
    talk: 0,
    rewinds: [],
    unread: 0,
  };
}

/** A part of the conversation: a turn up to one of its records. */
export interface Part {
  /** Position in `turns`. */
  index: number;
  turn: Turn;
  upTo: number;
}

/** The conversation as it stands, oldest turn first: what was taken back is left out. */
export function pathOf(record: SessionRecord, leaf = record.leaf): Part[] {
  const path: Part[] = [];
  for (let at = leaf; at !== null; ) {
    const turn: Turn | undefined = record.turns[at.turn];
    if (turn === undefined) break;
    path.push({ index: at.turn, turn, upTo: at.upTo });
    at = turn.after;
  }
  return path.reverse();
}

/** The items of the conversation as it stands, turn by turn, oldest first. */
export function turnsOf(record: SessionRecord): Item[][] {
  return pathOf(record).map(({ turn, upTo }) => turn.items.filter(({ n }) => n <= upTo));
}

/** The items of the conversation as it stands, oldest first. */
export const itemsOf = (record: SessionRecord): Item[] => turnsOf(record).flat();

export const isPrompt = (event: { type: string; voice?: string }): boolean =>
  event.type === 'plan' || (event.type === 'person' && event.voice === 'prompt');
