import { channel } from 'node:diagnostics_channel';
import type { SessionPaths } from './workspace.ts';

/** Something of a session was made durable: revisions of its pad, or its entries. */
export interface Commit {
  /** The workspace's data directory. */
  data: string;
  session: string;
}

/** Node's own channels reach across bundles, and cost nothing while nobody listens. */
const commits = channel('scratchpad.commit');

export function tellCommit({ data, session }: Pick<SessionPaths, 'data' | 'session'>): void {
  if (commits.hasSubscribers) commits.publish({ data, session } satisfies Commit);
}

/** Calls `hear` after every commit in this process, as long as it runs. */
export function hearCommits(hear: (commit: Commit) => void): void {
  commits.subscribe((message) => hear(message as Commit));
}
