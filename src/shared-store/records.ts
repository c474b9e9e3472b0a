import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { DATA_DIR, tryReadJson, tryStat, writeAtomically } from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import { redactSecrets, withTexts } from '../base/safety/index.ts';
import { membersOf, numberAt, parsedObject } from '../base/text/json.ts';
import {
  lastActive,
  type StoredSession,
  storedFromJson,
  storedJson,
  storedSession,
  storedSessions,
  storeSession,
  workTreeKey,
} from '../transcript/store.ts';
import { sharedFolder } from './membership.ts';
import type { Remote } from './remote.ts';
import type { Exchanged } from './sync.ts';

const knownIn = (root: string): string => join(sharedFolder(root), 'trails.json');

/** For each session, the time of the record that both sides have. */
const knownRecords = (root: string) => membersOf(tryReadJson(knownIn(root), 'record'));

const isOwn = (record: StoredSession | undefined): boolean =>
  record !== undefined && record.machine === undefined;

/**
 * Sends the records of sessions that ran here, and receives those of the same user's sessions on other
 * machines, so that work can continue here. A session runs on one machine, so nothing has to be merged.
 */
export async function syncRecords(
  root: string,
  remote: Remote,
  redact: boolean,
  report: Exchanged,
): Promise<void> {
  const known: Record<string, unknown> = { ...knownRecords(root) };
  const user = userInfo().username;
  for (const stored of unsentRecords(root)) {
    const { session } = stored;
    const updated = lastActive(stored);
    const trail = storedJson(redact ? withTexts(stored, redactSecrets) : stored);
    await remote.putTrail({ session, updated }, JSON.stringify({ machine: hostname(), user, trail }));
    known[session] = updated;
    report.sent += 1;
  }
  for (const { session, updated } of await remote.trails()) {
    if ((numberAt(known, session) ?? 0) >= updated || isOwn(storedSession(root, session))) continue;
    known[session] = updated;
    const { machine, trail, user: owner } = parsedObject(await remote.trail(session)) ?? {};
    if (typeof trail !== 'string' || typeof machine !== 'string' || owner !== user) continue;
    try {
      const record = storedFromJson(trail, root);
      if (record === undefined) continue;
      storeSession(root, { ...record, machine, worktree: workTreeKey(gitPlace(root)) });
      report.received += 1;
    } catch {
      // Whatever another member wrote there, the rest goes on.
    }
  }
  writeAtomically(knownIn(root), JSON.stringify(known), { durable: false });
}

/** The local records whose current version is not in the store. */
export function unsentRecords(root: string): StoredSession[] {
  const known = knownRecords(root);
  return storedSessions(root).filter(
    (stored) => isOwn(stored) && known[stored.session] !== lastActive(stored),
  );
}

/** A record is replaced as a whole, so its folder changes with it. */
export function recordMark(root: string): number {
  return tryStat(join(root, DATA_DIR, 'records'))?.mtimeMs ?? 0;
}
