import { join } from 'node:path';
import { tryReadJson, writeAtomically } from '../base/fs/index.ts';
import type { GitMoment } from '../base/git/checked-out.ts';
import { digest } from '../base/text/hash.ts';
import type { KnownOfFile } from './reconcile.ts';
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
export async function keepBeside(paths: SessionPaths, { document, revision }: Committed): Promise<void> {
  const { gitMoment } = await import('../base/git/checked-out.ts');
  const git = await gitMoment(paths.pad, document.text);
  const beside: Beside = { revision, written: digest(document.text), git };
  try {
    writeAtomically(fileIn(paths), `${JSON.stringify(beside)}\n`, { durable: false });
  } catch {
    // As said above.
  }
}

/** What git, and the data beside the pad, know of its file. Git is asked only if the file differs from the journal. */
export function knownOfFile(paths: SessionPaths): KnownOfFile {
  const checkedOut = () => import('../base/git/checked-out.ts');
  /** Where git was when a tracked pad was written last. */
  const then = (): GitMoment | undefined => {
    const { git } = read(paths);
    return typeof git?.blob === 'string' ? git : undefined;
  };
  return {
    fromGit: async (text) => (await checkedOut()).isCheckedOut(paths.pad, text, then()),
    unmerged: async () => (await checkedOut()).unmerged(paths.pad, then()),
    stampOf: (text) => {
      const { revision, written } = read(paths);
      return typeof revision === 'number' && written === digest(text) ? revision : undefined;
    },
    takenAway: async () => isKeptBeside(paths) && (await checkedOut()).isTakenAway(paths.pad),
  };
}

/** Whether the pad of a session was one that git tracks. */
export function isKeptBeside(paths: SessionPaths): boolean {
  return read(paths).revision !== undefined;
}
