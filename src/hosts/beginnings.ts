import { inTime } from '../assembly/in-time.ts';
import { readText } from '../base/fs/index.ts';
import { digest } from '../base/text/strings.ts';
import { changesFrom } from '../core/adopt.ts';
import { Sessions } from '../core/sessions.ts';
import { hasContent } from '../ledger/spaces.ts';
import { discoverSessions } from '../transcript/discover.ts';
import { readScratchpadEntries } from '../transcript/entries.ts';
import type { Session } from './session.ts';
import { recall, remembered } from './session-memory.ts';

/* What a session begins with: the window of the one that it was forked from, an empty pad, or what its file has. */

/**
 * A forked session holds the window of another one, and goes on with its ledger: nothing is said twice. The records
 * that the host copied tell which session that was; they may be written only after the start.
 * @returns whether it is known now
 */
export function followParent(at: Session): boolean {
  const { memory, input, data } = at;
  const parent = parentOf(at);
  if (parent === undefined || input.transcript === undefined) return false;
  const { ledger, hints, place, forkedFrom = [] } = recall(data, parent);
  memory.forkedFrom = [parent, ...forkedFrom];
  memory.ledger = ledger;
  memory.hints = hints;
  // The records have the same ids in the new file.
  memory.place = place && { ...place, path: input.transcript, size: 0 };
  return true;
}

/** The session whose newest known record is in this one's file: the nearest of several. */
function parentOf({ input, data }: Session): string | undefined {
  const { transcript, session } = input;
  const text = transcript === undefined ? undefined : readText(transcript, 'transcript');
  if (text === undefined) return undefined;
  let nearest: { session: string; at: number } | undefined;
  for (const { session: id, memory } of remembered(data)) {
    const { tip } = memory.place ?? {};
    const at = id === session || tip === undefined ? -1 : text.lastIndexOf(`"${tip}"`);
    if (at > (nearest?.at ?? -1)) nearest = { session: id, at };
  }
  return nearest?.session;
}

/**
 * `primary.onNewSession: archive`: archives the primary pad and entries of the last conversation, so that the new
 * one starts with an empty pad. An empty pad stays.
 */
export async function archivePrimary(at: Session): Promise<void> {
  const { primarySession: primary } = at.config;
  const pads = await at.pads();
  const { shared } = await pads.spaces();
  try {
    const sessions = new Sessions(at.root, { primary, now: () => at.now, archiveMs: at.config.archive.age });
    const found = (await sessions.list()).find(({ session }) => session === primary);
    if (!found || (!hasContent(shared) && found.entries === 0)) return;
    await sessions.archive(primary);
    await pads.renew();
  } catch (error) {
    at.fault('archiving the pad', error);
  }
}

/** A session file may be large; what comes later than this is there at the next prompt. */
const LONGEST_MS = 500;
const NEWEST_SESSIONS = 50;

/**
 * Takes in what an agent kept in the host's own session file, under our keys or the older single one: into spaces that
 * are empty, and each state of the entries once, so that what somebody clears stays cleared.
 */
export async function takeIn(at: Session): Promise<void> {
  await inTime(taken(at), LONGEST_MS, () => undefined);
}

async function taken(at: Session): Promise<void> {
  const { session, sessionFile } = at.input;
  if (session === undefined || at.provenance.spaces === 'untrusted') return;
  try {
    const sessions = await discoverSessions({ workspace: at.root, env: at.env, limit: NEWEST_SESSIONS });
    const isThis = (id: string): boolean => id === session || id === sessionFile;
    const file = sessions.find(({ host, id }) => host === at.host.name && isThis(id))?.path;
    const found = file === undefined ? {} : await readScratchpadEntries(file, { session });
    const state = digest(JSON.stringify(found));
    if (at.memory.taken === state) return;
    at.memory.taken = state;
    const { changes } = changesFrom(found, at.config.limits);
    const pads = await at.pads();
    const { shared } = await pads.spaces();
    if (!changes.some(({ space }) => shared[space].trim() === '')) return;
    await pads.change(({ spaces }) => changes.filter(({ space }) => spaces[space].trim() === ''), 'restore');
  } catch (error) {
    at.fault("the session file's scratchpad", error);
  }
}
