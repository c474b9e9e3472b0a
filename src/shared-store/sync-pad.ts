import { ScratchpadError } from '../base/errors.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { NO_SPACES, replay } from '../session/journal.ts';
import { mergeText } from '../session/merge.ts';
import type { Conflict } from '../session/reconcile.ts';
import type { Change, History, SessionStore } from '../session/store.ts';
import {
  eachSpace,
  lastOf,
  outboxOf,
  type PadState,
  PULL,
  restored,
  revisionIn,
  type SyncOptions,
} from './outgoing.ts';
import { DamagedRow, type Pulled, type Remote } from './remote.ts';

const FRESH: PadState = { revision: 0, mark: null, spaces: NO_SPACES, sent: undefined, conflicts: {} };

/** One session on this machine, and the stored state of its exchange with the shared store. */
export interface LocalPad {
  store: SessionStore;
  state(): PadState | undefined;
  keep(state: PadState): void;
  /** Keeps both sides of a conflict, and returns where. */
  keepConflict(conflict: Conflict): string;
}

export interface PadSync {
  /** Number of spaces sent. */
  sent: number;
  /** Whether the local pad was changed. */
  changed: boolean;
  notices: string[];
}

/** Attempts if somebody else is faster each time; the next exchange continues. */
const ATTEMPTS = 40;
const LONGEST_PAUSE_MS = 60;

const MERGE = 'merge';

/**
 * Synchronizes one session's pad. The local journal is authoritative on this machine: what the shared pad
 * lacks is sent, in one step that the store refuses if somebody else was faster. Then their text is merged
 * here, three-way, like an edit of an old copy of the file, and it is tried again. A kill or a lost
 * connection at any point causes a repetition, and never loses text: the state stored here can only be
 * behind, and an operation that has arrived is recognized.
 */
export async function syncPad(
  local: LocalPad,
  remote: Remote,
  session: string,
  options: SyncOptions,
): Promise<PadSync> {
  const report: PadSync = { sent: 0, changed: false, notices: [] };
  let pulled = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const state = local.state() ?? FRESH;
    const journal = await adopted(local.store);
    const { rows, operations, spaces, sending } = outboxOf(journal, state, options);
    if (rows.length > 0 && state.sent !== undefined) {
      const batch = { since: state.revision, revisions: rows, spaces: sending };
      const revision = await remote.push(session, batch);
      if (revision !== 'behind') {
        const mark = rows.at(-1)?.operation ?? null;
        local.keep({ revision, mark, spaces, sent: lastOf(journal), conflicts: {} });
        report.sent += rows.length;
        return report;
      }
    } else if (pulled) {
      local.keep({ ...state, sent: lastOf(journal) });
      return report;
    }
    const news = await remote.pull(session, state.revision, operations);
    await takeIn(local, news, state, options, report).catch(damaged);
    pulled = true;
    if (attempt > 1) await pause(attempt);
  }
  report.notices.push('others keep changing the shared pad: unsent changes go with the next attempt');
  return report;
}

/**
 * How many revisions of a session are not in the shared store yet, with edits of the file that no command has
 * recorded.
 */
export async function unsentOf(
  store: SessionStore,
  state: PadState | undefined,
  options: SyncOptions,
): Promise<number> {
  const { exists, spaces } = await store.read();
  if (!exists) return 0;
  const journal = await store.history();
  const { rows, revisions, spaces: journalled } = outboxOf(journal, state ?? FRESH, options);
  const edited = SPACE_NAMES.filter((space) => spaces[space] !== journalled[space]);
  return (rows.length === 0 ? 0 : Math.max(rows.length, revisions.length)) + edited.length;
}

/** The journal, after recording what a person wrote into the file. */
async function adopted(store: SessionStore): Promise<History> {
  const { exists, spaces } = await store.read();
  const journal = await store.history();
  const journalled = replay(journal.revisions, journal.base);
  if (!exists || SPACE_NAMES.every((space) => spaces[space] === journalled[space])) return journal;
  await store.change(() => []);
  return store.history();
}

/** Merges what others did into the local pad, and records the common state. */
async function takeIn(
  local: LocalPad,
  news: Pulled,
  known: PadState,
  options: SyncOptions,
  report: PadSync,
): Promise<void> {
  let state = known;
  const arrived = news.landed.at(-1);
  if (arrived !== undefined) state = await afterArrival(local.store, state, arrived);
  const strange = arrived === undefined && isAnother(news, state);
  if (strange) {
    report.notices.push('the shared pad has a different history than before: both texts are kept');
    state = { ...FRESH, sent: state.sent };
  }
  const theirs = eachSpace((space) => restored(news.spaces[space], state.spaces[space], options.outgoing));
  const conflicts = { ...state.conflicts };
  const merged = await mergedIn(local, state, { spaces: theirs, actors: news.actors }, conflicts, report);
  const own = new Set(news.landed.map(({ operation }) => operation));
  for (const { operation, space, replaced, content } of news.conflicts)
    if (!own.has(operation))
      report.notices.push(local.keepConflict({ space, acknowledged: replaced, file: content }));
  const { revision, mark } = news;
  report.changed ||= merged;
  const sent = state.sent ?? lastOf(await local.store.history());
  local.keep({ revision, mark, spaces: theirs, sent, conflicts });
}

/** What others wrote may be too large for a pad, or otherwise none. */
function damaged(error: unknown): never {
  const ofData = error instanceof ScratchpadError && error.kind !== 'environment';
  throw ofData ? new DamagedRow(error.message) : error;
}

/** Whether the shared history differs from the one that this machine knew. */
function isAnother({ revision, sinceMark }: Pulled, state: PadState): boolean {
  return state.revision > 0 && (revision < state.revision || sinceMark !== state.mark);
}

/** The state after a batch that was stored although no answer came. */
async function afterArrival(
  store: SessionStore,
  state: PadState,
  { operation, revision, last }: Pulled['landed'][number],
): Promise<PadState> {
  const { revisions, base } = await store.history();
  const sent = revisionIn(operation);
  const spaces = last
    ? replay(
        revisions.filter(({ rev }) => rev <= sent),
        base,
      )
    : state.spaces;
  return { revision, mark: operation, spaces, sent, conflicts: last ? {} : state.conflicts };
}

/** @returns whether the local pad was changed */
async function mergedIn(
  local: LocalPad,
  { spaces: base }: PadState,
  { spaces: theirs, actors }: Pick<Pulled, 'spaces' | 'actors'>,
  conflicts: Partial<Record<SpaceName, string>>,
  report: PadSync,
): Promise<boolean> {
  if (SPACE_NAMES.every((space) => theirs[space] === base[space])) return false;
  const { revisions } = await local.store.change(({ spaces }) => {
    const changes: Change[] = [];
    for (const space of SPACE_NAMES) {
      // Additions of both sides stay, theirs first, since everybody has them already. If both changed a line, ours stays.
      const { content, conflict } = mergeText(base[space], theirs[space], spaces[space]);
      if (conflict) {
        conflicts[space] = theirs[space];
        const notice = local.keepConflict({ space, acknowledged: theirs[space], file: spaces[space] });
        report.notices.push(notice);
      }
      if (content === spaces[space]) continue;
      const op = spaces[space] === base[space] ? PULL : MERGE;
      changes.push({ space, content, op, actor: actors[space] ?? {} });
    }
    return changes;
  }, 'remote');
  return revisions.length > 0;
}

function pause(attempt: number): Promise<void> {
  const ms = Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt);
  return new Promise((resolve) => setTimeout(resolve, ms));
}
