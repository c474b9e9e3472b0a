import { readText, tryStat } from '../base/fs/index.ts';
import { defuse, sanitizeLine } from '../base/safety/index.ts';
import { getObject, getString, parseObject } from '../base/text/json.ts';
import { digestText, embedText } from '../base/text/strings.ts';
import { chooseSession } from '../core/scope.ts';
import { listArchives } from '../core/session-folders.ts';
import { Sessions } from '../core/sessions.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { deliver } from '../ledger/ledger.ts';
import { hasContent } from '../ledger/spaces.ts';
import { FileStore } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import { getSessionPaths } from '../session/workspace.ts';
import type { HookSession } from './session.ts';
import { listChildren, listMemories, recall, rememberChild, rememberOwnPad } from './session-memory.ts';

/* Forks inherit a window; subagents borrow entries and report notes. */

/**
 * Lets a fork go on with the ledger of the session whose window it holds: nothing is told twice. The host's file names
 * that session, or holds copies of its records, perhaps only after the start.
 * @returns whether the parent is known now
 */
export function followParent(session: HookSession): boolean {
  const { memory } = session;
  const { input } = session.event;
  const { data } = session.workspace;
  const parent = findParent(session);
  if (parent === undefined || input.transcript === undefined) return false;

  const { ledger, hints, place, forkedFrom = [] } = recall(data, parent.session);
  memory.forkedFrom = [parent.session, ...forkedFrom];
  memory.ledger = ledger;
  memory.hints = hints;
  // Copied records have the same ids in the new file.
  memory.place = place && parent.isCopied ? { ...place, path: input.transcript, size: 0 } : place;

  return true;
}

/**
 * Finds the session that the file names, else the one whose newest known record stands last in it. Claude Code has written
 * no file yet at a fork's first prompt (2.1.332): then the session that was active last counts as the parent.
 */
function findParent({ event: { input }, workspace: { data }, memory }: HookSession) {
  const { transcript, session } = input;
  const text = transcript === undefined ? undefined : readText(transcript, 'transcript');
  const others = listMemories(data).filter((other) => other.session !== session);

  if (text === undefined) {
    const isFirstPrompt = memory.promptedAt === undefined && input.prompt !== undefined;
    const newest = isFirstPrompt ? others[0] : undefined;
    return newest && { session: newest.session, isCopied: true };
  }

  const [firstLine = ''] = text.split('\n', 1);
  const namedParent = getString(getObject(parseObject(firstLine), 'payload'), 'forked_from_id');
  const named = others.find((other) => other.session === namedParent);
  if (named !== undefined) return { session: named.session, isCopied: false };

  let nearest: { session: string; index: number } | undefined;
  for (const { session: id, memory: other } of others) {
    const { tip } = other.place ?? {};
    const index = tip === undefined ? -1 : text.lastIndexOf(`"${tip}"`);
    if (index > (nearest?.index ?? -1)) nearest = { session: id, index };
  }

  return nearest && { session: nearest.session, isCopied: true };
}

/**
 * `primary.onNewSession: archive`: archives the primary pad and entries of the last conversation, so that the new
 * one starts with an empty pad. An empty pad stays.
 */
export async function archivePrimary(session: HookSession): Promise<void> {
  const { primarySession: primary } = session.event.config;
  const { view } = session.pads;
  if (session.workspace.provenance.spaces === 'untrusted') return;

  try {
    const sessions = openSessions(session);
    const [info] = await sessions.list({ of: [primary] });
    if (!info || (info.entries === 0 && !hasContent((await view.read()).spaces))) return;

    await sessions.archive(primary);
    // An empty pad in its place.
    await view.change(() => []);
  } catch (error) {
    session.reportFault('archiving the pad', error);
  }
}

/**
 * `spaces.scope: session`: brings back the pad of a session that goes on after its end; a fork begins with a copy of
 * its parent's. To be called before the pads are read.
 */
export async function openOwnPad(session: HookSession): Promise<void> {
  const id = findOwnPad(session);
  if (id === undefined) return;

  const sessions = openSessions(session);
  try {
    const parents = session.memory.forkedFrom ?? [];
    const ids = new Set((await sessions.list({ of: [id, ...parents] })).map((each) => each.session));
    if (ids.has(id)) return;

    const paths = getSessionPaths(session.workspace.root, id);
    const parent = parents.find((each) => ids.has(each));
    if (listArchives(paths).length > 0) await sessions.bringBack(id);
    else if (parent !== undefined) await sessions.fork(parent, id);
  } catch (error) {
    session.reportFault("the session's own pad", error);
  }
}

/** `spaces.scope: session`: archives the pad and the entries of a session that has ended. */
export async function archiveOwnPad(session: HookSession): Promise<void> {
  const id = findOwnPad(session);
  if (id === undefined) return;
  const { pad, journal } = getSessionPaths(session.workspace.root, id, session.event.config.primarySession);
  if (tryStat(pad) ?? tryStat(journal)) await openSessions(session).archive(id);
}

/** The session whose pad is its own; `undefined` if it works on the primary one. */
function findOwnPad({ event: { config, input } }: HookSession): string | undefined {
  const id = chooseSession(config, input.session);
  return id === config.primarySession ? undefined : id;
}

function openSessions({ event: { config, now }, workspace }: HookSession): Sessions {
  const { primarySession: primary, archive } = config;
  return new Sessions(workspace.root, { primary, now: () => now, archiveMs: archive.age });
}

export interface SubagentStart {
  spaces: Spaces;
  /** Names of entries that it may read. */
  lent: readonly string[];
}

const EMPTY_START: SubagentStart = { spaces: NO_SPACES, lent: [] };
const MOST_NOTES = 5;

/**
 * A subagent starts with an empty notepad and its own id, which commands take as `--session`; its first note makes
 * its pad. By `subagent.copyNotepad` and `subagent.inherit` it starts with a copy of the notes, and may read entries of
 * its parent. Unknown names are skipped.
 */
export async function spawnSubagent(session: HookSession, child: string): Promise<SubagentStart> {
  const { session: id } = session.event.input;
  const { primarySession: primary, subagent } = session.event.config;
  const parent = chooseSession(session.event.config, id) ?? primary;
  const getTime = (): number => session.event.now;
  const openStore = (name: string): FileStore =>
    new FileStore(session.workspace.root, name, { primary, now: getTime });

  try {
    await rememberOwnPad(session.workspace.data, child);
    // Its notes are reported to the parent.
    if (id !== undefined) rememberChild(session.workspace.data, id, child);
    const startsEmpty = !subagent.copyNotepad && subagent.inherit.length === 0;
    if (startsEmpty || session.workspace.provenance.spaces === 'untrusted') return EMPTY_START;

    const parentEntries = await new FileEntries(openStore(parent).paths, { now: getTime }).list();
    const lent = subagent.inherit.filter((name) => parentEntries.some((entry) => entry.name === name));

    if (!(await openStore(child).read()).exists)
      await openSessions(session).spawn(parent, child, { copyNotepad: subagent.copyNotepad, inherit: lent });
    const { spaces } = await openStore(child).read();

    return { spaces, lent };
  } catch (error) {
    session.reportFault('a pad for the subagent', error);
    return EMPTY_START;
  }
}

/** Collects the notes of subagents in their own pads since the model was last told: a line for each. */
export async function collectChildNews(session: HookSession): Promise<string[]> {
  const { ledger } = session.memory;
  const { primarySession: primary } = session.event.config;
  const id = session.event.input.session;
  const news: string[] = [];
  if (ledger === undefined || id === undefined) return news;

  for (const child of listChildren(session.workspace.data, id)) {
    const store = new FileStore(session.workspace.root, child, { primary });
    if (!tryStat(store.paths.journal)) continue;

    const { spaces } = await store.read();
    const { revisions } = await store.history();
    // Contents that it started with are no news.
    const inherited = new Set(
      revisions.filter(({ op }) => op === 'spawn').flatMap(({ content }) => content.split('\n')),
    );
    const lines = spaces.notes.split('\n').filter((line) => line.trim() !== '' && !inherited.has(line));

    for (const line of lines.slice(-MOST_NOTES)) {
      const key = `child:${child}:${digestText(line)}`;
      const text = sanitizeLine(`Subagent ${child} noted: ${embedText(line)}`);
      if (ledger.lines[key] !== undefined) continue;

      deliver(ledger, key, text, session.event.now);
      news.push(`[Scratchpad] ${defuse(text)}`);
    }
  }

  return news;
}
