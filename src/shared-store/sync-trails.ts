import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { DATA_DIR, tryReadJson, tryStat, writeAtomically } from '../fs/index.ts';
import { gitPlace } from '../git/place.ts';
import { withTexts } from '../safety/index.ts';
import { membersOf } from '../text/json.ts';
import {
  keptTrails,
  readTrail,
  type TrailRecord,
  trailFrom,
  trailJson,
  workTreeKey,
  writeTrail,
} from '../trail/store.ts';
import { sharedFolder } from './membership.ts';
import type { Outgoing } from './outgoing.ts';
import type { Remote } from './remote.ts';

export interface TrailSync {
  sent: number;
  received: number;
}

/** Metadata sent with a trail: the session's user and place. */
interface Sent {
  machine: string;
  user: string;
  trail: string;
}

/** For each session, the time of the trail that both sides have. */
type Known = Record<string, number>;

const fileIn = (root: string): string => join(sharedFolder(root), 'trails.json');

/**
 * Sends the trails of sessions that ran here, and receives those of the same user's sessions on other
 * machines, so that work can continue here. A session runs on one machine, so nothing has to be merged.
 */
export async function syncTrails(root: string, remote: Remote, outgoing: Outgoing): Promise<TrailSync> {
  const known = knownTrails(root);
  const report: TrailSync = { sent: 0, received: 0 };
  const user = userInfo().username;
  for (const record of unsentTrails(root)) {
    const trail = trailJson(withTexts(record, outgoing));
    const body: Sent = { machine: hostname(), user, trail };
    await remote.putTrail(record, JSON.stringify(body));
    known[record.session] = record.updated;
    report.sent += 1;
  }
  for (const { session, updated } of await remote.trails()) {
    if ((known[session] ?? 0) >= updated || isOwn(readTrail(root, session))) continue;
    const record = received(await remote.trail(session), root, user);
    if (record !== undefined) writeTrail(root, record);
    known[session] = updated;
    report.received += record === undefined ? 0 : 1;
  }
  writeAtomically(fileIn(root), JSON.stringify(known), { durable: false });
  return report;
}

/** The local trails whose current version is not in the store. */
export function unsentTrails(root: string): TrailRecord[] {
  const known = knownTrails(root);
  return keptTrails(root).filter((record) => isOwn(record) && known[record.session] !== record.updated);
}

function isOwn(record: TrailRecord | undefined): boolean {
  return record !== undefined && record.machine === undefined;
}

function knownTrails(root: string): Known {
  const times = Object.entries(membersOf(tryReadJson(fileIn(root), 'record')));
  return Object.fromEntries(times.filter((pair): pair is [string, number] => typeof pair[1] === 'number'));
}

function received(body: string | undefined, root: string, user: string): TrailRecord | undefined {
  try {
    const sent = JSON.parse(body ?? 'null') as Partial<Sent> | null;
    if (typeof sent?.trail !== 'string' || typeof sent.machine !== 'string' || sent.user !== user)
      return undefined;
    const record = trailFrom(sent.trail, root);
    return record && { ...record, machine: sent.machine, worktree: workTreeKey(gitPlace(root)) };
  } catch {
    return undefined;
  }
}

/** A trail is replaced as a whole, so its folder changes with it. */
export function trailMark(root: string): number {
  return tryStat(join(root, DATA_DIR, 'trail'))?.mtimeMs ?? 0;
}
