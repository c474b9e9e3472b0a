import { join } from 'node:path';
import { strategyOf } from '../feedback/parse.ts';
import type { InForce } from '../feedback/types.ts';
import { append, readText, remove, tryReadText, withLock, writeAtomically } from '../fs/index.ts';

/** One reading of the mood, kept only with `mood.history: on`. */
export interface MoodRecord {
  /** ISO 8601, UTC. */
  at: string;
  /** Id of the host's session, where it is known. */
  session: string | null;
  /** The name that the host gives them; empty where it gives none. */
  person: string;
  strategy: InForce;
  /** The lines of the block's section about the mood. */
  mood: readonly string[];
}

const NAME = 'mood.jsonl';
const LARGEST = 1024 * 1024;
const LOCK_WAIT_MS = 300;

/**
 * Adds a reading, readable for this user alone. At a mebibyte the older half goes.
 * @throws ScratchpadError `environment` when it cannot be kept
 */
export async function recordMood(data: string, record: MoodRecord): Promise<void> {
  const path = join(data, NAME);
  await withLock(
    join(data, 'mood.lock'),
    () => {
      // The blank line keeps a record that was torn off before from taking this one with it.
      const size = append(path, 'record', `\n${JSON.stringify(record)}\n`);
      if (size > LARGEST) {
        const text = readText(path, 'record') ?? '';
        writeAtomically(path, text.slice(text.indexOf('\n', text.length / 2) + 1));
      }
    },
    LOCK_WAIT_MS,
  );
}

/** What is kept, oldest first. Lines that cannot be read, as the last one after a power cut, are passed over. */
export function readMoods(data: string): MoodRecord[] {
  return (tryReadText(join(data, NAME), 'record') ?? '').split('\n').flatMap(recordOf);
}

/** Deletes every reading. @returns whether there were any */
export function forgetMoods(data: string): boolean {
  return remove(join(data, NAME));
}

function recordOf(line: string): MoodRecord[] {
  try {
    const { at, session, person, strategy, mood } = JSON.parse(line) as Record<string, unknown>;
    const given = strategyOf(strategy);
    if (given === null || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return [];
    return [
      {
        at,
        session: typeof session === 'string' ? session : null,
        person: typeof person === 'string' ? person : '',
        strategy: given,
        mood: Array.isArray(mood) ? mood.filter((text): text is string => typeof text === 'string') : [],
      },
    ];
  } catch {
    return [];
  }
}
