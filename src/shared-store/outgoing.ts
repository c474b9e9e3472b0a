import { redactSecrets } from '../base/safety/index.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { type Revision, replay, type Spaces } from '../session/journal.ts';
import { mergeText } from '../session/merge.ts';
import type { History } from '../session/store.ts';
import type { RemoteRevision } from './remote.ts';

/** Makes a text safe to leave this machine. Keeps the number of lines; idempotent. */
export type Outgoing = (text: string) => string;

/**
 * Prepares every text for sending: secrets are redacted unless the server is trusted with them. NUL and lone
 * surrogates, which a text column cannot hold, are always replaced.
 */
export function outgoing(redact: boolean): Outgoing {
  return (text) => (redact ? redactSecrets(text) : text).replaceAll('\0', '\u2400').toWellFormed();
}

export function eachSpace(change: (space: SpaceName) => string): Spaces {
  return Object.fromEntries(SPACE_NAMES.map((space) => [space, change(space)])) as Record<SpaceName, string>;
}

/**
 * The server's text with the redacted parts restored in lines that nobody has changed since, so that this
 * machine keeps its own text.
 * @param base the text that was sent, before redaction
 */
export function restored(server: string, base: string, send: Outgoing): string {
  const sent = send(base);
  return sent === base ? server : mergeText(sent, base, server).content;
}

/** A local revision that came from the shared pad: nothing in it is to be sent. */
export const PULL = 'pull';

/** The state when the local pad and the shared one were last the same. What the journal has after it is unsent. */
export interface PadState {
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

interface Outbox {
  /** One for each space that differs from the shared one. */
  rows: RemoteRevision[];
  /** The local revisions in them. */
  revisions: readonly Revision[];
  /** All operations that may have been sent without an answer. */
  operations: string[];
  /** The local spaces, and the same as they may leave this machine. */
  spaces: Spaces;
  sending: Spaces;
}

/** What of a session is not in the shared pad. */
export function outboxOf(
  journal: History,
  state: PadState,
  { outgoing: send, replica }: SyncOptions,
): Outbox {
  const spaces = replay(journal.revisions, journal.base);
  const sending = eachSpace((space) => send(spaces[space]));
  const after = journal.revisions.filter(({ rev }) => state.sent !== undefined && rev > state.sent);
  const revisions = after.filter(({ op }) => op !== PULL);
  // Without revisions since: the first exchange, a truncated journal, changed settings.
  const now = after.at(-1) ?? {
    rev: lastOf(journal),
    id: `${journal.revisions.at(-1)?.id}-${state.revision}`,
  };
  const operation = ({ rev, id }: Pick<Revision, 'rev' | 'id'>, space: SpaceName): string =>
    `${rev}-${id}-${space}-${replica}`;
  const differing = SPACE_NAMES.filter((space) => sending[space] !== send(state.spaces[space]));
  const rows = differing.map((space): RemoteRevision => {
    const made = revisions.findLast((revision) => revision.space === space);
    const conflict = state.conflicts[space];
    return {
      operation: operation(now, space),
      space,
      content: sending[space],
      op: made?.op ?? 'share',
      by: made?.by ?? 'merge',
      actor: made?.actor,
      made: made?.timestamp ?? journal.revisions.at(-1)?.timestamp ?? new Date().toISOString(),
      conflict: conflict === undefined ? undefined : send(conflict),
    };
  });
  const operations = [...after, now].flatMap((each) => SPACE_NAMES.map((space) => operation(each, space)));
  return { rows, revisions, operations, spaces, sending };
}

export function revisionIn(operation: string): number {
  return Number.parseInt(operation, 10);
}

export function lastOf({ revisions }: History): number {
  return revisions.at(-1)?.rev ?? 0;
}
