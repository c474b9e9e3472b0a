import { statSync } from 'node:fs';
import { join } from 'node:path';

export const FEEDBACK_FILE = 'feedback.json';

/** Whether remarks were kept or forgotten in a data directory since a time (ISO 8601): then a state block is behind. */
export function feedbackSince(data: string, time: string | undefined): boolean {
  const changed = statSync(join(data, FEEDBACK_FILE), { throwIfNoEntry: false })?.mtimeMs;
  return changed !== undefined && changed > Date.parse(time ?? '');
}
