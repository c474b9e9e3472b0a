import { randomBytes } from 'node:crypto';
import { redactSecrets } from '../base/safety/index.ts';
import { parseJson } from '../base/text/json.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { readActor } from '../session/actor.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import { mergeText } from '../session/merge.ts';
import type { Conflict } from '../session/reconcile.ts';
import type { Change, SessionStore } from '../session/store.ts';
import type { Remote } from './remote.ts';
import type { ExchangeReport, PadState, PullResult } from './types.ts';

export interface LocalPad {
  readonly store: Pick<SessionStore, 'read' | 'change'>;
  readonly synced: { pad?: PadState };
  saveSynced(news: { pad: PadState }): void;
  /** Keeps both sides of a conflict, and returns where. */
  keepConflict(conflict: Conflict): string;
}

const NOTHING: PadState = { revision: 0, mark: null, spaces: NO_SPACES };
/** Attempts if somebody else is faster each time; the next sync continues. */
const ATTEMPTS = 20;

/**
 * Synchronizes one session's pad. What others did is merged into the local pad, three-way, like an edit of an old copy
 * of the file; then what the shared pad lacks is sent, in one step that the store refuses if somebody else was faster.
 * A kill or a lost connection at any point causes a repetition, and never loses text: the state kept here can only be
 * behind.
 */
export async function sync(
  local: LocalPad,
  remote: Pick<Remote, 'pull' | 'push'>,
  session: string,
  redact: boolean,
  report: ExchangeReport,
): Promise<void> {
  const { notices } = report;
  const redactText = (text: string): string => redactForStore(text, redact);

  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const synced = local.synced.pad ?? NOTHING;
    const news = await remote.pull(session, synced.revision, synced.sending?.mark);
    const base = chooseBase(synced, news, notices);
    const theirs = eachSpace((space) => restoreRedacted(news.spaces[space], base.spaces[space], redactText));
    if (SPACE_NAMES.some((space) => theirs[space] !== base.spaces[space])) {
      const isChanged = await mergeTheirs(local, base.spaces, theirs, news.rows, notices);
      if (isChanged) report.received += 1;
    }

    const { revision, mark } = news;
    const state: PadState = { revision, mark, spaces: theirs };
    local.saveSynced({ pad: state });

    const { spaces, changed } = await local.store.read();
    const outgoing = eachSpace((space) => redactText(spaces[space]));
    const operation = randomBytes(8).toString('hex');
    const changedSpaces = SPACE_NAMES.filter((space) => outgoing[space] !== redactText(theirs[space]));
    const changes = changedSpaces.map((space) => {
      return { operation: `${operation}-${space}`, space, actor: changed?.[space]?.actor };
    });
    const last = changes.at(-1);
    if (last === undefined) return;

    const sending = { mark: last.operation, spaces };
    local.saveSynced({ pad: { ...state, sending } });
    const sent = await remote.push(session, { since: revision, changes, spaces: outgoing });
    if (sent === 'behind') continue;

    local.saveSynced({ pad: { ...sending, revision: sent } });
    report.sent += changes.length;
    return;
  }

  notices.push('others keep changing the shared pad: unsent changes go with the next attempt');
}

/** The pad that both sides had last: what was sent without an answer, if it has arrived; nothing after another history. */
function chooseBase(synced: PadState, news: PullResult, notices: string[]): PadState {
  if (news.landed !== null && synced.sending) return { ...synced.sending, revision: news.landed };

  const isNewer = news.revision >= synced.revision && news.sinceMark === synced.mark;
  if (synced.revision === 0 || isNewer) return synced;

  notices.push('the shared pad has a different history than before: both texts are kept');
  return NOTHING;
}

/** @returns whether that changed the local pad */
async function mergeTheirs(
  local: LocalPad,
  base: Spaces,
  theirs: Spaces,
  rows: PullResult['rows'],
  notices: string[],
): Promise<boolean> {
  const { revisions } = await local.store.change(({ spaces }) => {
    const changes: Change[] = [];
    for (const space of SPACE_NAMES) {
      // Additions of both sides stay, theirs first, since everybody has them already; of a line that both changed, ours.
      const { content, conflict } = mergeText(base[space], theirs[space], spaces[space]);
      if (conflict)
        notices.push(local.keepConflict({ space, acknowledged: theirs[space], file: spaces[space] }));
      if (content === spaces[space]) continue;

      const row = rows.findLast((each) => each.space === space);
      const actor = readActor(parseJson(row?.actor ?? undefined)) ?? {};
      changes.push({ space, content, op: 'pull', actor });
    }

    return changes;
  }, 'remote');

  return revisions.length > 0;
}

/** A text as it may leave this machine: without secrets, unless the server is trusted. */
function redactForStore(text: string, redact: boolean): string {
  return (redact ? redactSecrets(text) : text).replaceAll('\0', '\u2400').toWellFormed();
}

/**
 * The server's text with the redacted parts restored in lines that nobody has changed since, so that this
 * machine keeps its own text.
 * @param base the text that was sent, before redaction
 */
function restoreRedacted(server: string, base: string, safe: (text: string) => string): string {
  const sent = safe(base);
  return sent === base ? server : mergeText(sent, base, server).content;
}

function eachSpace(make: (space: SpaceName) => string): Spaces {
  return { plan: make('plan'), notes: make('notes'), refs: make('refs') };
}
