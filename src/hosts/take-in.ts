import { inTime } from '../assembly/in-time.ts';
import { digest } from '../base/text/hash.ts';
import { changesFrom } from '../core/adopt.ts';
import { discoverSessions } from '../transcript/discover.ts';
import { readScratchpadEntries } from '../transcript/entries.ts';
import type { Session } from './session.ts';

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
