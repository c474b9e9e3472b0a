import { ScratchpadError } from '../errors.ts';
import { type DiscoverOptions, discoverSessions, type SessionRef } from './discover.ts';
import { readTranscriptFile } from './read.ts';
import type { ReadOptions, Transcript } from './types.ts';

/** Sessions to try before giving up. */
const TRIES = 5;

/** A session and what was read of it. */
export interface NewestSession {
  ref: SessionRef;
  transcript: Transcript;
}

/**
 * The most recent session of a workspace that has messages. One that cannot be read (a locked database) is
 * reported to `onProblem` and skipped; so is one without messages.
 */
export async function readNewestSession(
  where: Omit<DiscoverOptions, 'limit'>,
  options: Omit<ReadOptions, 'session'> = {},
): Promise<NewestSession | undefined> {
  for (const ref of await discoverSessions({ ...where, limit: TRIES })) {
    try {
      const transcript = await readTranscriptFile(ref.path, { ...options, session: ref.id });
      if (transcript.messages.length > 0) return { ref, transcript };
    } catch (error) {
      if (!(error instanceof ScratchpadError)) throw error;
      where.onProblem?.(error);
    }
  }
  return undefined;
}
