import { join } from 'node:path';
import { tryStat } from '../fs/index.ts';

export const FEEDBACK_FILE = 'feedback.json';

/**
 * Whether feedback was added or forgotten since a time (ISO 8601), so that a state block from then is out of
 * date.
 */
export function feedbackSince(data: string, time: string | undefined): boolean {
  const changed = tryStat(join(data, FEEDBACK_FILE))?.mtimeMs;
  return changed !== undefined && changed > Date.parse(time ?? '');
}
