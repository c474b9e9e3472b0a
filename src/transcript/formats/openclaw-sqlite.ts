import type { SessionRef } from '../hosts/host.ts';
import type { ReadOptions, Transcript } from '../types.ts';

export async function readOpenClawDatabase(_path: string, _options: ReadOptions): Promise<Transcript> {
  throw new Error('not yet');
}
export async function listOpenClawSessions(_path: string): Promise<SessionRef[]> {
  return [];
}
