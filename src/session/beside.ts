import { join } from 'node:path';
import { tryReadJson, writeAtomically } from '../base/fs/index.ts';
import type { GitMoment } from '../base/git/checked-out.ts';
import { digest } from '../base/text/hash.ts';
import type { Committed } from './store.ts';
import type { SessionPaths } from './workspace.ts';

/** The data kept beside a tracked pad: the revision it was written from. */
interface Beside {
  revision: number;
  /** Digest of the file as it was written. */
  written: string;
  git?: GitMoment;
}

const fileIn = ({ dir }: SessionPaths): string => join(dir, 'tracked.json');

function read(paths: SessionPaths): Partial<Beside> {
  return (tryReadJson(fileIn(paths), 'record') ?? {}) as Partial<Beside>;
}

/** Stores the data that git should not see beside a tracked pad. It may fail; the next assembly then recreates it. */
export function keepBeside(
  paths: SessionPaths,
  { document, revision }: Committed,
  git: GitMoment | undefined,
): void {
  const beside: Beside = {
    revision,
    written: digest(document.text),
    git,
  };
  try {
    writeAtomically(fileIn(paths), `${JSON.stringify(beside)}\n`, { durable: false });
  } catch {
    // As said above.
  }
}

/** The revision that a tracked pad with this text was written from; `undefined` if it was not written here. */
export function writtenFrom(paths: SessionPaths, text: string): number | undefined {
  const { revision, written } = read(paths);
  return typeof revision === 'number' && written === digest(text) ? revision : undefined;
}

/** Where git was when a tracked pad was written last. */
export function writtenWhen(paths: SessionPaths): GitMoment | undefined {
  const { git } = read(paths);
  return typeof git?.blob === 'string' ? git : undefined;
}

/** Whether the pad of a session was one that git tracks. */
export function isKeptBeside(paths: SessionPaths): boolean {
  return read(paths).revision !== undefined;
}
