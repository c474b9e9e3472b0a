/** The kinds of facts, in order of importance to a successor. */
export const KINDS = [
  'recap',
  'title',
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

/** Maximum length of a fact's text, in UTF-16 units. */
export const FACT_CHARACTERS = 200;
/** Maximum number of facts in a trail. */
export const MOST_FACTS = 400;

/** A fact that the session's own records prove. */
export interface Fact {
  /** Stable for the same fact, for `trail forget`. */
  id: string;
  kind: Kind;
  /** One line without secrets, of up to 200 characters; 300 for a recap. */
  text: string;
  /** Its source: a byte offset in the transcript, or a sequence number in a database. */
  place: number;
  /** Id of the session that `place` is in, if it is an earlier one. */
  session?: string;
  /** When, ISO 8601 in UTC, if the host records it. */
  time?: string;
  /** The reason for it, in words. */
  why: string;
  /** False if it has ended: `scratchpad trail --all` shows it, a model is never told. */
  open: boolean;
  /** Meant to apply beyond the session in which it was said. */
  standing?: true;
  /** When an instruction ends that names a later day or an event, ISO 8601; it applies beyond the session until then. */
  until?: string;
  /** Commits by others since a failed check, and since its failures: they may have mended them. */
  commitsSince?: number;
  /** The model no longer sees its source, or it is far back: another session, before a compaction, many turns ago. */
  far?: true;
}

/** The current facts of a kind. */
export function openFacts(facts: readonly Fact[], kind: Kind): Fact[] {
  return facts.filter((fact) => fact.kind === kind && fact.open);
}
