import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { DATA_DIR, tryReadJson, tryStat, writeAtomically } from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import { withTexts } from '../base/safety/index.ts';
import { membersOf } from '../base/text/json.ts';
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
import type { Outgoing } from './outgoing.ts';
import type { Remote } from './remote.ts';

/** A record with its session's user and place. */
interface Sent {
  machine: string;
  user: string;
  trail: string;
}

/** For each session, the time of the record that both sides have. */
type Known = Record<string, number>;

const fileIn = (root: string): string => join(sharedFolder(root), 'trails.json');

/**
 * Sends the records of sessions that ran here, and receives those of the same user's sessions on other
 * machines, so that work can continue here. A session runs on one machine, so nothing has to be merged.
 */
export async function syncRecords(
  root: string,
  remote: Remote,
  outgoing: Outgoing,
): Promise<{ sent: number; received: number }> {
  const known = knownRecords(root);
  const report = { sent: 0, received: 0 };
  const user = userInfo().username;
  for (const stored of unsentRecords(root)) {
    const trail = storedJson(withTexts(stored, outgoing));
    const body: Sent = { machine: hostname(), user, trail };
    const { session } = stored;
    const updated = lastActive(stored);
    await remote.putTrail({ session, updated }, JSON.stringify(body));
    known[session] = updated;
    report.sent += 1;
  }
  for (const { session, updated } of await remote.trails()) {
    if ((known[session] ?? 0) >= updated || isOwn(storedSession(root, session))) continue;
    const record = received(await remote.trail(session), root, user);
    if (record !== undefined) storeSession(root, record);
    known[session] = updated;
    report.received += record === undefined ? 0 : 1;
  }
  writeAtomically(fileIn(root), JSON.stringify(known), { durable: false });
  return report;
}

/** The local records whose current version is not in the store. */
export function unsentRecords(root: string): StoredSession[] {
  const known = knownRecords(root);
  return storedSessions(root).filter(
    (stored) => isOwn(stored) && known[stored.session] !== lastActive(stored),
  );
}

function isOwn(record: StoredSession | undefined): boolean {
  return record !== undefined && record.machine === undefined;
}

function knownRecords(root: string): Known {
  const times = Object.entries(membersOf(tryReadJson(fileIn(root), 'record')));
  return Object.fromEntries(times.filter((pair): pair is [string, number] => typeof pair[1] === 'number'));
}

function received(body: string | undefined, root: string, user: string): StoredSession | undefined {
  try {
    const sent = JSON.parse(body ?? 'null') as Partial<Sent> | null;
    if (typeof sent?.trail !== 'string' || typeof sent.machine !== 'string' || sent.user !== user)
      return undefined;
    const record = storedFromJson(sent.trail, root);
    return record && { ...record, machine: sent.machine, worktree: workTreeKey(gitPlace(root)) };
  } catch {
    return undefined;
  }
}

/** A record is replaced as a whole, so its folder changes with it. */
export function recordMark(root: string): number {
  return tryStat(join(root, DATA_DIR, 'records'))?.mtimeMs ?? 0;
}
