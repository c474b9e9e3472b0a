import type { Target } from '../change.ts';

/** A file that is entirely ours. */
export function ownFile(path: string, text: () => string): Target {
  return { path, add: text, remove: () => undefined };
}
