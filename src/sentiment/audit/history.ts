import { join } from 'node:path';
import { append, readText, remove, tryReadText, withLock, writeAtomically } from '../../base/fs/index.ts';
import { membersOf, parsed } from '../../base/text/json.ts';
import { type InForce, strategyOf } from '../feedback/types.ts';

/** One mood reading, stored only with `mood.history: on`. */
export interface MoodRecord {
  /** ISO 8601, UTC. */
  at: string;
  /** Id of the host's session, if known. */
  session: string | null;
  /** The name that the host gives them, or empty. */
  person: string;
  strategy: InForce;
  /** The lines of the block's section about the mood. */
  mood: readonly string[];
}

const NAME = 'mood.jsonl';
const LARGEST = 1024 * 1024;
const LOCK_WAIT_MS = 300;

/**
 * Adds a reading, readable by this user only. When the file reaches 1 MiB its older half is removed.
 * @throws ScratchpadError `environment` if it cannot be written
 */
export async function recordMood(data: string, record: MoodRecord): Promise<void> {
  const path = join(data, NAME);
  await withLock(
    join(data, 'mood.lock'),
    () => {
      // The leading newline keeps an incomplete record before it from swallowing this one.
      const size = append(path, 'record', `\n${JSON.stringify(record)}\n`);
      if (size > LARGEST) {
        const text = readText(path, 'record') ?? '';
        writeAtomically(path, text.slice(text.indexOf('\n', text.length / 2) + 1));
      }
    },
    LOCK_WAIT_MS,
  );
}

/**
 * The stored readings, oldest first. Unreadable lines, such as the last one after a power cut, are skipped.
 */
export function readMoods(data: string): MoodRecord[] {
  return (tryReadText(join(data, NAME), 'record') ?? '').split('\n').flatMap(recordOf);
}

/** Deletes every reading. @returns whether there were any */
export function forgetMoods(data: string): boolean {
  return remove(join(data, NAME));
}

function recordOf(line: string): MoodRecord[] {
  const { at, session, person, strategy, mood } = membersOf(parsed(line));
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
}
