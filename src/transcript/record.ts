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

/** An event that the record keeps. */
export type Item = ItemContent;

/** One record of the file, as far as it has a place in the conversation. */
export interface Entry {
  /** Its short id; empty if it has none. */
  id: string;
  /** Position of the entry that it continues; null for the first. */
  up: number | null;
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
  /** A tree: what was taken back stays until it is old, because a host may return to it. */
  entries: Entry[];
  /** Position of the newest entry of the conversation; null if nothing was said, or all was taken back. */
  leaf: number | null;
  /** Calls without a result yet. */
  pending: Call[];
  /** What an agent stored for us in the file. */
  ours: CustomEntry[];
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
    entries: [],
    leaf: null,
    pending: [],
    ours: [],
    queued: [],
    copies: [],
    skipped: [],
    fails: false,
    talk: 0,
    rewinds: [],
    unread: 0,
  };
}

/** Positions of the entries of the conversation as it stands, oldest first: what was taken back is left out. */
export function pathOf({ entries, leaf }: Pick<SessionRecord, 'entries' | 'leaf'>): number[] {
  const path: number[] = [];
  for (let at = leaf; at !== null; at = entries[at]?.up ?? null) path.push(at);
  return path.reverse();
}

/** The items of the conversation as it stands, oldest first. */
export const itemsOf = (record: SessionRecord): Item[] =>
  pathOf(record).flatMap((at) => record.entries[at]?.items ?? []);

/** The same by turns: what follows each prompt of the person, up to the next one. */
export function turnsOf(record: SessionRecord): Item[][] {
  const turns: Item[][] = [];
  for (const item of itemsOf(record)) {
    const turn = isPrompt(item) ? undefined : turns.at(-1);
    if (turn === undefined) turns.push([item]);
    else turn.push(item);
  }
  return turns;
}

export const isPrompt = (event: { type: string; voice?: string }): boolean =>
  event.type === 'plan' || (event.type === 'person' && event.voice === 'prompt');

/** Sets the fields that have a value. */
export function assignGiven<Target extends object>(target: Target, values: Partial<Target>): void {
  for (const [key, value] of Object.entries(values))
    if (value !== undefined) Object.assign(target, { [key]: value });
}
