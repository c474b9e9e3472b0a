import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type Revision, replay, type Spaces } from '../session/journal.ts';
import type { History } from '../session/store.ts';
import { eachSpace, type Outgoing } from './outgoing.ts';
import type { RemoteRevision } from './remote.ts';

/** Most revisions in one batch, and most characters. */
const MOST_REVISIONS = 500;

const MOST_CHARACTERS = 4_000_000;

/** A local revision that came from the shared pad: nothing in it is to be sent. */
export const PULL = 'pull';

interface Outbox {
  revisions: RemoteRevision[];
  /** All operations that may have been sent without an answer. */
  operations: string[];
  /** The local spaces, and the same as they may leave this machine. */
  spaces: Spaces;
  sending: Spaces;
}

export function outboxOf(journal: History, state: PadState, { outgoing, replica }: SyncOptions): Outbox {
  const spaces = replay(journal.revisions, journal.base);
  const there = { ...eachSpace((space) => outgoing(state.spaces[space])) };
  const revisions: RemoteRevision[] = [];
  const operations: string[] = [];
  for (const revision of journal.revisions) {
    // Before the first exchange the current texts are shared, without their history.
    if (state.sent === undefined || revision.rev <= state.sent || revision.op === PULL) continue;
    const operation = operationOf(revision, replica);
    operations.push(operation);
    const content = outgoing(revision.content);
    const { space, op, by, actor, timestamp: made } = revision;
    if (content === there[space]) continue;
    there[space] = content;
    revisions.push({ operation, space, content, op, by, made, actor });
  }
  const sending = eachSpace((space) => outgoing(spaces[space]));
  const last = journal.revisions.at(-1);
  for (const space of SPACE_NAMES) {
    if (sending[space] === there[space]) continue;
    // Changes that no journal revision explains: a truncated journal, changed settings.
    const operation = `${last?.rev ?? 0}-${space}-${last?.id ?? 'none'}-${state.revision}-${replica}`;
    operations.push(operation);
    const made = last?.timestamp ?? new Date().toISOString();
    revisions.push({ operation, space, content: sending[space], op: 'share', by: 'merge', made });
  }
  for (const space of SPACE_NAMES) {
    const conflict = state.conflicts[space];
    const row = revisions.findLast((revision) => revision.space === space);
    if (conflict !== undefined && row !== undefined) row.conflict = outgoing(conflict);
  }
  return { revisions, operations, spaces, sending };
}

function operationOf({ rev, id }: Revision, replica: string): string {
  return `${rev}-${id}-${replica}`;
}

/** The local revision of an operation id. */
export function revisionIn(operation: string): number {
  return Number.parseInt(operation, 10);
}

interface Next {
  batch: { revisions: RemoteRevision[]; spaces: Spaces | undefined };
  /** The state after it was stored. */
  after: PadState;
}

/**
 * As many revisions as fit in one batch. Only the last batch changes the shared spaces: earlier ones may
 * contain texts from before a merge.
 */
export function nextBatch({ revisions, spaces, sending }: Outbox, state: PadState, journal: History): Next {
  let characters = 0;
  const fits = revisions.findIndex(({ content }, k) => {
    characters += content.length;
    return k === MOST_REVISIONS || (k > 0 && characters > MOST_CHARACTERS);
  });
  if (fits === -1) {
    const mark = revisions.at(-1)?.operation ?? null;
    const after = { revision: 0, mark, spaces, sent: lastOf(journal), conflicts: {} };
    return { batch: { revisions, spaces: sending }, after };
  }
  const some = revisions.slice(0, fits);
  const mark = some.at(-1)?.operation ?? null;
  return {
    batch: { revisions: some, spaces: undefined },
    after: { ...state, mark, sent: revisionIn(mark ?? '') },
  };
}

export function lastOf({ revisions }: History): number {
  return revisions.at(-1)?.rev ?? 0;
}

/**
 * The state when the local pad and the shared one were last the same. What the journal has after it is to be
 * sent.
 */
export interface PadState {
  /** The shared pad's revision. */
  revision: number;
  /** The operation of that revision: after a backup was restored, another operation has its number. */
  mark: string | null;
  /** The shared spaces at that revision, in this machine's unredacted text. */
  spaces: Spaces;
  /** The newest local revision in them; `undefined` before the first exchange. */
  sent: number | undefined;
  /** Texts that conflicts replaced here, not yet reported to the others. */
  conflicts: Partial<Record<SpaceName, string>>;
}

export interface SyncOptions {
  outgoing: Outgoing;
  /** Identifies this working copy in operation ids. */
  replica: string;
}
