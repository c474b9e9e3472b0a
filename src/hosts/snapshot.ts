import { mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { draftFile } from '../session/files.ts';
import { fileNameFor } from '../session/names.ts';

const KEPT = 20;

/**
 * Keeps a copy of a pad as it was before a compaction, the last twenty of them. Some hosts announce
 * compactions that do not come: a pad that is still what it was at the last copy needs no other.
 */
export function keepSnapshot(data: string, session: string, pad: string, text: string): void {
  const dir = join(data, 'snapshots');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const suffix = `-${fileNameFor(session)}-${fileNameFor(pad)}.md`;
  const last = readdirSync(dir)
    .filter((name) => name.endsWith(suffix))
    .sort()
    .at(-1);
  if (last !== undefined && isSame(join(dir, last), text)) return;
  const stamp = new Date().toISOString().slice(0, 23).replace(/[:.]/g, '-');
  draftFile(join(dir, `${stamp}${suffix}`), text).commit();
  for (const name of readdirSync(dir).sort().slice(0, -KEPT)) {
    try {
      unlinkSync(join(dir, name));
    } catch {
      // Another hook was quicker.
    }
  }
}

function isSame(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}
