import { readText, tryStat } from '../base/fs/index.ts';
import { parsePad } from '../pad/document.ts';
import type { SessionPaths } from './workspace.ts';

/** An editor that saves in place empties the file before it fills it: how often and how long to check again. */
const LOOKS = 8;
const PAUSE_MS = 15;
/** A file that has looked unfinished for longer than this is considered final. */
const UNFINISHED_MS = 1000;

/** The text of a pad, after waiting for an editor that is saving it; `undefined` if there is none. */
export async function settledPad({ pad, journal }: SessionPaths, root: string): Promise<string | undefined> {
  for (let look = 0; ; look += 1) {
    const text = readText(pad, 'pad', { within: root });
    if (look === LOOKS || !looksUnfinished(text)) return text;
    // If a file existed before and is missing now, an editor may be between two renames.
    if (!isRecent(text === undefined ? journal : pad)) return text;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Whether a file was modified just now; if the clock was set back, the answer is no. */
function isRecent(path: string): boolean {
  const stats = tryStat(path);
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < UNFINISHED_MS;
}

function looksUnfinished(text: string | undefined): boolean {
  if (text === undefined || text.trim() === '') return true;
  return parsePad(text).problems.some(({ kind }) => kind.endsWith('-unclosed'));
}
