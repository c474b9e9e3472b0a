import { join } from 'node:path';
import { tryReadJson, tryRemove, writeAtomically } from '../base/fs/index.ts';
import { sharedFolder } from './membership.ts';

/** Most notices of background exchanges to keep until a command or a hook shows them. */
const MOST = 10;

const fileIn = (root: string): string => join(sharedFolder(root), 'notices.json');

export function keepNotices(root: string, notices: readonly string[]): void {
  if (notices.length === 0) return;
  const all = [...new Set([...readNotices(root), ...notices])].slice(-MOST);
  writeAtomically(fileIn(root), JSON.stringify(all), { durable: false });
}

/** Returns the notices and removes them. */
export function takeNotices(root: string): string[] {
  const notices = readNotices(root);
  if (notices.length > 0) tryRemove(fileIn(root));
  return notices;
}

function readNotices(root: string): string[] {
  const kept = tryReadJson(fileIn(root), 'record');
  return Array.isArray(kept) ? kept.filter((notice) => typeof notice === 'string') : [];
}
