/** What the trail knows about, in the order in which it matters to somebody who takes over. */
export const KINDS = [
  'task',
  'question',
  'check',
  'failing',
  'rejected',
  'interrupted',
  'instruction',
  'decision',
  'plan',
  'edited',
  'commit',
  'reference',
  'file',
  'command',
] as const;

export type Kind = (typeof KINDS)[number];

/** Longest text of a fact, in UTF-16 units. */
export const FACT_CHARACTERS = 200;
/** Most facts that a trail gives. */
export const MOST_FACTS = 400;

/** Something that the session's own records prove. */
export interface Fact {
  /** Stable while the fact is the same one, for `trail forget`. */
  id: string;
  kind: Kind;
  /** One line without secrets. */
  text: string;
  /** Where it was learned: a byte offset in the transcript, or a sequence number in a database. */
  place: number;
  /** When, ISO 8601 in UTC, where the host tells. */
  time?: string;
  /** What it was learned from, in words. */
  why: string;
  /** False when it has ended: shown by `scratchpad trail`, never said to a model. */
  open: boolean;
  /** Said to hold from then on, past the session in which it was said. */
  standing?: true;
}
