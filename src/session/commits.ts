import { channel } from 'node:diagnostics_channel';
import type { SessionPaths } from './workspace.ts';

/** A commit of a session: revisions of its pad, or its entries, are now durable. */
export interface Commit {
  /** The workspace's data directory. */
  data: string;
  session: string;
}

/** Node's diagnostics channels work across bundles, and cost nothing without listeners. */
const commits = channel('scratchpad.commit');

export function tellCommit({ data, session }: Pick<SessionPaths, 'data' | 'session'>): void {
  if (commits.hasSubscribers) commits.publish({ data, session } satisfies Commit);
}

/** Calls `hear` after every commit, for the lifetime of the process. */
export function hearCommits(hear: (commit: Commit) => void): void {
  commits.subscribe((message) => hear(message as Commit));
}
