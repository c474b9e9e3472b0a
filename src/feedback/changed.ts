import { join } from 'node:path';
import { tryStat } from '../fs/index.ts';

export const FEEDBACK_FILE = 'feedback.json';

/** Whether remarks were kept or forgotten in a data directory since a time (ISO 8601): then a state block is behind. */
export function feedbackSince(data: string, time: string | undefined): boolean {
  const changed = tryStat(join(data, FEEDBACK_FILE))?.mtimeMs;
  return changed !== undefined && changed > Date.parse(time ?? '');
}
