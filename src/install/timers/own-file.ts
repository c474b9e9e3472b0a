import type { Target } from '../change.ts';

/** A file that is ours from the first line to the last. */
export function ownFile(path: string, text: () => string): Target {
  return { path, add: text, remove: () => undefined };
}
