import { join } from 'node:path';
import { tryReadJson, tryStat } from '../base/fs/index.ts';
import { membersOf } from '../base/text/json.ts';
import { fileNameFor } from './workspace.ts';

/**
 * A session that has been silent for so long has ended, if its host has not said so: no event, no record in its
 * transcript, no change of its plan.
 */
export const SILENT_MS = 30 * 60_000;
/** What happens within this time after an end is part of it. */
const ENDING_MS = 5000;
/** A time this far ahead is that of another clock. */
const AHEAD_MS = 120_000;

/**
 * Whether a host's session has ended: its end was reported and nothing came after it, or it has been silent.
 * @param data the workspace's `.scratchpad`
 * @param lastSign a time at which it was at work, epoch milliseconds
 */
export function sessionEnded(data: string, session: string, now: number, lastSign = 0): boolean {
  const file = recordOf(data, session);
  const { ended, place } = membersOf(tryReadJson(file, 'record'));
  const { path } = membersOf(place);
  const signs = [lastSign, changedAt(file), typeof path === 'string' ? changedAt(path) : 0];
  const last = Math.max(...signs.filter((at) => at < now + AHEAD_MS));
  if (typeof ended === 'number' && last - ended < ENDING_MS) return true;
  return now - last > SILENT_MS;
}

/** The sessions whose window a session holds, because it was forked from them. */
export function forkedFrom(data: string, session: string): string[] {
  const { forkedFrom: from } = membersOf(tryReadJson(recordOf(data, session), 'record'));
  return Array.isArray(from) ? from.filter((id): id is string => typeof id === 'string') : [];
}

/** What the hooks remember of a session. */
const recordOf = (data: string, session: string): string =>
  join(data, 'hosts', `${fileNameFor(session)}.json`);

function changedAt(path: string): number {
  return tryStat(path)?.mtimeMs ?? 0;
}
